package threadtest_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/tileir/text"
)

// product is a kernel whose loop multiplies tiles of a by tiles of b, behind a store to a.
const product = `entry @k(%a: tile<ptr<f16>>, %b: tile<ptr<f16>>, %c: tile<ptr<f32>>) {
  %start = make_token : token
  %pa = assume div_by<16>, %a : tile<ptr<f16>>
  %pb = assume div_by<16>, %b : tile<ptr<f16>>
  %ta = make_tensor_view %pa, shape = [64, 256], strides = [256, 1] : tensor_view<64x256xf16, strides=[256,1]>
  %va = make_partition_view %ta : partition_view<tile=(64x64), padding_value = zero, tensor_view<64x256xf16, strides=[256,1]>>
  %tb = make_tensor_view %pb, shape = [256, 64], strides = [64, 1] : tensor_view<256x64xf16, strides=[64,1]>
  %vb = make_partition_view %tb : partition_view<tile=(64x64), padding_value = zero, tensor_view<256x64xf16, strides=[64,1]>>
  %tc = make_tensor_view %c, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
  %vc = make_partition_view %tc : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>
  %zero = constant <f32: 0.0> : tile<64x64xf32>
  %half = constant <f16: 1.0> : tile<64x64xf16>
  %first = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %four = constant <i32: 4> : tile<i32>
  %stored = store_view_tko weak %half, %va[%first, %one] token = %start : tile<64x64xf16>, partition_view<tile=(64x64), padding_value = zero, tensor_view<64x256xf16, strides=[256,1]>>, tile<i32> -> token
  %sum = for %i in (%first to %four, step %one) : tile<i32> iter_values(%acc = %zero) -> (tile<64x64xf32>) {
    %x, %tx = load_view_tko weak %va[%first, %i] token = %BEFORE : partition_view<tile=(64x64), padding_value = zero, tensor_view<64x256xf16, strides=[256,1]>>, tile<i32> -> tile<64x64xf16>, token
    %y, %ty = load_view_tko weak %vb[%i, %first] token = %start : partition_view<tile=(64x64), padding_value = zero, tensor_view<256x64xf16, strides=[64,1]>>, tile<i32> -> tile<64x64xf16>, token
    %next = mmaf %x, %y, %acc : tile<64x64xf16>, tile<64x64xf16>, tile<64x64xf32>
    continue %next : tile<64x64xf32>
  }
  %1 = store_view_tko weak %sum, %vc[%first, %first] token = %start : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
  return
}`

// TestFeeds: a load is copied ahead unless it comes after a store to the same memory, for which it would have to wait for other threads.
func TestFeeds(t *testing.T) {
	for _, arch := range []string{"sm_80", "sm_90a"} {
		for before, want := range map[string]int{"start": 2, "stored": 1} {
			m, err := text.Parse(strings.ReplaceAll(product, "BEFORE", before), text.ParseOptions{})
			if err != nil {
				t.Fatal(err)
			}
			x, err := threads.Explain(m, arch, threads.Options{Tensors: true})
			if err != nil {
				t.Fatal(err)
			}
			if got := len(x.Plan.Feeds); got != want {
				t.Errorf("%s, after %s: %d loads are copied ahead, want %d", arch, before, got, want)
			}
		}
	}
}

package cpu_test

import (
	"math"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
)

// TestFloatToBool converts to i1: true where x != 0, and so for NaN, as in the code that NVIDIA's compiler makes.
func TestFloatToBool(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	data := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, -0.5, -3, 2, nan, inf, -inf, math.SmallestNonzeroFloat32, 0.999, -0.999, 1e30, 0}
	want := make([]bool, len(data))
	for i, x := range data {
		want[i] = x != 0
	}
	for _, sign := range []string{"unsigned", "signed", "unsigned saturating", "signed saturating"} {
		for _, elem := range []string{"f32", "f64", "f16", "bf16"} {
			d := newDevice(t, cpu.Options{})
			widen := ""
			value := "%v"
			if elem != "f32" { // 1e30 becomes an infinity of f16, and the smallest number zero
				widen, value = "%w = ftof %v : tile<16xf32> -> tile<16x"+elem+">", "%w"
			}
			k := fromText(t, d, `entry @k(%x: tile<ptr<f32>>, %out: tile<ptr<i1>>) {
  %t = make_token : token
  %xv = make_tensor_view %x, shape = [16], strides = [1] : tensor_view<16xf32, strides=[1]>
  %xp = make_partition_view %xv : partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>
  %ov = make_tensor_view %out, shape = [16], strides = [1] : tensor_view<16xi1, strides=[1]>
  %op = make_partition_view %ov : partition_view<tile=(16), tensor_view<16xi1, strides=[1]>>
  %z = constant <i32: 0> : tile<i32>
  %v, %t1 = load_view_tko weak %xp[%z] token = %t : partition_view<tile=(16), tensor_view<16xf32, strides=[1]>>, tile<i32> -> tile<16xf32>, token
  `+widen+`
  %b = ftoi `+value+" "+sign+" : tile<16x"+elem+`> -> tile<16xi1>
  %t2 = store_view_tko weak %b, %op[%z] token = %t1 : tile<16xi1>, partition_view<tile=(16), tensor_view<16xi1, strides=[1]>>, tile<i32> -> token
  return
}`)
			x, out := upload(t, d, data), upload(t, d, make([]bool, len(data)))
			if err := launch(t, d, k, [3]uint32{1, 1, 1}, x.Address(), out.Address()); err != nil {
				t.Fatal(err)
			}
			want := slices.Clone(want)
			want[11] = elem != "f16" && elem != "bf16"
			if got := elems[bool](out); !slices.Equal(got, want) {
				t.Errorf("%s %s: %v, want %v", elem, sign, got, want)
			}
		}
	}
}

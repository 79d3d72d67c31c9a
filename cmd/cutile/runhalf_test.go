package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/npy"
)

// secondHalves copies the second tile of a tensor to the first place of another; elements have four bits.
const secondHalves = `entry @k(%x: tile<ptr<f4E2M1FN>>, %y: tile<ptr<f4E2M1FN>>) {
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %vx = make_tensor_view %x, shape = [8], strides = [1] : tensor_view<8xf4E2M1FN, strides=[1]>
  %px = make_partition_view %vx : partition_view<tile=(4), tensor_view<8xf4E2M1FN, strides=[1]>>
  %vy = make_tensor_view %y, shape = [8], strides = [1] : tensor_view<8xf4E2M1FN, strides=[1]>
  %py = make_partition_view %vy : partition_view<tile=(4), tensor_view<8xf4E2M1FN, strides=[1]>>
  %a, %t = load_view_tko weak %px[%one] : partition_view<tile=(4), tensor_view<8xf4E2M1FN, strides=[1]>>, tile<i32> -> tile<4xf4E2M1FN>, token
  %u = store_view_tko weak %a, %py[%zero] : tile<4xf4E2M1FN>, partition_view<tile=(4), tensor_view<8xf4E2M1FN, strides=[1]>>, tile<i32> -> token
  return
}
`

// TestRunHalves: an array of float4_e2m1fn has a byte for each element, as NumPy has it, and the kernel half a byte.
func TestRunHalves(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "k.tileir")
	if err := os.WriteFile(file, []byte(secondHalves), 0o644); err != nil {
		t.Fatal(err)
	}
	x := save(t, filepath.Join(dir, "x.npy"), npy.Float4E2M1FN, func(i int) uint64 { return uint64(i + 3) }, 8)
	y := filepath.Join(dir, "y")
	must(t, "run", file, "-arg", x, "-arg", y+"=float4_e2m1fn:8")
	if got, want := load(t, y+".npy").Data, []byte{7, 8, 9, 10, 0, 0, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("y is %v, want %v", got, want)
	}
	out := must(t, "cost", file, "-arg", x, "-arg", "float4_e2m1fn:8")
	for _, want := range []string{"bytes loaded                     2", "bytes stored                     2"} {
		if !strings.Contains(out, want) {
			t.Errorf("cost prints\n%s\nwant %q", out, want)
		}
	}
}

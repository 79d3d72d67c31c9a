package cpu_test

import (
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// TestLivesThroughLoops: a value from outside a loop that only its beginning uses is there in every iteration, though
// later values of the body could take its place.
func TestLivesThroughLoops(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	in := make([]int32, 16)
	for i := range in {
		in[i] = int32(i*i + 1)
	}
	square := tileir.Tile(tileir.I32, 4, 4)
	turn := func(k *kernel, v *tileir.Value) *tileir.Value {
		return k.one("permute", vals{v}, attrs{"permutation": tileir.Ints{1, 0}}, square)
	}
	got, err := runTiles(t, d, []input{{tileir.I32, bytesOf(in)}}, func(k *kernel, args vals) *tileir.Value {
		outside := turn(k, k.one("reshape", args, nil, square))
		body := k.region([]tileir.Type{tileir.Tile(tileir.I32), square}, func(args vals) {
			sum := turn(k, k.one("addi", vals{args[1], outside}, nil, square))
			for range 4 {
				sum = turn(k, k.one("addi", vals{sum, sum}, nil, square))
			}
			k.opGroups("continue", []vals{{turn(k, sum)}}, nil, nil)
		})
		zero := constant(k, square, int32(0))
		return k.opGroups("for", []vals{{k.i32(0)}, {k.i32(3)}, {k.i32(1)}, {zero}}, nil, []*tileir.Block{body}, square)[0]
	})
	if err != nil {
		t.Fatal(err)
	}
	want := make([]int32, 16)
	for range 3 {
		for i := range 4 {
			for j := range 4 {
				want[i*4+j] = 16 * (want[i*4+j] + in[j*4+i])
			}
		}
	}
	if got := as[int32](got); !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

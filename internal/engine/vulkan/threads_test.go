package vulkan_test

import (
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/tileir/text"
)

// source is a module that reads and writes a variable, prints, asserts, and runs for ever if it is asked to.
const source = `cuda_tile.module @m {
  global @g <i32 : [10, 20]> : tile<2xi32>
  entry @k(%p: tile<ptr<i32>>, %most: tile<i32>, %endless: tile<i1>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %nx, %ny, %nz = get_num_tile_blocks : tile<i32>
    %half = constant <f32: 0.5> : tile<f32>
    print_tko "block %d of %i: %.2f\n", %x, %nx, %half : tile<i32>, tile<i32>, tile<f32> -> token
    %ok = cmpi less_than %x, %most, signed : tile<i32> -> tile<i1>
    assert %ok, "too far" : tile<i1>
    %g = get_global @g : tile<ptr<i32>>
    %h = offset %g, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %v, %t = load_ptr_tko weak %h : tile<ptr<i32>> -> tile<i32>, token
    %w = addi %v, %nx : tile<i32>
    %u = store_ptr_tko weak %h, %w token=%t : tile<ptr<i32>>, tile<i32> -> token
    %q = offset %p, %x : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
    %s = store_ptr_tko weak %q, %v : tile<ptr<i32>>, tile<i32> -> token
    loop {
      %no = constant <i1: 0> : tile<i1>
      %stop = cmpi equal %endless, %no, unsigned : tile<i1> -> tile<i1>
      if %stop {
        break
      }
      continue
    }
  }
}`

// TestThreads runs what package threads makes of a module.
func TestThreads(t *testing.T) {
	m, err := text.Parse(source, text.ParseOptions{File: "m.mlir", Places: true})
	check(t, err)
	in, list := instance(t)
	for i := range list {
		d := openOn(t, in, i, vulkan.Options{Compiler: vulkan.Threads})
		k, err := d.Compile(background, m, "k")
		if !d.Caps().Features.Int64 {
			wants(t, err, "the device has no integers of")
			continue
		}
		check(t, err)
		s := newStream(t, d)
		x := alloc(t, d, s, 2)
		for turn := range uint32(2) { // the variable keeps what was written
			check(t, s.Launch(k, [3]uint32{2, 1, 1}, []uint64{x.Address(), 2, 0}))
			if got := read(t, s, x, 2); !slices.Equal(got, []uint32{10 + 2*turn, 20 + 2*turn}) {
				t.Errorf("turn %d: got %v", turn, got)
			}
		}
		wantOut := "block 0 of 2: 0.50\nblock 1 of 2: 0.50\n"
		if out := d.out.String(); len(out) != 2*len(wantOut) {
			t.Errorf("printed %q", out)
		}
		check(t, s.Launch(k, [3]uint32{2, 1, 1}, []uint64{x.Address(), 1, 0}))
		wants(t, s.Wait(background), "m.mlir:9")
		check(t, s.Launch(k, [3]uint32{2, 1, 1}, []uint64{x.Address(), 2, 1}))
		s.Stop()
		wants(t, s.Wait(background), "stopped")
		check(t, s.Launch(k, [3]uint32{1, 1, 1}, []uint64{x.Address(), 2, 0}))
		check(t, s.Wait(background))
		check(t, k.Close())
	}
}

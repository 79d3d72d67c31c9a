package vulkan_test

import (
	"slices"
	"strings"
	"testing"

	driver "github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/tileir/text"
)

// source is a module that reads and writes a variable, prints, asserts, and runs for ever if it is asked to.
const source = `cuda_tile.module @m {
  global @g <i32 : [10, 20]> : tile<2xi32>
  entry @k(%p: tile<ptr<i32>>, %most: tile<i32>, %endless: tile<i32>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %nx, %ny, %nz = get_num_tile_blocks : tile<i32>
    %half = constant <f32: 0.5> : tile<f32>
    %far = constant <i64: 5000000000> : tile<i64>
    %wide = exti %nx signed : tile<i32> -> tile<i64>
    %long = muli %wide, %far : tile<i64>
    print_tko "block %d of %i: %.2f, %lld\n", %x, %nx, %half, %long : tile<i32>, tile<i32>, tile<f32>, tile<i64> -> token
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
      %no = constant <i32: 0> : tile<i32>
      %stop = cmpi equal %endless, %no, unsigned : tile<i32> -> tile<i1>
      if %stop {
        break
      }
      continue
    }
  }
}`

// TestThreads runs what package threads makes of a module, also on devices without integers of 64 bits.
func TestThreads(t *testing.T) {
	m, err := text.Parse(source, text.ParseOptions{File: "m.mlir", Places: true})
	check(t, err)
	in, list := instance(t)
	for i := range 2 * len(list) {
		adjust := func(d *driver.Info) { d.Features.Int64 = d.Features.Int64 && i < len(list) }
		d := openOn(t, in, i%len(list), vulkan.Options{Compiler: vulkan.Threads, Adjust: adjust})
		k, err := d.Compile(background, m, "k")
		check(t, err)
		s := newStream(t, d)
		x := alloc(t, d, s, 2)
		for turn := range uint32(2) { // the variable keeps what was written
			check(t, s.Launch(k, [3]uint32{2, 1, 1}, []uint64{x.Address(), 2, 0}))
			if got := read(t, s, x, 2); !slices.Equal(got, []uint32{10 + 2*turn, 20 + 2*turn}) {
				t.Errorf("turn %d: got %v", turn, got)
			}
		}
		for _, line := range []string{"block 0 of 2: 0.50, 10000000000\n", "block 1 of 2: 0.50, 10000000000\n"} {
			if out := d.out.String(); len(out) != 4*len(line) || strings.Count(out, line) != 2 {
				t.Errorf("printed %q", out)
			}
		}
		check(t, s.Launch(k, [3]uint32{2, 1, 1}, []uint64{x.Address(), 1, 0}))
		wants(t, s.Wait(background), "m.mlir:12")
		check(t, s.Launch(k, [3]uint32{2, 1, 1}, []uint64{x.Address(), 2, 1}))
		s.Stop()
		wants(t, s.Wait(background), "stopped")
		check(t, s.Launch(k, [3]uint32{1, 1, 1}, []uint64{x.Address(), 2, 0}))
		check(t, s.Wait(background))
		check(t, k.Close())
	}
}

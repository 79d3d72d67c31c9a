package passes_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/tilec/passes"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// tiled stores a tile at the block's own place along axes x and y; nobody asks for the number along z.
const tiled = `entry @k(%p: tile<ptr<f32>>) {
  %x, %y, %z = get_tile_block_id : tile<i32>
  %c = constant <f32: 1.000000e+00> : tile<8x16xf32>
  %v = make_tensor_view %p, shape = [100, 16], strides = [16, 1] : tensor_view<100x16xf32, strides=[16,1]>
  %w = make_partition_view %v : partition_view<tile=(8x16), tensor_view<100x16xf32, strides=[16,1]>>
  %t = store_view_tko weak %c, %w[%x, %y] : tile<8x16xf32>, partition_view<tile=(8x16), tensor_view<100x16xf32, strides=[16,1]>>, tile<i32> -> token
  return
}
`

// TestAlone: a proof names the axes along which the grid is one block, where the kernel asks for the block's number, and that
// number is 0 in the code that relies on it.
func TestAlone(t *testing.T) {
	for _, c := range []struct {
		grid  [3]uint32
		proof passes.Proof
		index string // of the store
	}{
		{[3]uint32{13, 1, 1}, "01y", "%blockId_x, %cst_0_i32"},
		{[3]uint32{12, 1, 7}, "11y", "%blockId_x, %cst_0_i32"},
		{[3]uint32{13, 2, 1}, "00", "%blockId_x, %blockId_y"},
		{[3]uint32{1, 2, 1}, "10x", "%cst_0_i32, %blockId_y"},
		{[3]uint32{1, 1, 5}, "11xy", "%cst_0_i32, %cst_0_i32"},
		{[3]uint32{1, 1, 1}, "11y", "%blockId_x, %cst_0_i32"}, // the code of many blocks
	} {
		m, err := text.Parse(tiled, text.ParseOptions{File: "k.mlir"})
		if err != nil {
			t.Fatal(err)
		}
		e := m.Entries[0]
		proof := passes.Prove(e, ranges.Launch{Grid: c.grid, Bits: make([]uint64, 1)})
		if proof != c.proof {
			t.Errorf("grid %v: the proof is %q, want %q", c.grid, proof, c.proof)
		}
		passes.Promise(e, proof)
		if err := tileir.Verify(m, tileir.Newest); err != nil {
			t.Errorf("grid %v: %v", c.grid, err)
		}
		if text := text.Sprint(m); !strings.Contains(text, "["+c.index+"]") {
			t.Errorf("grid %v: no access at [%s]:\n%s", c.grid, c.index, text)
		}
	}
}

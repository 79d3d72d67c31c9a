package threadtest_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/threads"
)

// TestEdges: accesses through views with extents that are known when the kernel runs, near 0, near the ends of tiles and at the ends of their
// type, by indices of which the compiler knows nothing, the sign, or all.
func TestEdges(t *testing.T) {
	indices := map[string]string{
		"a block": "%i, %i1, %i2 = get_tile_block_id : tile<i32>\n",
		"zero":    "%i = constant <i32: 0> : tile<i32>\n",
		"one":     "%i = constant <i32: 1> : tile<i32>\n",
		"far":     "%i = constant <i32: 16777216> : tile<i32>\n",
		"minus":   "%i = constant <i32: -1> : tile<i32>\n",
		"a great": "%b, %i1, %i2 = get_tile_block_id : tile<i32>\n%g = constant <i32: 4194304> : tile<i32>\n%i = muli %b, %g : tile<i32>\n",
		"any":     "%b, %i1, %i2 = get_tile_block_id : tile<i32>\n%g = constant <i32: 1073741825> : tile<i32>\n%i = muli %b, %g : tile<i32>\n",
	}
	r, err := nativefuzz.NewEngineRunner(10*time.Second, threadtest.Emulator("sm_80", threads.Options{Exact: true, Apart: true}))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for name, index := range indices {
		for _, tile := range []int{1, 256, 4096} {
			for _, by := range []int{1, 256} { // divides the extent
				for _, extent := range []int{math.MinInt32, -tile, -1, 0, 1, tile - 1, tile, tile + 1, 2 * tile, 3*tile - 1, 4096} {
					if extent%by != 0 || extent > 4096 {
						continue
					}
					p := edge(t, index, tile, by, extent)
					if rep, err := r.Run(p); err != nil || rep.Diff != "" || rep.Why != "" {
						t.Errorf("%s, %d of %d elements, divided by %d: %v %+v", name, tile, extent, by, err, rep)
					}
				}
			}
		}
	}
}

// edge makes a program that adds 1 to the elements of a tile.
func edge(t *testing.T, index string, tile, by, extent int) *nativefuzz.Program {
	t.Helper()
	blocks := 1
	if strings.Contains(index, "block_id") {
		blocks = 4
	}
	p, err := nativefuzz.Parse(fmt.Sprintf(`// seed 1
// grid %d 1 1
// param i32 4096 true 0
// param i32 -1 true %d
entry @k(%%a: tile<ptr<i32>>, %%m: tile<i32>) {
	%%n = assume #cuda_tile.div_by<%d>, %%m : tile<i32>
	%s
	%%t = make_tensor_view %%a, shape = [%%n], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
	%%v = make_partition_view %%t : partition_view<tile=(%d), padding_value = zero, tensor_view<?xi32, strides=[1]>>
	%%x, %%r = load_view_tko weak %%v[%%i] : partition_view<tile=(%d), padding_value = zero, tensor_view<?xi32, strides=[1]>>, tile<i32> -> tile<%dxi32>, token
	%%c = constant <i32: 1> : tile<%dxi32>
	%%y = addi %%x, %%c : tile<%dxi32>
	%%s = store_view_tko weak %%y, %%v[%%i] : tile<%dxi32>, partition_view<tile=(%d), padding_value = zero, tensor_view<?xi32, strides=[1]>>, tile<i32> -> token
	return
}
`, blocks, uint32(int32(extent)), by, index, tile, tile, tile, tile, tile, tile, tile))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

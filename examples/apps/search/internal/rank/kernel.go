package rank

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed kernel.go
var source embed.FS

var _ = cutile.Module(source)

// score computes the scalar product of each row of a matrix and the query: R rows in a block, C elements of them at a time. What
// is outside of the matrix reads as zero.
func score[R, C tile.Dim](matrix, query tile.In[tile.F32T2[R, C]], out tile.Out[tile.F32T2[R, tile.D1]]) {
	row := out.Index(0)
	var sum tile.F32T2[R, C]
	for i := range matrix.Tiles(1) {
		sum += matrix.Load(row, i) * query.Load(0, i)
	}
	out.Store(sum.Sum1())
}

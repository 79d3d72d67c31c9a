package rank

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed kernel.go
var source embed.FS

var _ = cutile.Module(source)

// score computes the scalar product of a query and each of R embeddings in a block, C elements of them at a time. What is outside of a
// matrix reads as zero.
func score[R, C tile.Dim](query, embeddings tile.In[tile.F32T2[R, C]], out tile.Out[tile.F32T2[R, tile.D1]]) {
	row := out.Index(0)
	var sum tile.F32T2[R, C]
	for i := range embeddings.Tiles(1) {
		sum += embeddings.Load(row, i) * query.Load(0, i)
	}
	out.Store(sum.Sum1())
}

// scoreAll does so for Q queries: it multiplies their matrix by the transposed matrix of embeddings.
func scoreAll[Q, R, C tile.Dim](queries tile.In[tile.F32T2[Q, C]], embeddings tile.In[tile.F32T2[C, R]], out tile.Out[tile.F32T2[Q, R]]) {
	var sum tile.F32T2[Q, R]
	for i := range queries.Tiles(1) {
		sum = tile.Dot(queries.Load(out.Index(0), i), embeddings.Load(i, out.Index(1)), sum)
	}
	out.Store(sum)
}

package gemm

import (
	"context"
	"fmt"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/tile"
)

// The kernels of this file multiply groups of rows, each by a matrix of its own. bounds says on the device which rows a group has: if room
// is 0, group g has the rows from bounds[g] to bounds[g+1]; else it has room for so many rows and uses the first bounds[g] of them.

// rowsOf are the rows of a group among n. Bounds that make no sense end the kernel.
func rowsOf(bounds tile.In[tile.I32T1[tile.D1]], group, room, n int) (from, to int) {
	first := int(tile.Reshape[tile.I32](bounds.Load(group)))
	if room > 0 {
		tile.Assert(first >= 0 && first <= room, "a count of rows is negative, or greater than the room for them")
		from = group * room
		to = from + min(max(first, 0), room)
	} else {
		from, to = first, int(tile.Reshape[tile.I32](bounds.Load(group+1)))
		tile.Assert(from >= 0 && from <= to && to <= n, "offsets of groups do not ascend from 0 to the number of rows")
	}
	return from, to
}

// groupOf is the group that the t-th tile of rows belongs to, and which of its tiles it is; the group is -1 behind the last tile.
func groupOf[M tile.Dim](bounds tile.In[tile.I32T1[tile.D1]], t, groups, room, n int) (group, i int) {
	group = -1
	for g := range groups {
		from, to := rowsOf(bounds, g, room, n)
		tiles := (to - from + tile.Extent[M]() - 1) / tile.Extent[M]()
		if t >= 0 && t < tiles {
			group, i = g, t
		}
		t -= tiles
	}
	return group, i
}

// Ragged computes c[r] = a[r]·b[group of r] for a [rows, k], b [groups, k, n] and c [rows, n]. A block makes M rows of one group, and N
// columns. The first axis of the grid has at least as many blocks as there are such tiles of rows.
func Ragged[E, C tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile2[E, M, K]], b tile.In[tile.FloatTile3[E, tile.D1, K, N]],
	bounds tile.In[tile.I32T1[tile.D1]], c tile.InOut[tile.FloatTile2[C, M, N]], room int) {
	group, i := groupOf[M](bounds, tile.BlockID(0), b.Len(0), room, a.Len(0))
	if group < 0 {
		return
	}
	j := tile.BlockID(1)
	from, to := rowsOf(bounds, group, room, a.Len(0))
	rows := a.Slice(0, from, to)
	var sum tile.F32T2[M, N]
	for k := range a.Tiles(1) {
		sum = tile.Dot(rows.Load(i, k), tile.Reshape[tile.FloatTile2[E, K, N]](b.Load(group, k, j)), sum)
	}
	c.Slice(0, from, to).Store(tile.FloatTile2[C, M, N](sum), i, j)
}

// RaggedGradient computes the gradient of b for [Ragged]: db[g] = aᵀ·dc over the rows of group g. A block makes M by N elements and takes
// K rows at a time.
//
//cutile:entry
func RaggedGradient[E, C tile.FloatElem, M, N, K tile.Dim](a tile.In[tile.FloatTile2[E, K, M]], dc tile.In[tile.FloatTile2[E, K, N]],
	bounds tile.In[tile.I32T1[tile.D1]], db tile.Out[tile.FloatTile3[C, tile.D1, M, N]], room int) {
	group, i, j := db.Index(0), db.Index(1), db.Index(2)
	from, to := rowsOf(bounds, group, room, a.Len(0))
	x, d := a.Slice(0, from, to), dc.Slice(0, from, to)
	var sum tile.F32T2[M, N]
	for r := range x.Tiles(0) {
		sum = tile.Dot(x.Load(r, i).T(), d.Load(r, j), sum)
	}
	db.Store(tile.Reshape[tile.FloatTile3[C, tile.D1, M, N]](tile.FloatTile2[C, M, N](sum)))
}

// RunRagged queues c[r] = a[r]·b[g] for the rows r of each group g, from offsets[g] to offsets[g+1]: a is [rows, k], b [groups, k, n],
// offsets [groups+1], on the device, and c [rows, n]. Rows before the first offset and from the last one on stay unchanged. Offsets that do
// not ascend from 0 to rows are an error of the running kernel. Sums are float32.
//
// The gradient of a is the same with the gradient of c and b.T(): RunRagged(ctx, on, dc, b.T(), offsets, da).
func RunRagged[E, C Float](ctx context.Context, on cutile.Target, a, b *cutile.Tensor[E], offsets *cutile.Tensor[int32], c *cutile.Tensor[C]) error {
	const name = "gemm.RunRagged"
	n, err := shape.Check(name, shape.Of("a", a, "rows k"), shape.Of("b", b, "groups k n"), shape.Of("offsets", offsets, "groups+1"), shape.Of("c", c, "rows n"))
	if err == nil {
		err = checkOffsets(name, n)
	}
	if err != nil {
		return err
	}
	return runRagged(ctx, on, name, n, 0, a, b, offsets, c)
}

// RunMasked queues c[g, r] = a[g, r]·b[g] for the first counts[g] rows of each group g: a is [groups, room, k], b [groups, k, n], counts
// [groups], on the device, and c [groups, room, n]. Other rows stay unchanged. A count that is negative or greater than room is an error of
// the running kernel. Sums are float32.
//
// The gradient of a is the same with the gradient of c and b.T().
func RunMasked[E, C Float](ctx context.Context, on cutile.Target, a, b *cutile.Tensor[E], counts *cutile.Tensor[int32], c *cutile.Tensor[C]) error {
	const name = "gemm.RunMasked"
	n, err := shape.Check(name, shape.Of("a", a, "groups room k"), shape.Of("b", b, "groups k n"), shape.Of("counts", counts, "groups"), shape.Of("c", c, "groups room n"))
	if err == nil && !(a.IsContiguous() && c.IsContiguous()) {
		err = shape.Wrong(name, "a has strides %v and c %v, expected contiguous elements", a.Strides(), c.Strides())
	}
	if err != nil || n["room"] == 0 {
		return err
	}
	n["rows"] = n["groups"] * n["room"]
	return runRagged(ctx, on, name, n, n["room"], a.Reshape(n["rows"], n["k"]), b, counts, c.Reshape(n["rows"], n["n"]))
}

// runRagged launches [Ragged] with as many blocks as any bounds can need.
func runRagged[E, C Float](ctx context.Context, on cutile.Target, name string, n shape.Extents, room int, a, b *cutile.Tensor[E],
	bounds *cutile.Tensor[int32], c *cutile.Tensor[C]) error {
	t := raggedBlock[E](n)
	on, err := shape.Grid(name, on, shape.Tiles(n["rows"], t.m)+n["groups"], shape.Tiles(n["n"], t.n))
	if err != nil || n["n"]*n["groups"] == 0 {
		return err
	}
	return cutile.Launch(ctx, on, cutile.Sized(Ragged[E, C, one, one, one], t.m, t.n, t.k), a, b, bounds, c, room)
}

// raggedBlock has few rows, as groups are as long as they are.
func raggedBlock[E Float](n shape.Extents) block {
	n["m"] = min(n["rows"], 64)
	t := blockFor[E](n)
	return block{t.m, shape.Fit(n["n"], 16, 128), t.k}
}

// RaggedWeights queues db, the gradient of b for [RunRagged], given a and dc, the gradient of c: zeros for groups without rows.
func RaggedWeights[E, C Float](ctx context.Context, on cutile.Target, a, dc *cutile.Tensor[E], offsets *cutile.Tensor[int32], db *cutile.Tensor[C]) error {
	const name = "gemm.RaggedWeights"
	n, err := shape.Check(name, shape.Of("a", a, "rows k"), shape.Of("dc", dc, "rows n"), shape.Of("offsets", offsets, "groups+1"), shape.Of("db", db, "groups k n"))
	if err == nil {
		err = checkOffsets(name, n)
	}
	if err != nil {
		return err
	}
	return raggedGradient(ctx, on, n, 0, a, dc, offsets, db)
}

// MaskedWeights queues db, the gradient of b for [RunMasked], given a and dc, the gradient of c: zeros for groups without rows.
func MaskedWeights[E, C Float](ctx context.Context, on cutile.Target, a, dc *cutile.Tensor[E], counts *cutile.Tensor[int32], db *cutile.Tensor[C]) error {
	const name = "gemm.MaskedWeights"
	n, err := shape.Check(name, shape.Of("a", a, "groups room k"), shape.Of("dc", dc, "groups room n"), shape.Of("counts", counts, "groups"), shape.Of("db", db, "groups k n"))
	if err == nil && !(a.IsContiguous() && dc.IsContiguous()) {
		err = shape.Wrong(name, "a has strides %v and dc %v, expected contiguous elements", a.Strides(), dc.Strides())
	}
	if err != nil {
		return err
	}
	if n["room"] == 0 {
		return db.Fill(ctx, *new(C))
	}
	rows := n["groups"] * n["room"]
	return raggedGradient(ctx, on, n, n["room"], a.Reshape(rows, n["k"]), dc.Reshape(rows, n["n"]), counts, db)
}

func raggedGradient[E, C Float](ctx context.Context, on cutile.Target, n shape.Extents, room int, a, dc *cutile.Tensor[E], bounds *cutile.Tensor[int32],
	db *cutile.Tensor[C]) error {
	k := cutile.Sized(RaggedGradient[E, C, one, one, one], shape.Fit(n["k"], 16, 64), shape.Fit(n["n"], 16, 64), 64)
	return cutile.Launch(ctx, on, k, a, dc, bounds, db, room)
}

func checkOffsets(function string, n shape.Extents) error {
	if n["groups+1"] != n["groups"]+1 {
		return shape.Wrong(function, "there are %d offsets for %d groups, expected %d", n["groups+1"], n["groups"], n["groups"]+1)
	}
	return nil
}

// at is the name of an element of a list.
func at(list string, i int) string { return fmt.Sprintf("%s[%d]", list, i) }

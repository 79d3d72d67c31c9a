package parallel

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dist"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/tile"
)

// Float lists the element types of the results of layers: those that package gemm computes and package dist sums.
type Float interface {
	dtype.Float16 | dtype.BFloat16 | float32
}

// Activation is a function that becomes part of a kernel, such as gemm.ReLU[tile.F32T2[tile.D1, tile.D1]].
type Activation = func(tile.F32T2[tile.D1, tile.D1]) tile.F32T2[tile.D1, tile.D1]

// ColumnLinear queues y = f(x·wᵀ + bias) for a linear layer of which each process has a part of the outputs: rows of the weights.
// (M. Shoeybi and others, Megatron-LM, 2019.) For P processes, w is [out/P, in] and bias [out/P], or nil for a layer without one; f may be nil. The shapes
// of the other tensors say what is sent:
//
//   - x [tokens, in], the same in all processes: nothing; or x [tokens/P, in], part r of the tokens in rank r, without gaps: they are gathered (AllGather)
//   - y [tokens, out/P], part r of the outputs in rank r: nothing; or y [tokens, out]: all outputs are gathered (AllGather)
//
// All processes call it with tensors of the same shapes. Launches are queued on the default stream of the group's device; sums are float32.
func ColumnLinear[E gemm.Float, B, C Float](ctx context.Context, g *dist.Group, x, w *device.Tensor[E], bias *device.Tensor[B], y *device.Tensor[C], f Activation) error {
	const name = "ColumnLinear"
	l, err := columnLayer(ctx, name, g, x, w, arg("y", y, "tokens, out"))
	if err == nil && bias != nil {
		err = check(ctx, name, g, arg("bias", bias, "out/P", l.out))
	}
	if err != nil || y.Len() == 0 {
		return err
	}
	var work workspace
	defer work.close() // after the launches
	if x, err = allRows(ctx, &work, g, x, l.scattered); err != nil {
		return err
	}
	part := y
	if l.joined {
		part = room[C](&work, g.Device(), l.tokens, l.out)
	}
	if work.err != nil {
		return work.err
	}
	if err := gemm.RunLinear(ctx, g.Device(), x, w, bias, part, f); err != nil || !l.joined {
		return err
	}
	return allColumns(ctx, &work, g, part, y)
}

// RowLinear queues y = f(Σ x·wᵀ + bias) for a linear layer of which each process has a part of the inputs: columns of the weights. The sum is over
// the processes. For P processes, x is [tokens, in/P], as [ColumnLinear] leaves it, w [out, in/P], and bias [out], the same in all processes, or nil.
// f may be nil. The shape of y says what is sent:
//
//   - y [tokens, out]: each process gets the whole sum (AllReduce)
//   - y [tokens/P, out]: rank r gets the sum of part r of the tokens (ReduceScatter)
//
// Each process rounds its product to C before the sum. bias and f come behind the sum. All processes call it with tensors of the same shapes. y must be contiguous.
func RowLinear[E gemm.Float, B, C Float](ctx context.Context, g *dist.Group, x, w *device.Tensor[E], bias *device.Tensor[B], y *device.Tensor[C], f Activation) error {
	const name = "RowLinear"
	l, err := rowLayer(ctx, name, g, x, w, arg("y", y, "tokens, out"))
	if err == nil && bias != nil {
		err = check(ctx, name, g, arg("bias", bias, "out", l.out))
	}
	if err == nil && !y.IsContiguous() {
		err = wrong(name, "y has the strides %v, so there are gaps: use what the Contiguous method returns", y.Strides())
	}
	if err != nil || y.Len() == 0 {
		return err
	}
	var work workspace
	defer work.close()
	if err := summed(ctx, &work, g, l.scattered, y, func(to *device.Tensor[C]) error {
		return gemm.RunLinear(ctx, g.Device(), x, w, (*device.Tensor[B])(nil), to, nil)
	}); err != nil {
		return err
	}
	m, n := fit(y.Shape()[0], 16, 32), fit(l.out, 16, 64)
	switch {
	case bias != nil:
		if f == nil {
			f = gemm.Identity[tile.F32T2[tile.D1, tile.D1]]
		}
		return cutile.Launch(ctx, g.Device(), cutile.Sized(biased[B, C, tile.D1, tile.D1], m, n), y, bias, f)
	case f != nil:
		return cutile.Launch(ctx, g.Device(), cutile.Sized(activated[C, tile.D1, tile.D1], m, n), y, f)
	}
	return nil
}

// summed lets a product be computed, and sums that of all processes to y: all of it, or with scattered part r of its rows.
func summed[C Float](ctx context.Context, work *workspace, g *dist.Group, scattered bool, y *device.Tensor[C], product func(to *device.Tensor[C]) error) error {
	to := y
	if scattered {
		to = room[C](work, g.Device(), y.Shape()[0]*g.Size(), y.Shape()[1])
	}
	if work.err != nil {
		return work.err
	}
	if err := product(to); err != nil {
		return err
	}
	if scattered {
		return dist.ReduceScatter(ctx, g, dist.Sum, y, to)
	}
	if g.Size() == 1 {
		return nil
	}
	return dist.AllReduce(ctx, g, dist.Sum, y, y)
}

// allRows gathers the rows of all processes, if they are scattered.
func allRows[E dtype.Elem](ctx context.Context, work *workspace, g *dist.Group, x *device.Tensor[E], scattered bool) (*device.Tensor[E], error) {
	if !scattered {
		return x, nil
	}
	all := room[E](work, g.Device(), x.Shape()[0]*g.Size(), x.Shape()[1])
	if work.err != nil {
		return nil, work.err
	}
	return all, dist.AllGather(ctx, g, all, x)
}

// allColumns gathers the columns of all processes.
func allColumns[C Float](ctx context.Context, work *workspace, g *dist.Group, part, y *device.Tensor[C]) error {
	tokens, columns := part.Shape()[0], part.Shape()[1]
	parts := room[C](work, g.Device(), g.Size(), tokens, columns)
	if work.err != nil {
		return work.err
	}
	if err := dist.AllGather(ctx, g, parts, part); err != nil {
		return err
	}
	m, n := fit(tokens, 16, 32), fit(columns, 16, 64)
	return cutile.Launch(ctx, g.Device(), cutile.Sized(joinColumns[C, tile.D1, tile.D1], m, n), parts, y.Reshape(tokens, g.Size(), columns))
}

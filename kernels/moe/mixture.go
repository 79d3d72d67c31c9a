package moe

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/kernels/internal/shape"
	"github.com/cutile-go/cutile/kernels/pointwise"
)

// Mixture is a feed-forward layer with experts, of which each token x has Share: it gives the weighted sum of what these make of x. An expert
// with the matrices [G, U] of Up and D of Down makes (g(x·G)·(x·U))·D. The logits of the experts are x·Gates, in float32.
type Mixture[E Float] struct {
	Gates *cutile.Tensor[E]       // [k, experts]
	Bias  *cutile.Tensor[float32] // [experts], for the choice alone; nil means zeros
	Up    *cutile.Tensor[E]       // [experts, k, 2n]
	Down  *cutile.Tensor[E]       // [experts, n, k]

	Router Router
	Share  int
	Gate   pointwise.Gate // g, such as pointwise.SwiGLU
}

// MixtureGradients receive the gradients of the tensors of a [Mixture], and have their shapes.
type MixtureGradients[E Float] struct {
	Gates, Up, Down *cutile.Tensor[E]
}

func (m Mixture[E]) check(function string, on cutile.Target, args ...shape.Arg) (shape.Extents, error) {
	args = append(args, shape.Of("m.Gates", m.Gates, "k experts"), shape.Of("m.Up", m.Up, "experts k 2n"), shape.Of("m.Down", m.Down, "experts n k"))
	if m.Bias != nil {
		args = append(args, shape.Of("m.Bias", m.Bias, "experts"))
	}
	n, err := shape.Check(function, args...)
	if err == nil {
		_, err = shape.Grid(function, on, 1) // the kernels choose their grids
	}
	switch {
	case err != nil:
		return nil, err
	case n["2n"] != 2*n["n"]:
		return nil, shape.Wrong(function, "m.Up has %d columns and m.Down %d rows, expected twice as many columns", n["2n"], n["n"])
	case n["experts"] > mostExperts:
		return nil, shape.Wrong(function, "there are %d experts, expected at most %d", n["experts"], mostExperts)
	case m.Share < 1 || m.Share > min(n["experts"], mostShare):
		return nil, shape.Wrong(function, "m.Share is %d, expected 1 to %d for %d experts", m.Share, min(n["experts"], mostShare), n["experts"])
	case m.Gate.Value == nil || m.Gate.Slope == nil:
		return nil, shape.Wrong(function, "m.Gate has no functions, expected pointwise.SwiGLU or another Gate")
	}
	return n, nil
}

// memory makes tensors that are closed together, after the kernels that are queued. After an error it makes none.
type memory struct {
	dev  *cutile.Device
	free []func() error
	err  error
}

func tensorOf[E dtype.Elem](m *memory, shape ...int) *cutile.Tensor[E] {
	if m.err != nil {
		return nil
	}
	var t *cutile.Tensor[E]
	if t, m.err = cutile.NewTensor[E](m.dev, shape...); m.err != nil {
		return nil
	}
	m.free = append(m.free, t.Close)
	return t
}

func (m *memory) close() {
	for _, f := range m.free {
		f()
	}
}

// inOrder calls functions until one fails.
func inOrder(steps ...func() error) error {
	for _, f := range steps {
		if err := f(); err != nil {
			return err
		}
	}
	return nil
}

// results are what the kernels of a mixture compute, one after the other.
type results[E Float] struct {
	order                    *Order
	logits, weights          *cutile.Tensor[float32]
	ids                      *cutile.Tensor[int32]
	rows, both, middle, last *cutile.Tensor[E]
}

func resultsOf[E Float](to *memory, n shape.Extents, share int) *results[E] {
	tokens, pairs := n["tokens"], n["tokens"]*share
	r := &results[E]{
		logits: tensorOf[float32](to, tokens, n["experts"]), weights: tensorOf[float32](to, tokens, share), ids: tensorOf[int32](to, tokens, share),
		rows: tensorOf[E](to, pairs, n["k"]), both: tensorOf[E](to, pairs, n["2n"]), middle: tensorOf[E](to, pairs, n["n"]), last: tensorOf[E](to, pairs, n["k"]),
	}
	if to.err == nil {
		if r.order, to.err = NewOrder(to.dev, tokens, share, n["experts"]); to.err == nil {
			to.free = append(to.free, r.order.Close)
		}
	}
	return r
}

// halves are those of rows that have a gate and another number for each column.
func halves[E Float](x *cutile.Tensor[E]) (gate, up *cutile.Tensor[E]) {
	n := x.Shape()[1] / 2
	return x.Narrow(1, 0, n), x.Narrow(1, n, 2*n)
}

// run queues all but the sum.
func (m Mixture[E]) run(ctx context.Context, on cutile.Target, x *cutile.Tensor[E], r *results[E]) error {
	gate, up := halves(r.both)
	return inOrder(
		func() error { return gemm.Run(ctx, on, x, m.Gates, r.logits) },
		func() error { return RunChoose(ctx, on, m.Router, r.logits, m.Bias, r.ids, r.weights) },
		func() error { return RunSort(ctx, on, r.order, r.ids) },
		func() error { return RunSpread(ctx, on, r.order, x, nil, r.rows) },
		func() error { return gemm.RunRagged(ctx, on, r.rows, m.Up, r.order.Offsets(), r.both) },
		func() error { return pointwise.RunGated(ctx, on, m.Gate, gate, up, r.middle) },
		func() error { return gemm.RunRagged(ctx, on, r.middle, m.Down, r.order.Offsets(), r.last) },
	)
}

// RunMixture queues y = the mixture of each token of x, both [tokens, k]. The host waits for nothing: which experts there are for which tokens
// stays on the device. Sums are float32, and what one step gives the next is rounded to E, except for logits and weights.
func RunMixture[E Float](ctx context.Context, on cutile.Target, m Mixture[E], x, y *cutile.Tensor[E]) error {
	n, err := m.check("moe.RunMixture", on, shape.Of("x", x, "tokens k"), shape.Of("y", y, "tokens k"))
	if err != nil || y.Len() == 0 {
		return err
	}
	to := &memory{dev: y.Device()}
	defer to.close()
	r := resultsOf[E](to, n, m.Share)
	if to.err != nil {
		return to.err
	}
	if err := m.run(ctx, on, x, r); err != nil {
		return err
	}
	return RunCollect(ctx, on, r.order, r.last, r.weights, y)
}

// RunMixtureBackward queues the gradients of x and of the tensors of a mixture for [RunMixture], given dy [tokens, k], the gradient of y. It
// computes the mixture again. The choice of experts, and thus the bias, has no gradient. Experts without tokens get zeros.
func RunMixtureBackward[E Float](ctx context.Context, on cutile.Target, m Mixture[E], x, dy, dx *cutile.Tensor[E], to MixtureGradients[E]) error {
	n, err := m.check("moe.RunMixtureBackward", on, shape.Of("x", x, "tokens k"), shape.Of("dy", dy, "tokens k"), shape.Of("dx", dx, "tokens k"),
		shape.Of("to.Gates", to.Gates, "k experts"), shape.Of("to.Up", to.Up, "experts k 2n"), shape.Of("to.Down", to.Down, "experts n k"))
	if err != nil {
		return err
	}
	mem := &memory{dev: dx.Device()}
	defer mem.close()
	r, d := resultsOf[E](mem, n, m.Share), resultsOf[E](mem, n, m.Share)
	dlogits := tensorOf[E](mem, n["tokens"], n["experts"])
	if mem.err != nil {
		return mem.err
	}
	gate, up := halves(r.both)
	dgate, dup := halves(d.both)
	o := r.order
	return inOrder(
		func() error { return m.run(ctx, on, x, r) },
		func() error { return RunWeightGradient(ctx, on, o, r.last, dy, d.weights) },
		func() error { return RunSpread(ctx, on, o, dy, r.weights, d.last) },
		func() error { return gemm.RaggedWeights(ctx, on, r.middle, d.last, o.Offsets(), to.Down) },
		func() error { return gemm.RunRagged(ctx, on, d.last, m.Down.T(), o.Offsets(), d.middle) },
		func() error { return pointwise.RunGatedBackward(ctx, on, m.Gate, d.middle, gate, up, dgate, dup) },
		func() error { return gemm.RaggedWeights(ctx, on, r.rows, d.both, o.Offsets(), to.Up) },
		func() error { return gemm.RunRagged(ctx, on, d.both, m.Up.T(), o.Offsets(), d.rows) },
		func() error { return RunCollect(ctx, on, o, d.rows, nil, dx) },
		func() error { return RunChooseBackward(ctx, on, m.Router, r.logits, r.ids, d.weights, dlogits) },
		func() error { return gemm.RunScaled(ctx, on, 1, dlogits, m.Gates.T(), 1, dx) },
		func() error { return gemm.Run(ctx, on, x.T(), dlogits, to.Gates) },
	)
}

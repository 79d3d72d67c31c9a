package conv

import (
	"context"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/window"
)

// RunTransposed queues y = f(the transposed convolution of x + bias): each element of x is multiplied by a window of weights, which is
// added to y where a convolution with the same options would read it. x is [batch, features, spatial …] and w [features, channels/Groups,
// window …], which are those of the result and of the weights of that convolution, and y is [batch, channels, spatial …]. Along each axis,
// y may have any extent from which the convolution makes that of x: these are Stride many, from (x's - 1)·Stride - Low - High +
// (window - 1)·Dilation + 1 on. bias [channels] and f may be nil.
func RunTransposed[E Float](ctx context.Context, on cutile.Target, x, w, bias, y *cutile.Tensor[E], o Options, f Func) error {
	const name = "conv.RunTransposed"
	r := roles[E]{input: y, weights: w, result: x, inputName: "y", weightsName: "w", resultName: "x", swapped: true}
	p, err := check(name, r, o, bias, "channels")
	if err != nil || y.Len() == 0 {
		return err
	}
	return transposed(ctx, on, name, p, r, bias, f)
}

// transposed queues the convolution whose result is r.input. Outputs that are a stride apart depend on the same weights: each such phase
// is a convolution of its own with steps of 1, so that nothing is multiplied by zeros.
func transposed[E Float](ctx context.Context, on cutile.Target, name string, p problem, r roles[E], bias *cutile.Tensor[E], f Func) error {
	bias, free, err := biasOf(r.input.Device(), bias, p.groups, p.inner)
	if err != nil {
		return err
	}
	defer free() // after the kernels
	x, w, y := window.Planar(r.result), window.Planar(r.weights), window.Planar(r.input)
	if p.pointwise() {
		n := p.y.Places * p.x.Places
		from, to := x.Reshape(p.batch, p.groups, p.features, n), y.Reshape(p.batch, p.groups, p.inner, n)
		weights := w.Reshape(p.groups, p.features, p.inner).T()
		if from.Err() == nil && to.Err() == nil && weights.Err() == nil {
			return pointwise(ctx, on, name, from, weights, bias, to, f)
		}
	}
	if err := near(name, r.weightsName, w); err != nil {
		return err
	}
	for i := range min(p.y.Stride, p.y.Size) {
		for j := range min(p.x.Stride, p.x.Size) {
			c := crossing{p, phaseOf(p.y, i), phaseOf(p.x, j)}
			if err := inPhase(ctx, on, name, c, x, w, bias, y, r, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// phase are the elements first, first+stride … of an axis of a convolution's input, and the elements of windows that reach them: start,
// start+step … The t-th one is reached from the place t + shift - n·apart by the n-th of these.
type phase struct {
	first, count      int
	start, step, taps int
	shift, apart      int
}

func phaseOf(a window.Axis, first int) phase {
	common := gcd(a.Dilation, a.Stride)
	p := phase{first: first, count: (a.Size - first + a.Stride - 1) / a.Stride, step: a.Stride / common, apart: a.Dilation / common}
	for p.start = range p.step {
		if d := first + a.Low - p.start*a.Dilation; d%a.Stride == 0 {
			p.shift, p.taps = d/a.Stride, max(0, (a.Window-p.start+p.step-1)/p.step)
			break
		}
	}
	return p
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// crossing is a phase of both axes of a convolution.
type crossing struct {
	problem
	v, h phase
}

// inPhase queues the outputs of a phase.
func inPhase[E Float](ctx context.Context, on cutile.Target, name string, c crossing, x, w, bias, y *cutile.Tensor[E], r roles[E], f Func) error {
	s := w.Strides()
	matrix, err := cutile.NewTensor[E](w.Device(), c.groups, c.inner, c.features*c.v.taps*c.h.taps)
	if err != nil {
		return err
	}
	defer matrix.Close() // after the kernels
	if err := arranged(ctx, on, w, c.taps(s[0], s[2]*c.v.step, s[3]*c.h.step, s[2]*c.v.start+s[3]*c.h.start), s[0]*c.features, s[1], matrix); err != nil {
		return err
	}
	return inParts(name, x, y, r.resultName, r.inputName, func(x, y *cutile.Tensor[E]) error {
		xs := x.Strides()
		return launch[E]{x: x, from: c.source(xs), taps: c.taps(xs[1], -xs[2]*c.v.apart, -xs[3]*c.h.apart, 0), weights: matrix, bias: bias,
			y: y, to: c.target(y.Strides()), batch: y.Shape()[0]}.queue(ctx, on, name, f)
	})
}

// taps are those of the phase, in the order of weights in memory: feature by feature, row by row.
func (c crossing) taps(feature, down, right, first int) []tap {
	list := make([]tap, 0, c.features*c.v.taps*c.h.taps)
	for k := range c.features {
		for i := range c.v.taps {
			for j := range c.h.taps {
				list = append(list, tap{first + k*feature + i*down + j*right, -i * c.v.apart, -j * c.h.apart})
			}
		}
	}
	return list
}

// source says where the windows of the phase lie in the convolution's result, which has strides.
func (c crossing) source(s []int) Source {
	return Source{Batch: int32(s[0]), Group: int32(s[1] * c.features), Y: int32(s[2]), X: int32(s[3]), Rows: int32(c.y.Places), Cols: int32(c.x.Places),
		StepY: 1, StepX: 1, LowY: int32(-c.v.shift), LowX: int32(-c.h.shift)}
}

// target says where the outputs of the phase lie in the convolution's input, which has strides.
func (c crossing) target(s []int) Target {
	t := target(s, c.inner, c.v.count, c.h.count)
	t.First = int32(c.v.first*s[2] + c.h.first*s[3])
	t.Y, t.X = t.Y*int32(c.y.Stride), t.X*int32(c.x.Stride)
	return t
}

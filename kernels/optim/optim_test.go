package optim_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/optim"
)

// memory is the reference's state of one weight.
type memory struct{ p, m, v float64 }

// rule is one step of a method, on a tensor and, in float64, on one weight.
type rule[E optim.Float] struct {
	name  string
	plain bool // m is not used
	run   func(t *testing.T, dev *cutile.Device, step int, p, m, v *cutile.Tensor[float32], g, w *cutile.Tensor[E]) error
	host  func(step int, s *memory, g float64)
}

func sgd[E optim.Float](name string, o optim.SGDOptions) rule[E] {
	return rule[E]{name, o.Momentum == 0, func(t *testing.T, dev *cutile.Device, _ int, p, m, _ *cutile.Tensor[float32], g, w *cutile.Tensor[E]) error {
		if o.Momentum == 0 {
			m = nil
		}
		return optim.SGD(t.Context(), dev, p, m, g, w, o)
	}, func(_ int, s *memory, g float64) {
		g += float64(o.Decay) * s.p
		s.m = float64(o.Momentum)*s.m + g
		d := s.m
		if o.Nesterov {
			d = g + float64(o.Momentum)*s.m
		}
		s.p -= float64(o.Rate) * d
	}}
}

func adam[E optim.Float](name string, apart bool, o optim.AdamOptions) rule[E] {
	return rule[E]{name, false, func(t *testing.T, dev *cutile.Device, step int, p, m, v *cutile.Tensor[float32], g, w *cutile.Tensor[E]) error {
		if apart {
			return optim.AdamW(t.Context(), dev, step, p, m, v, g, w, o)
		}
		return optim.Adam(t.Context(), dev, step, p, m, v, g, w, o)
	}, func(step int, s *memory, g float64) {
		b1, b2 := float64(o.Beta1), float64(o.Beta2)
		if apart {
			s.p -= float64(o.Rate) * float64(o.Decay) * s.p
		} else {
			g += float64(o.Decay) * s.p
		}
		s.m, s.v = b1*s.m+(1-b1)*g, b2*s.v+(1-b2)*g*g
		mean, square := s.m/(1-math.Pow(b1, float64(step))), s.v/(1-math.Pow(b2, float64(step)))
		s.p -= float64(o.Rate) * mean / (math.Sqrt(square) + float64(o.Epsilon))
	}}
}

func lion[E optim.Float](o optim.LionOptions) rule[E] {
	return rule[E]{"Lion", false, func(t *testing.T, dev *cutile.Device, _ int, p, m, _ *cutile.Tensor[float32], g, w *cutile.Tensor[E]) error {
		return optim.Lion(t.Context(), dev, p, m, g, w, o)
	}, func(_ int, s *memory, g float64) {
		way := float64(o.Beta1)*s.m + (1-float64(o.Beta1))*g
		sign := 0.0
		if way != 0 {
			sign = math.Copysign(1, way)
		}
		s.p -= float64(o.Rate) * (sign + float64(o.Decay)*s.p)
		s.m = float64(o.Beta2)*s.m + (1-float64(o.Beta2))*g
	}}
}

func rules[E optim.Float]() []rule[E] {
	usual := optim.AdamOptions{Rate: 0.01, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Decay: 0.1}
	return []rule[E]{
		sgd[E]("SGD", optim.SGDOptions{Rate: 0.1, Decay: 0.01}),
		sgd[E]("momentum", optim.SGDOptions{Rate: 0.1, Momentum: 0.9, Decay: 0.01}),
		sgd[E]("Nesterov", optim.SGDOptions{Rate: 0.1, Momentum: 0.9, Nesterov: true}),
		adam[E]("Adam", false, usual), adam[E]("AdamW", true, usual),
		lion[E](optim.LionOptions{Rate: 0.01, Beta1: 0.9, Beta2: 0.99, Decay: 0.1}),
	}
}

// steps runs three steps of each rule, with and without the copy of the weights; some gradients are 0.
func steps[E interface {
	optim.Float
	kerneltest.Num
}](t *testing.T, rounding float64) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, rule := range rules[E]() {
		for _, dims := range [][]int{{1}, {3, 700}, {0, 4}} {
			p, ps := kerneltest.Random[float32](t, dev, r, dims...)
			m, _ := kerneltest.Tensor[float32](t, dev, make([]float64, len(ps)), dims...)
			v, _ := kerneltest.Tensor[float32](t, dev, make([]float64, len(ps)), dims...)
			state := make([]memory, len(ps))
			for i := range state {
				state[i].p = ps[i]
			}
			for step := 1; step <= 3; step++ {
				g, gs := kerneltest.Random[E](t, dev, r, dims...)
				if len(gs) > 5 {
					kerneltest.Must(t, g.Flatten().Narrow(0, 3, 5).Fill(t.Context(), *new(E)))
					gs[3], gs[4] = 0, 0
				}
				w := kerneltest.New[E](t, dev, dims...)
				if step == 2 {
					w = nil
				}
				kerneltest.Must(t, rule.run(t, dev, step, p, m, v, g, w))
				want, mean := make([]float64, len(ps)), make([]float64, len(ps))
				for i := range state {
					rule.host(step, &state[i], gs[i])
					want[i], mean[i] = state[i].p, state[i].m
				}
				what := fmt.Sprint(rule.name, " ", dims, " step ", step)
				kerneltest.Near(t, what, p, want, 2e-6)
				if !rule.plain {
					kerneltest.Near(t, what+": m", m, mean, 2e-6)
				}
				if w != nil {
					kerneltest.Near(t, what+": w", w, want, rounding)
				}
			}
		}
	}
}

func TestSteps(t *testing.T) {
	t.Run("float32", func(t *testing.T) { steps[float32](t, 2e-6) })
	t.Run("bfloat16", func(t *testing.T) { steps[dtype.BFloat16](t, 4e-3) })
}

// TestExtremes: a first step of Adam has the size of the rate for gradients of any size, and NaN is not hidden.
func TestExtremes(t *testing.T) {
	dev := kerneltest.CPU(t)
	for _, c := range []struct{ g, want float64 }{{1e-15, -1e-2}, {1e15, -1e-2}, {-1e15, 1e-2}, {0, 0}, {math.NaN(), math.NaN()}} {
		zero := func() *cutile.Tensor[float32] {
			x, _ := kerneltest.Tensor[float32](t, dev, []float64{0}, 1)
			return x
		}
		g, _ := kerneltest.Tensor[float32](t, dev, []float64{c.g}, 1)
		p := zero()
		kerneltest.Must(t, optim.AdamW(t.Context(), dev, 1, p, zero(), zero(), g, nil, optim.AdamOptions{Rate: 1e-2, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-30}))
		kerneltest.Near(t, fmt.Sprint("AdamW of ", c.g), p, []float64{c.want}, 1e-7)
		p = zero()
		kerneltest.Must(t, optim.Lion(t.Context(), dev, p, zero(), g, nil, optim.LionOptions{Rate: 1e-2, Beta1: 0.9, Beta2: 0.99}))
		kerneltest.Near(t, fmt.Sprint("Lion of ", c.g), p, []float64{c.want}, 1e-7)
	}
}

func TestMistakes(t *testing.T) {
	dev, ctx := kerneltest.CPU(t), t.Context()
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	kerneltest.Mismatch(t, optim.SGD(ctx, dev, x(2), nil, x(3), x(4), optim.SGDOptions{}),
		"optim.SGD: g has shape [3], expected [2], that of p", "optim.SGD: w has shape [4], expected [2], that of p")
	kerneltest.Mismatch(t, optim.SGD(ctx, dev, x(2), nil, x(2), nil, optim.SGDOptions{Momentum: 1}), "optim.SGD: m is nil, expected a tensor")
	kerneltest.Mismatch(t, optim.SGD(ctx, dev, x(2), x(2), x(2), nil, optim.SGDOptions{}),
		"optim.SGD: m is a tensor, but Momentum is 0: give a Momentum, or nil")
	kerneltest.Mismatch(t, optim.SGD(ctx, dev, x(2), nil, x(2), nil, optim.SGDOptions{Nesterov: true}), "optim.SGD: Nesterov needs a Momentum")
	kerneltest.Mismatch(t, optim.Adam(ctx, dev, 0, x(2), x(2), x(2), x(2), nil, optim.AdamOptions{}),
		"optim.Adam: step is 0, expected 1 for the first step")
	kerneltest.Mismatch(t, optim.AdamW(ctx, dev, 1, x(2), x(2), x(2), x(2), nil, optim.AdamOptions{Beta1: 1}),
		"optim.AdamW: Beta1 is 1 and Beta2 is 0, expected at least 0 and less than 1")
	kerneltest.Mismatch(t, optim.Lion(ctx, dev, x(2), x(2), x(2), nil, optim.LionOptions{Beta2: -1}),
		"optim.Lion: Beta1 is 0 and Beta2 is -1, expected at least 0 and less than 1")
	if err := optim.SGD(ctx, dev, x(2, 3).T(), nil, x(3, 2), nil, optim.SGDOptions{Rate: 1}); err == nil {
		t.Error("a transposed view is taken for a row of weights")
	}
}

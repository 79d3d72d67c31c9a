package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist"
)

func openCPU(t *testing.T, opts ...cutile.Option) *cutile.Device {
	t.Helper()
	dev, err := cutile.Open("cpu", append(opts, cutile.WithChecks())...)
	check(t, err)
	t.Cleanup(func() { check(t, dev.Close()) })
	return dev
}

// group is that of a process alone.
func group(t *testing.T, dev *cutile.Device, opts ...dist.Option) *dist.Group {
	t.Helper()
	g, err := dist.Join(context.Background(), dev, opts...)
	check(t, err)
	t.Cleanup(func() { check(t, g.Close()) })
	return g
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func slice[E float32 | int32](t *testing.T, x *cutile.Tensor[E]) []E {
	t.Helper()
	s, err := x.Slice()
	check(t, err)
	return s
}

func matrixFrom(t *testing.T, x floats) matrix {
	t.Helper()
	rows, cols := 1, x.Len()
	if x.Rank() == 2 {
		rows, cols = x.Shape()[0], x.Shape()[1]
	}
	return matrixOf(slice(t, x), rows, cols)
}

func normal(r *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

// near compares with a reference. The kernels add up to 128 numbers of about 1 in float32, which has 24 bits, so the
// error is a few times 2^-24. Leaving out a number would cause a much greater error.
func near(t *testing.T, what string, got floats, want matrix) {
	t.Helper()
	g := slice(t, got)
	if len(g) != len(want.x) {
		t.Fatalf("%s has %d elements, want %d", what, len(g), len(want.x))
	}
	for i, w := range want.x {
		if !(math.Abs(float64(g[i])-w) <= 0x1p-19*(1+math.Abs(w))) { // NaN fails, too
			t.Fatalf("%s[%d, %d] = %v, want %v", what, i/want.cols, i%want.cols, g[i], w)
		}
	}
}

// scene is a network with random parameters and a batch with random images. The batch is a part of a larger one in
// which everything else is NaN, so that a kernel that reads or writes too much is detected.
type scene struct {
	net      *network
	whole, b batch
	from, to int
}

func newScene(t *testing.T, n, hidden int) scene {
	t.Helper()
	ctx, dev, r := context.Background(), openCPU(t, cutile.WithChecks()), rand.New(rand.NewPCG(uint64(n), uint64(hidden)))
	net, err := newNetwork(ctx, group(t, dev), 1, hidden, r)
	check(t, err)
	check(t, net.weights.b1.Write(ctx, normal(r, hidden)))
	check(t, net.weights.b2.Write(ctx, normal(r, classes)))
	s := scene{net: net, from: 3, to: 3 + n}
	s.whole, err = newBatch(dev, n+7, hidden)
	check(t, err)
	for _, x := range s.whole.floats() {
		check(t, x.Fill(ctx, float32(math.NaN())))
	}
	check(t, s.whole.labels.Fill(ctx, -1))
	check(t, s.whole.answers.Fill(ctx, -1))
	s.b = s.whole.part(s.from, s.to)
	digits := make([]digit, n)
	for i := range digits {
		for j := range digits[i].pixels {
			digits[i].pixels[j] = uint8(r.IntN(darkest + 1))
		}
		digits[i].label = int32(r.IntN(classes))
	}
	check(t, s.b.write(ctx, digits))
	return s
}

func (b batch) floats() []floats {
	return []floats{b.images, b.hidden, b.scores, b.dHidden, b.dScores, b.loss}
}

// ref returns the same network in float64.
func (s scene) ref(t *testing.T) refNet {
	w := s.net.weights
	return refNet{matrixFrom(t, w.w1), matrixFrom(t, w.b1), matrixFrom(t, w.w2), matrixFrom(t, w.b2)}
}

// untouched fails if something outside the batch was written.
func (s scene) untouched(t *testing.T) {
	t.Helper()
	for k, x := range s.whole.floats() {
		m := matrixOf(slice(t, x), x.Shape()[0], x.Len()/x.Shape()[0])
		for i := range m.rows {
			for j := range m.cols {
				if inside := i >= s.from && i < s.to; inside == math.IsNaN(m.at(i, j)) {
					t.Fatalf("tensor %d of the batch has %v at [%d, %d], the batch being rows %d to %d",
						k, m.at(i, j), i, j, s.from, s.to)
				}
			}
		}
	}
}

// Full tiles, partial tiles, several tiles, and less than one tile.
var shapes = []struct{ images, hidden int }{{1, 1}, {29, 20}, {32, 32}, {64, 128}, {37, 65}}

func forShapes(t *testing.T, f func(t *testing.T, s scene)) {
	for _, c := range shapes {
		t.Run(fmt.Sprintf("%dx%d", c.images, c.hidden), func(t *testing.T) { f(t, newScene(t, c.images, c.hidden)) })
	}
}

func TestForward(t *testing.T) {
	forShapes(t, func(t *testing.T, s scene) {
		check(t, s.net.forward(context.Background(), s.b))
		hidden, scores := s.ref(t).forward(matrixFrom(t, s.b.images))
		near(t, "hidden", s.b.hidden, hidden)
		near(t, "scores", s.b.scores, scores)
	})
}

// TestBackward compares each kernel's result with a float64 result computed from the kernel's inputs.
func TestBackward(t *testing.T) {
	forShapes(t, func(t *testing.T, s scene) {
		ctx := context.Background()
		check(t, s.net.forward(ctx, s.b))
		check(t, s.net.backward(ctx, s.b, s.to-s.from))
		s.untouched(t)

		scores, labels := matrixFrom(t, s.b.scores), slice(t, s.b.labels)
		near(t, "loss", s.b.loss, refLoss(scores, labels))
		near(t, "dScores", s.b.dScores, refScoreGrad(scores, labels))

		dScores, hidden := matrixFrom(t, s.b.dScores), matrixFrom(t, s.b.hidden)
		dHidden := dScores.times(s.ref(t).w2.t())
		near(t, "dHidden", s.b.dHidden, dHidden.each(func(i, j int) float64 {
			if hidden.at(i, j) > 0 {
				return dHidden.at(i, j)
			}
			return 0
		}))
		g, dHidden := s.net.grads, matrixFrom(t, s.b.dHidden)
		near(t, "w2's gradient", g.w2, hidden.t().times(dScores))
		near(t, "b2's gradient", g.b2, dScores.sums())
		near(t, "w1's gradient", g.w1, matrixFrom(t, s.b.images).t().times(dHidden))
		near(t, "b1's gradient", g.b1, dHidden.sums())
	})
}

// TestGradients changes each parameter slightly and compares the change of the mean loss, in float64.
func TestGradients(t *testing.T) {
	ctx, s := context.Background(), newScene(t, 37, 5)
	check(t, s.net.forward(ctx, s.b))
	check(t, s.net.backward(ctx, s.b, 37))
	ref, x, labels := s.ref(t), matrixFrom(t, s.b.images), slice(t, s.b.labels)
	g := s.net.grads
	for _, c := range []struct {
		name  string
		grad  floats
		param matrix
	}{{"w1", g.w1, ref.w1}, {"b1", g.b1, ref.b1}, {"w2", g.w2, ref.w2}, {"b2", g.b2, ref.b2}} {
		near(t, c.name+"'s gradient", c.grad, c.param.each(func(i, j int) float64 {
			const step = 1e-5
			p := &c.param.x[i*c.param.cols+j]
			at := *p
			*p = at + step
			up := ref.meanLoss(x, labels)
			*p = at - step
			down := ref.meanLoss(x, labels)
			*p = at
			return (up - down) / (2 * step)
		}))
	}
}

// TestLossOfGreatScores uses scores whose exponentials overflow float32.
func TestLossOfGreatScores(t *testing.T) {
	ctx, dev := context.Background(), openCPU(t)
	scores := matrixOf([]float32{
		1000, 0, -1000, 990, 999, 1000, 998, 1, 2, 3,
		-500, -501, -502, -503, -504, -505, -506, -507, -508, -600,
	}, 2, classes)
	labels := []int32{3, 9}
	b, err := newBatch(dev, 2, 1)
	check(t, err)
	z := make([]float32, len(scores.x))
	for i, x := range scores.x {
		z[i] = float32(x)
	}
	check(t, b.scores.Write(ctx, z))
	check(t, b.labels.Write(ctx, labels))
	check(t, cutile.Launch4With(ctx, dev, crossEntropy[rows, class], b.scores, b.labels, b.dScores, b.loss, 2))
	near(t, "loss", b.loss, refLoss(scores, labels))
	near(t, "dScores", b.dScores, refScoreGrad(scores, labels))
}

func TestUpdate(t *testing.T) {
	ctx, dev := context.Background(), openCPU(t)
	for _, n := range []int{1, 256, 1000} {
		r := rand.New(rand.NewPCG(7, uint64(n)))
		var x [3]floats // gradient, parameter, velocity
		var want [3]matrix
		for i := range x {
			start := normal(r, n)
			var err error
			x[i], err = cutile.FromSlice(dev, start)
			check(t, err)
			want[i] = matrixOf(start, 1, n)
		}
		for range 3 {
			check(t, cutile.Launch(ctx, dev, update[line], x[0], x[1], x[2], rate, momentum))
			for j, g := range want[0].x {
				want[2].x[j] = momentum*want[2].x[j] + g
				want[1].x[j] -= rate * want[2].x[j]
			}
		}
		near(t, "parameter", x[1], want[1])
		near(t, "velocity", x[2], want[2])
	}
}

func TestMean(t *testing.T) {
	ctx, dev := context.Background(), openCPU(t)
	for _, n := range []int{1, 255, 256, 1437} {
		xs := normal(rand.New(rand.NewPCG(8, uint64(n))), n)
		x, err := cutile.FromSlice(dev, xs)
		check(t, err)
		m, err := cutile.NewTensor[float32](dev, 1)
		check(t, err)
		check(t, cutile.Launch2(ctx, dev, mean[line], x, m))
		sum := matrixOf(xs, n, 1).sums()
		near(t, "mean", m, sum.each(func(_, _ int) float64 { return sum.x[0] / float64(n) }))
	}
}

// TestPredict uses the greatest score at every index, scores that are all negative, and equal scores, of which the
// first counts.
func TestPredict(t *testing.T) {
	ctx, dev := context.Background(), openCPU(t)
	const n = 43
	scores, want := make([]float32, n*classes), make([]int32, n)
	for i := range n {
		want[i] = int32(i * 7 % classes)
		for j := range classes {
			scores[i*classes+j] = -5 - float32((i+j)%3)
			if j >= int(want[i]) && (j-int(want[i]))%4 == 0 {
				scores[i*classes+j] = -1
			}
		}
	}
	b, err := newBatch(dev, n, 1)
	check(t, err)
	check(t, b.scores.Write(ctx, scores))
	check(t, cutile.Launch2(ctx, dev, predict[rows, class], b.scores, b.answers))
	for i, got := range slice(t, b.answers) {
		if got != want[i] {
			t.Errorf("image %d: answer %d, want %d", i, got, want[i])
		}
	}
}

package norm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/kernels/norm"
)

const epsilon = 1e-3

// image has the places of each element of a tensor [batch, channels, places].
type image struct{ batch, channels, places int }

func (m image) len() int          { return m.batch * m.channels * m.places }
func (m image) channel(i int) int { return i / m.places % m.channels }
func (m image) shape() []int      { return []int{m.batch, m.channels, m.places} }
func (m image) group(i, groups int) int { // the number of the group of element i among those of all sequences
	return i/m.places/m.channels*groups + m.channel(i)/(m.channels/groups)
}

// normalised is the reference: elements of the same class have a mean and a variance.
func (m image) normalised(x, w, b []float64, classes int, class func(i int) int) (y, mean, variance, rstd []float64) {
	count := make([]float64, classes)
	mean, variance, rstd = make([]float64, classes), make([]float64, classes), make([]float64, classes)
	for i := range x {
		count[class(i)]++
	}
	for i, v := range x {
		mean[class(i)] += v / count[class(i)]
	}
	for i, v := range x {
		d := v - mean[class(i)]
		variance[class(i)] += d * d / count[class(i)]
	}
	for k, v := range variance {
		rstd[k] = 1 / math.Sqrt(v+epsilon)
	}
	for i, v := range x {
		y = append(y, (v-mean[class(i)])*rstd[class(i)]*w[m.channel(i)]+b[m.channel(i)])
	}
	return y, mean, variance, rstd
}

// slopes is the reference for gradients, by the chain rule: of each y, by x itself, by the mean and by the variance.
func (m image) slopes(dy, x, w, mean, rstd []float64, class func(i int) int) (dx, dw, db []float64) {
	n := len(mean)
	count, dmean, dvariance := make([]float64, n), make([]float64, n), make([]float64, n)
	dw, db = make([]float64, m.channels), make([]float64, m.channels)
	for i, d := range dy {
		k, c := class(i), m.channel(i)
		count[k]++
		dw[c] += d * (x[i] - mean[k]) * rstd[k]
		db[c] += d
		dmean[k] -= d * w[c] * rstd[k]
		dvariance[k] -= d * w[c] * (x[i] - mean[k]) * rstd[k] * rstd[k] * rstd[k] / 2
	}
	for i, d := range dy {
		k := class(i)
		dx = append(dx, d*w[m.channel(i)]*rstd[k]+dmean[k]/count[k]+dvariance[k]*2*(x[i]-mean[k])/count[k])
	}
	return dx, dw, db
}

// TestImageReference holds the gradients against differences of Σ y·dy.
func TestImageReference(t *testing.T) {
	m, r := image{2, 4, 3}, kerneltest.Rand()
	random := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		return x
	}
	x, w, b, dy := random(m.len()), random(m.channels), random(m.channels), random(m.len())
	for _, classes := range []int{m.channels, 2 * m.batch} {
		class := m.channel
		if classes != m.channels {
			class = func(i int) int { return m.group(i, 2) }
		}
		_, mean, _, rstd := m.normalised(x, w, b, classes, class)
		dx, dw, db := m.slopes(dy, x, w, mean, rstd, class)
		for _, p := range []struct{ at, slope []float64 }{{x, dx}, {w, dw}, {b, db}} {
			for i := range p.at {
				const step = 1e-5
				old, diff := p.at[i], 0.0
				for _, s := range []float64{step, -step} {
					p.at[i] = old + s
					y, _, _, _ := m.normalised(x, w, b, classes, class)
					for k := range y {
						diff += y[k] * dy[k] / (2 * s)
					}
				}
				if p.at[i] = old; math.Abs(diff-p.slope[i]) > 1e-6*(1+math.Abs(diff)) {
					t.Errorf("%d classes: element %d has slope %v, but differences are %v", classes, i, p.slope[i], diff)
				}
			}
		}
	}
}

// tensors are the arguments of a normalisation with their numbers.
type tensors[E norm.Float] struct {
	x, w, b, y, dy, dx, dw, db *cutile.Tensor[E]
	xs, ws, bs, dys            []float64
}

func tensorsOf[E norm.Float](t *testing.T, dev *cutile.Device, r *rand.Rand, m image) (a tensors[E]) {
	t.Helper()
	a.x, a.xs = kerneltest.Random[E](t, dev, r, m.shape()...)
	a.w, a.ws = kerneltest.Random[E](t, dev, r, m.channels)
	a.b, a.bs = kerneltest.Random[E](t, dev, r, m.channels)
	a.dy, a.dys = kerneltest.Random[E](t, dev, r, m.shape()...)
	a.y, a.dx = kerneltest.New[E](t, dev, m.shape()...), kerneltest.New[E](t, dev, m.shape()...)
	a.dw, a.db = kerneltest.New[E](t, dev, m.channels), kerneltest.New[E](t, dev, m.channels)
	return a
}

func batches[E norm.Float](t *testing.T, dev *cutile.Device, r *rand.Rand, m image, tolerance float64) {
	t.Helper()
	ctx, a := t.Context(), tensorsOf[E](t, dev, r, m)
	mean, rstd := kerneltest.New[float32](t, dev, m.channels), kerneltest.New[float32](t, dev, m.channels)
	y, means, variances, rstds := m.normalised(a.xs, a.ws, a.bs, m.channels, m.channel)
	var running norm.Running
	var runMeans, runVariances []float64
	elements := float64(m.batch * m.places)
	if elements > 1 {
		running.Mean, runMeans = kerneltest.Random[float32](t, dev, r, m.channels)
		running.Variance, runVariances = kerneltest.Random[float32](t, dev, r, m.channels)
		running.Momentum = 0.25
	}
	what := func(name string) string { return fmt.Sprint(name, " of ", m) }
	kerneltest.Must(t, norm.BatchTraining(ctx, dev, a.x, a.w, a.b, a.y, mean, rstd, running, epsilon))
	kerneltest.Near(t, what("y"), a.y, y, tolerance)
	kerneltest.Near(t, what("mean"), mean, means, 1e-5)
	kerneltest.Near(t, what("rstd"), rstd, rstds, 1e-4)
	for c := range runMeans {
		runMeans[c] += 0.25 * (means[c] - runMeans[c])
		runVariances[c] += 0.25 * (variances[c]*elements/(elements-1) - runVariances[c])
	}
	if runMeans != nil {
		kerneltest.Near(t, what("running mean"), running.Mean, runMeans, 1e-5)
		kerneltest.Near(t, what("running variance"), running.Variance, runVariances, 1e-5)
	}
	dx, dw, db := m.slopes(a.dys, a.xs, a.ws, means, rstds, m.channel)
	kerneltest.Must(t, norm.BatchBackward(ctx, dev, a.dy, a.x, a.w, mean, rstd, a.dx, a.dw, a.db))
	kerneltest.Near(t, what("dx"), a.dx, dx, 10*tolerance)
	kerneltest.Near(t, what("dw"), a.dw, dw, 10*tolerance)
	kerneltest.Near(t, what("db"), a.db, db, 10*tolerance)

	mean, means = kerneltest.Random[float32](t, dev, r, m.channels)
	squares := make([]float64, m.channels)
	for c := range squares {
		squares[c] = r.Float64()
	}
	variance, squares := kerneltest.Tensor[float32](t, dev, squares, m.channels)
	for i, v := range a.xs {
		c := m.channel(i)
		y[i] = (v-means[c])/math.Sqrt(squares[c]+epsilon)*a.ws[c] + a.bs[c]
	}
	kerneltest.Must(t, norm.Batch(ctx, dev, a.x, mean, variance, a.w, a.b, a.y, epsilon))
	kerneltest.Near(t, what("inference"), a.y, y, tolerance)
}

var imageCases = []image{
	{1, 1, 1}, {5, 3, 1}, {70, 130, 1}, {3, 5, 49}, {2, 3, 1500}, {1, 2, 64}, {33, 2, 30}, {2, 8, 1024}, {0, 3, 4}, {2, 0, 4}, {2, 3, 0},
}

func TestBatch(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for i, m := range imageCases {
		if m.len() == 0 {
			continue // TestNoImages
		}
		batches[float32](t, dev, r, m, 2e-5)
		if i == 3 {
			batches[dtype.Float16](t, dev, r, m, 4e-3)
			batches[dtype.BFloat16](t, dev, r, m, 3e-2)
		}
	}
}

func groups[E norm.Float](t *testing.T, dev *cutile.Device, r *rand.Rand, m image, n int, tolerance float64) {
	t.Helper()
	ctx, a := t.Context(), tensorsOf[E](t, dev, r, m)
	mean, rstd := kerneltest.New[float32](t, dev, m.batch, n), kerneltest.New[float32](t, dev, m.batch, n)
	class := func(i int) int { return m.group(i, n) }
	y, means, _, rstds := m.normalised(a.xs, a.ws, a.bs, m.batch*n, class)
	what := func(name string) string { return fmt.Sprint(name, " of ", m, " in ", n) }
	kerneltest.Must(t, norm.Group(ctx, dev, n, a.x, a.w, a.b, a.y, mean, rstd, epsilon))
	kerneltest.Near(t, what("y"), a.y, y, tolerance)
	kerneltest.Near(t, what("mean"), mean, means, 1e-5)
	kerneltest.Near(t, what("rstd"), rstd, rstds, 1e-4)
	dx, dw, db := m.slopes(a.dys, a.xs, a.ws, means, rstds, class)
	kerneltest.Must(t, norm.GroupBackward(ctx, dev, n, a.dy, a.x, a.w, mean, rstd, a.dx, a.dw, a.db))
	kerneltest.Near(t, what("dx"), a.dx, dx, 10*tolerance)
	kerneltest.Near(t, what("dw"), a.dw, dw, 10*tolerance)
	kerneltest.Near(t, what("db"), a.db, db, 10*tolerance)
	kerneltest.Must(t, norm.Group(ctx, dev, n, a.x, a.w, a.b, a.dx, nil, nil, epsilon))
	kerneltest.Near(t, what("y alone"), a.dx, y, tolerance)
}

func TestGroup(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for _, m := range []image{{1, 1, 1}, {2, 6, 10}, {3, 12, 1}, {1, 40, 49}, {2, 4, 1100}, {2, 64, 64}} {
		for _, n := range []int{1, 2, m.channels} { // the last is instance normalisation
			if m.channels%n == 0 {
				groups[float32](t, dev, r, m, n, 2e-5)
			}
		}
	}
	groups[dtype.Float16](t, dev, r, image{2, 6, 10}, 3, 4e-3)
	groups[dtype.BFloat16](t, dev, r, image{2, 6, 10}, 3, 3e-2)
}

// TestRandomImages draws extents.
func TestRandomImages(t *testing.T) {
	dev, r := kerneltest.CPU(t), kerneltest.Rand()
	for range 8 {
		n := 1 + r.IntN(4)
		m := image{1 + r.IntN(9), n * (1 + r.IntN(9)), 2 + r.IntN(80)}
		batches[float32](t, dev, r, m, 2e-5)
		groups[float32](t, dev, r, m, n, 2e-5)
	}
}

// TestFarFromZero has numbers whose squares would lose their variance.
func TestFarFromZero(t *testing.T) {
	dev, r, m := kerneltest.CPU(t), kerneltest.Rand(), image{3, 2, 700}
	a := tensorsOf[float32](t, dev, r, m)
	for i := range a.xs {
		a.xs[i] += 4096
	}
	a.x, a.xs = kerneltest.Tensor[float32](t, dev, a.xs, m.shape()...)
	mean, rstd := kerneltest.New[float32](t, dev, 2), kerneltest.New[float32](t, dev, 2)
	y, _, _, rstds := m.normalised(a.xs, a.ws, a.bs, 2, m.channel)
	kerneltest.Must(t, norm.BatchTraining(t.Context(), dev, a.x, a.w, a.b, a.y, mean, rstd, norm.Running{}, epsilon))
	kerneltest.Near(t, "rstd", rstd, rstds, 1e-4)
	kerneltest.Near(t, "y", a.y, y, 2e-3)
}

// TestNoImages: without elements there is nothing to write, and gradients of weights are 0.
func TestNoImages(t *testing.T) {
	dev, r, ctx := kerneltest.CPU(t), kerneltest.Rand(), t.Context()
	for _, m := range imageCases {
		if m.len() > 0 {
			continue
		}
		a := tensorsOf[float32](t, dev, r, m)
		mean, rstd := kerneltest.New[float32](t, dev, m.channels), kerneltest.New[float32](t, dev, m.channels)
		kerneltest.Must(t, norm.BatchTraining(ctx, dev, a.x, a.w, a.b, a.y, mean, rstd, norm.Running{}, epsilon))
		kerneltest.Must(t, norm.BatchBackward(ctx, dev, a.dy, a.x, a.w, mean, rstd, a.dx, a.dw, a.db))
		kerneltest.Near(t, "dw", a.dw, make([]float64, m.channels), 0)
		kerneltest.Near(t, "db", a.db, make([]float64, m.channels), 0)
		groupMean := kerneltest.New[float32](t, dev, m.batch, 1)
		a = tensorsOf[float32](t, dev, r, m)
		kerneltest.Must(t, norm.Group(ctx, dev, 1, a.x, a.w, a.b, a.y, nil, nil, epsilon))
		kerneltest.Must(t, norm.GroupBackward(ctx, dev, 1, a.dy, a.x, a.w, groupMean, groupMean, a.dx, a.dw, a.db))
		kerneltest.Near(t, "dw of groups", a.dw, make([]float64, m.channels), 0)
	}
}

func TestImageMistakes(t *testing.T) {
	dev, ctx := kerneltest.CPU(t), t.Context()
	x := func(shape ...int) *cutile.Tensor[float32] { return kerneltest.New[float32](t, dev, shape...) }
	for _, c := range []struct {
		err  error
		want string
	}{
		{norm.Batch(ctx, dev, x(3), x(3), x(3), x(3), x(3), x(3), 0), "norm.Batch: x has shape [3] of rank 1, expected rank 2 at least: [batch channels …]"},
		{norm.Batch(ctx, dev, x(2, 3), x(2), x(3), x(3), x(3), x(2, 3), 0), "norm.Batch: mean has shape [2], expected [3]: axis 0 is 2"},
		{norm.Batch(ctx, dev, x(2, 3), x(3), x(3), x(3), x(3), x(2, 3, 1), 0), "norm.Batch: y has shape [2 3 1], expected [2 3], that of x"},
		{norm.BatchTraining(ctx, dev, x(2, 3), x(3), x(3), x(2, 3), x(3), x(3), norm.Running{Mean: x(3)}, 0),
			"norm.BatchTraining: running.Variance is nil, expected a tensor"},
		{norm.BatchTraining(ctx, dev, x(1, 3), x(3), x(3), x(1, 3), x(3), x(3), norm.Running{Mean: x(3), Variance: x(3)}, 0),
			"norm.BatchTraining: a channel has 1 element, expected 2 at least for a running variance"},
		{norm.BatchBackward(ctx, dev, x(2, 3), x(2, 3), x(3), x(3), x(3), x(2, 3), x(3), x(4)), "norm.BatchBackward: db has shape [4], expected [3]: axis 0 is 4"},
		{norm.Group(ctx, dev, 2, x(2, 3), x(3), x(3), x(2, 3), nil, nil, 0), "norm.Group: there are 2 groups for 3 channels, expected a number that divides them"},
		{norm.Group(ctx, dev, 0, x(2, 3), x(3), x(3), x(2, 3), nil, nil, 0), "norm.Group: there are 0 groups for 3 channels, expected a number that divides them"},
		{norm.Group(ctx, dev, 3, x(2, 3), x(3), x(3), x(2, 3), x(2, 4), nil, 0), "norm.Group: mean has shape [2 4], expected [2 3]: axis 1 is 4"},
		{norm.GroupBackward(ctx, dev, 3, x(2, 3), x(2, 3), x(3), x(2, 3), nil, x(2, 3), x(3), x(3)), "norm.GroupBackward: rstd is nil, expected a tensor"},
		{norm.GroupBackward(ctx, dev.Grid(1), 3, x(2, 3), x(2, 3), x(3), x(2, 3), x(2, 3), x(2, 3), x(3), x(3)),
			"norm.GroupBackward: the grid follows from the shapes: give a device or a stream without a grid"},
	} {
		kerneltest.Mismatch(t, c.err, c.want)
	}
}

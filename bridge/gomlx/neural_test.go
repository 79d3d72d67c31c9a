package gomlx_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/backends"
)

// places calls f with all indices of an array.
func places(dims []int, f func(at []int)) {
	at := make([]int, len(dims))
	for n := range product(dims) {
		for i := len(dims) - 1; i >= 0; i-- {
			at[i], n = n%dims[i], n/dims[i]
		}
		f(at)
	}
}

func index(dims, at []int) int {
	n := 0
	for i := range dims {
		n = n*dims[i] + at[i]
	}
	return n
}

// TestConv compares convolutions with random options and orders of axes with their definition.
func TestConv(t *testing.T) {
	b := open(t)
	r := rand.New(rand.NewPCG(9, 10))
	for range 12 {
		spatial := 1 + r.IntN(2)
		rank := spatial + 2
		channelGroups, batchGroups := 1, 1
		if r.IntN(2) == 0 {
			channelGroups += r.IntN(2)
		} else {
			batchGroups += r.IntN(2)
		}
		in, k, out := r.Perm(rank), r.Perm(rank), r.Perm(rank)
		axes := backends.ConvolveAxesConfig{InputBatch: in[0], InputChannels: in[1], InputSpatial: in[2:], KernelInputChannels: k[0],
			KernelOutputChannels: k[1], KernelSpatial: k[2:], OutputBatch: out[0], OutputChannels: out[1], OutputSpatial: out[2:]}
		xDims, kDims, outDims := make([]int, rank), make([]int, rank), make([]int, rank)
		kChannels, outChannels := 1+r.IntN(2), channelGroups*batchGroups*(1+r.IntN(2))
		batch := batchGroups * (1 + r.IntN(2))
		xDims[in[0]], xDims[in[1]] = batch, kChannels*channelGroups
		kDims[k[0]], kDims[k[1]] = kChannels, outChannels
		outDims[out[0]], outDims[out[1]] = batch/batchGroups, outChannels
		var strides, xDil, kDil []int
		var pads [][2]int
		for i := range spatial {
			strides, xDil, kDil = append(strides, 1+r.IntN(2)), append(xDil, 1+r.IntN(2)), append(kDil, 1+r.IntN(2))
			pads = append(pads, [2]int{r.IntN(3) - 1, 2 + r.IntN(2)})
			xDims[in[2+i]], kDims[k[2+i]] = 4+r.IntN(3), 1+r.IntN(3)
			size := (xDims[in[2+i]]-1)*xDil[i] + 1 + pads[i][0] + pads[i][1]
			outDims[out[2+i]] = (size-(kDims[k[2+i]]-1)*kDil[i]-1)/strides[i] + 1
		}
		x, w := normal(r, product(xDims)), normal(r, product(kDims))
		want := make([]complex128, product(outDims))
		places(outDims, func(o []int) {
			oc := o[out[1]]
			places(kDims, func(q []int) {
				if q[k[1]] != oc {
					return
				}
				at := make([]int, rank)
				at[in[0]] = oc/(outChannels/batchGroups)*(batch/batchGroups) + o[out[0]]
				at[in[1]] = oc/(outChannels/channelGroups)*kChannels + q[k[0]]
				for i := range spatial {
					p := o[out[2+i]]*strides[i] + q[k[2+i]]*kDil[i] - pads[i][0]
					if p < 0 || p%xDil[i] != 0 || p/xDil[i] >= xDims[in[2+i]] {
						return
					}
					at[in[2+i]] = p / xDil[i]
				}
				want[index(outDims, o)] += complex(x[index(xDims, at)]*w[index(kDims, q)], 0)
			})
		})
		got := run(t, b, func(b backends.Builder, x []backends.Op) []backends.Op {
			return []backends.Op{op(b.ConvGeneral(x[0], x[1], axes, strides, pads, xDil, kDil, channelGroups, batchGroups))}
		}, of(x, xDims...), of(w, kDims...))[0]
		what := fmt.Sprintf("%v %v %+v strides %v pads %v dilations %v %v groups %d %d", xDims, kDims, axes, strides, pads, xDil, kDil, channelGroups, batchGroups)
		if fmt.Sprint(got.dims) != fmt.Sprint(outDims) {
			t.Fatalf("%s: the result has shape %v, want %v", what, got.dims, outDims)
		}
		near(t, what, got, want, 1e-12)
	}
}

// TestSelectAndScatter: gradients of pooling go to the selected elements, also where several are equal, where elements are as
// small as what padding would be, and where windows overlap.
func TestSelectAndScatter(t *testing.T) {
	b := open(t)
	inf := math.Inf(1)
	x := []float64{-inf, -inf, 3, 3, 1, math.NaN(), 0, 2}
	source := []float64{1, 10, 100, 1000, 10000}
	window, stride, pad := 3, 2, [2]int{2, 2}
	want := map[bool][]complex128{true: make([]complex128, len(x)), false: make([]complex128, len(x))}
	for isMax, w := range want {
		for i, s := range source {
			best := -1
			for j := range window {
				p := i*stride + j - pad[0]
				if p < 0 || p >= len(x) {
					continue
				}
				if best < 0 || !math.IsNaN(x[best]) && (math.IsNaN(x[p]) || isMax && x[p] > x[best] || !isMax && x[p] < x[best]) {
					best = p
				}
			}
			w[best] += complex(s, 0)
		}
	}
	out := run(t, b, func(b backends.Builder, x []backends.Op) []backends.Op {
		return []backends.Op{op(b.SelectAndScatterMax(x[0], x[1], []int{window}, []int{stride}, [][2]int{pad})),
			op(b.SelectAndScatterMin(x[0], x[1], []int{window}, []int{stride}, [][2]int{pad})),
			op(b.ReduceWindow(x[0], backends.ReduceOpMax, []int{window}, []int{stride}, nil, nil, [][2]int{pad})),
			op(b.ReduceWindow(x[1], backends.ReduceOpProduct, []int{2}, nil, nil, nil, nil))}
	}, of(x), of(source))
	near(t, "max", out[0], want[true], 0)
	near(t, "min", out[1], want[false], 0)
	near(t, "greatest of windows", out[2], []complex128{complex(-inf, 0), 3, 3, complex(math.NaN(), 0), 2}, 0)
	near(t, "products of windows side by side", out[3], []complex128{10, 100000}, 0)
}

// TestBatchNorm compares with the definition, and gradients with differences.
func TestBatchNorm(t *testing.T) {
	b := open(t)
	r := rand.New(rand.NewPCG(11, 12))
	dims := []int{3, 2, 4} // features are along axis 1
	x, scale, offset, grad := normal(r, 24), normal(r, 2), normal(r, 2), normal(r, 24)
	const epsilon = 0.01
	eps := float64(float32(epsilon))
	stats := func(x []float64) (mean, variance []float64) {
		mean, variance = make([]float64, 2), make([]float64, 2)
		for i, v := range x {
			mean[i/4%2] += v / 12
		}
		for i, v := range x {
			variance[i/4%2] += (v - mean[i/4%2]) * (v - mean[i/4%2]) / 12
		}
		return mean, variance
	}
	normalized := func(x, scale, offset []float64) []float64 {
		mean, variance := stats(x)
		y := make([]float64, len(x))
		for i, v := range x {
			f := i / 4 % 2
			y[i] = (v-mean[f])/math.Sqrt(variance[f]+eps)*scale[f] + offset[f]
		}
		return y
	}
	mean, variance := stats(x)
	out := run(t, b, func(b backends.Builder, v []backends.Op) []backends.Op {
		y, m, s, err := b.BatchNormForTraining(v[0], v[1], v[2], epsilon, 1)
		gx, gs, gb, err2 := b.BatchNormGradient(v[0], v[1], op(m, err), s, v[3], epsilon, 1)
		return []backends.Op{y, m, s, op(b.BatchNormForInference(v[0], v[1], v[2], m, s, epsilon, 1)), op(gx, err2), gs, gb}
	}, of(x, dims...), of(scale), of(offset), of(grad, dims...))
	y := widen(normalized(x, scale, offset))
	near(t, "training", out[0], y, 1e-12)
	near(t, "mean", out[1], widen(mean), 1e-12)
	near(t, "variance", out[2], widen(variance), 1e-12)
	near(t, "inference", out[3], y, 1e-12)
	loss := func() (sum float64) {
		for i, v := range normalized(x, scale, offset) {
			sum += v * grad[i]
		}
		return sum
	}
	for i, v := range [][]float64{x, scale, offset} {
		want := make([]complex128, len(v))
		for j := range v {
			const h = 1e-5
			old := v[j]
			v[j] = old + h
			up := loss()
			v[j] = old - h
			want[j] = complex((up-loss())/(2*h), 0)
			v[j] = old
		}
		near(t, fmt.Sprint("gradient ", i), out[4+i], want, 1e-7)
	}
}

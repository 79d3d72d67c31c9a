package interop_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/interop"
)

// plain is what kernels.cu computes, in Go.
var plain = map[string]func(t *testing.T, dev *cutile.Device, m *interop.Module){
	"affine": func(t *testing.T, dev *cutile.Device, m *interop.Module) {
		type params struct {
			Scale float32
			Shift int16
			Limit float64
		}
		y := vector(t, dev, 300)
		need(t, kernel(t, m, "affine").Launch(dev.Stream(), interop.Config{Grid: [3]int{2}, Block: [3]int{64}}, params{0.5, -7, 100}, int8(3), y, 300))
		for i, v := range elements(t, y) {
			if want := float32(min(float64(i)*0.5-7+3, 100)); v != want {
				t.Fatalf("element %d is %v, want %v", i, v, want)
			}
		}
	},
	"shaped": func(t *testing.T, dev *cutile.Device, m *interop.Module) {
		type shape struct {
			X, Y interop.Arg
			N    [2]int32
			Twin bool
		}
		x, y := vector(t, dev, 12), empty[float32](t, dev, 12)
		s := shape{interop.In(x), interop.Out(y), [2]int32{3, 4}, true}
		need(t, kernel(t, m, "shaped").Launch(dev.Stream(), interop.Config{Grid: [3]int{1}, Block: [3]int{8, 8}}, s))
		for i, v := range elements(t, y) {
			if want := float32(2 * (i%3*4 + i/3)); v != want {
				t.Fatalf("element %d is %v, want %v", i, v, want)
			}
		}
	},
	"sum": func(t *testing.T, dev *cutile.Device, m *interop.Module) {
		total, x := empty[float32](t, dev, 1), vector(t, dev, 1000)
		need(t, kernel(t, m, "sum").Launch(dev.Stream(), interop.Config{Grid: [3]int{8}, Block: [3]int{128}, Shared: 512}, total, interop.In(x), int32(1000)))
		if got := elements(t, total)[0]; got != 1000*999/2 {
			t.Errorf("the sum is %v", got)
		}
	},
	"halves": func(t *testing.T, dev *cutile.Device, m *interop.Module) {
		x, err := cutile.FromSlice(dev, dtype.Floats[dtype.Float16]([]float32{-2, -1, 0, 1, 2, 3}))
		need(t, err)
		y, half := empty[dtype.Float16](t, dev, 6), dtype.Float16FromFloat64(0.5)
		need(t, kernel(t, m, "halves").Launch(dev.Stream(), interop.Config{Grid: [3]int{1}, Block: [3]int{32}}, interop.Out(y), interop.In(x), half, int32(6)))
		for i, v := range dtype.Float32s(elements(t, y)) {
			if u := float64(i - 2); v != float32(1+u/2+u*u/4+u*u*u/8+0.5) {
				t.Errorf("element %d is %v", i, v)
			}
		}
	},
	"product": func(t *testing.T, dev *cutile.Device, m *interop.Module) {
		const rows, cols, inner = 19, 33, 37
		a, b, c := vector(t, dev, rows*inner), vector(t, dev, inner*cols), empty[float32](t, dev, rows, cols)
		need(t, kernel(t, m, "product").Launch(dev.Stream(), interop.Config{Grid: [3]int{3, 2}, Block: [3]int{16, 16}}, interop.Out(c), interop.In(a), interop.In(b),
			int32(rows), int32(cols), int32(inner)))
		for i, v := range elements(t, c) {
			want := 0.0
			for p := range inner {
				want += float64(i/cols*inner+p) * float64(p*cols+i%cols)
			}
			if math.Abs(float64(v)-want) > want*1e-6 {
				t.Fatalf("element %d is %v, want %v", i, v, want)
			}
		}
	},
	"count": func(t *testing.T, dev *cutile.Device, m *interop.Module) {
		n := empty[int32](t, dev, 1)
		for range 3 {
			need(t, kernel(t, m, "count").Launch(dev.Stream(), interop.Config{Grid: [3]int{1}, Block: [3]int{1}}, n))
		}
		if got := elements(t, n)[0]; got != 3 {
			t.Errorf("the third launch counts %d", got)
		}
	},
	"mangled": func(t *testing.T, dev *cutile.Device, m *interop.Module) {
		y := empty[float32](t, dev, 2)
		i := slices.IndexFunc(m.Kernels(), func(s string) bool { return strings.Contains(s, "sizes") })
		need(t, kernel(t, m, m.Kernels()[i]).Launch(dev.Stream(), interop.Config{Grid: [3]int{1}, Block: [3]int{2}},
			int8(1), int16(20), int32(300), 4000, [3]float32{0.5, 0.25, 0.125}, y))
		if got := elements(t, y)[1]; got != 4321.875 {
			t.Errorf("the sum is %v", got)
		}
	},
}

// TestCompiled runs what NVIDIA's compiler made of CUDA C++, beside plain Go.
func TestCompiled(t *testing.T) {
	onEach(t, "kernels", func(t *testing.T, dev *cutile.Device, m *interop.Module) {
		for name, run := range plain {
			t.Run(name, func(t *testing.T) { run(t, dev, m) })
		}
	})
}

// TestTriton runs what Triton made of a kernel in Python.
func TestTriton(t *testing.T) {
	onEach(t, "softmax", func(t *testing.T, dev *cutile.Device, m *interop.Module) {
		const rows, cols = 3, 200
		x, err := cutile.Normal[float32](dev, 1, 0, 1, rows, cols)
		need(t, err)
		y := empty[float32](t, dev, rows, cols)
		need(t, kernel(t, m, "softmax").Launch(dev.Stream(), interop.Config{Grid: [3]int{rows}, Shared: 16}, interop.Out(y), interop.In(x),
			int32(cols), int32(cols), uintptr(0), uintptr(0)))
		in, got := elements(t, x), elements(t, y)
		for r := range rows {
			sum := 0.0
			for _, v := range in[r*cols : (r+1)*cols] {
				sum += math.Exp(float64(v))
			}
			for i, v := range got[r*cols : (r+1)*cols] {
				if want := math.Exp(float64(in[r*cols+i])) / sum; math.Abs(float64(v)-want) > 1e-5*want {
					t.Fatalf("element %d of row %d is %v, want %v", i, r, v, want)
				}
			}
		}
	})
}

// TestTritonProduct runs a product of matrices by tensor cores (wgmma) and asynchronous copies, as Triton makes it for sm_90.
func TestTritonProduct(t *testing.T) {
	onEach(t, "matmul", func(t *testing.T, dev *cutile.Device, m *interop.Module) {
		const rows, cols, inner = 100, 90, 72
		r := rand.New(rand.NewPCG(1, 2))
		numbers := func(n int) []float32 {
			x := make([]float32, n)
			for i := range x {
				x[i] = float32(r.IntN(9) - 4)
			}
			return x
		}
		av, bv := numbers(rows*inner), numbers(inner*cols)
		a, err := cutile.FromSlice(dev, dtype.Floats[dtype.Float16](av))
		need(t, err)
		b, err := cutile.FromSlice(dev, dtype.Floats[dtype.Float16](bv))
		need(t, err)
		c := empty[float32](t, dev, rows, cols)
		need(t, kernel(t, m, "matmul").Launch(dev.Stream(), interop.Config{Grid: [3]int{2, 2}, Shared: 16384}, interop.In(a), interop.In(b), interop.Out(c),
			int32(rows), int32(cols), int32(inner), uintptr(0), uintptr(0)))
		for i, v := range elements(t, c) {
			want := float32(0)
			for p := range inner {
				want += av[i/cols*inner+p] * bv[p*cols+i%cols]
			}
			if v != want {
				t.Fatalf("element %d is %v, want %v", i, v, want)
			}
		}
	})
}

// TestClusters: a kernel's own clusters, and those of a launch.
func TestClusters(t *testing.T) {
	onEach(t, "cluster", func(t *testing.T, dev *cutile.Device, m *interop.Module) {
		for _, c := range []struct {
			kernel  string
			cluster int
			ranks   int
		}{{"ranks", 0, 2}, {"ranks", 2, 2}, {"any", 0, 1}, {"any", 4, 4}} {
			y := empty[int32](t, dev, 8*32)
			config := interop.Config{Grid: [3]int{8}, Block: [3]int{32}, Cluster: [3]int{c.cluster}}
			if c.cluster > 0 {
				config.Cluster = [3]int{c.cluster, 1, 1}
			}
			need(t, kernel(t, m, c.kernel).Launch(dev.Stream(), config, y))
			for i, v := range elements(t, y) {
				if want := 100*c.ranks + i/32%c.ranks; int(v) != want {
					t.Fatalf("%v: element %d is %d, want %d", c, i, v, want)
				}
			}
		}
	})
}

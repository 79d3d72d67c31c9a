package cpu_test

import (
	"archive/zip"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// refModules reads the files that cuTile Python wrote, by name and version.
func refModules(t *testing.T) map[string]*tileir.Module {
	t.Helper()
	z, err := zip.OpenReader(filepath.Join("..", "..", "..", "tileir", "testdata", "ref.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	out := map[string]*tileir.Module{}
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, ".tileirbc")
		if !ok {
			continue
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := bytecode.Read(data)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = m
	}
	return out
}

func TestRefCompile(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for name, m := range refModules(t) {
		for _, e := range m.Entries {
			k, err := d.Compile(bg, m, e.Name)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if err := k.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// tensor gives the arguments that cuTile Python passes for a dense array: address, extents, strides.
func tensor(b engine.Buffer, shape ...uint64) []uint64 {
	args := append([]uint64{b.Address()}, shape...)
	strides, n := make([]uint64, len(shape)), uint64(1)
	for i := len(shape) - 1; i >= 0; i-- {
		strides[i], n = n, n*shape[i]
	}
	return append(args, strides...)
}

func concat(lists ...[]uint64) (out []uint64) {
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// runRef runs a kernel in each version that there is, with promises checked.
func runRef(t *testing.T, d *cpu.Device, name string, grid [3]uint32, args []uint64, check func(version string)) {
	t.Helper()
	ran := 0
	for file, m := range refModules(t) {
		if base, version, _ := strings.Cut(file, "."); base == name {
			k, err := d.Compile(bg, m, m.Entries[0].Name)
			if err != nil {
				t.Fatal(err)
			}
			if err := launch(t, d, k, grid, args...); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			check(version)
			ran++
		}
	}
	if ran == 0 {
		t.Fatalf("there is no %s", name)
	}
}

func randomFloats(n int, seed uint64, scale float32) []float32 {
	rng, out := generator(seed), make([]float32, n)
	for i := range out {
		out[i] = (float32(rng()>>40)/(1<<23) - 1) * scale
	}
	return out
}

func TestRefSoftmax(t *testing.T) {
	d := newDevice(t, cpu.Options{CheckAssumes: true})
	const rows, n = 16, 784
	x := randomFloats(rows*n, 1, 5)
	in, out := upload(t, d, x), upload(t, d, make([]float32, rows*n))
	runRef(t, d, "softmax", [3]uint32{rows, 1, 1}, concat(tensor(in, rows, n), tensor(out, rows, n)), func(version string) {
		y := elems[float32](out)
		for r := range rows {
			sum := 0.0
			for _, v := range x[r*n:][:n] {
				sum += math.Exp(float64(v))
			}
			for i, v := range x[r*n:][:n] {
				if want := math.Exp(float64(v)) / sum; math.Abs(float64(y[r*n+i])-want) > 1e-6*want {
					t.Fatalf("%s: row %d element %d is %v, want %v", version, r, i, y[r*n+i], want)
				}
			}
		}
		clear(y)
	})
}

func TestRefArgmax(t *testing.T) {
	d := newDevice(t, cpu.Options{CheckAssumes: true})
	const rows, n = 16, 1360
	x := randomFloats(rows*n, 2, 5)
	in, out := upload(t, d, x), upload(t, d, make([]int32, rows))
	runRef(t, d, "argmax_rows", [3]uint32{rows, 1, 1}, concat(tensor(in, rows, n), tensor(out, rows)), func(version string) {
		for r, g := range elems[int32](out) {
			best := 0
			for i, v := range x[r*n:][:n] {
				if v > x[r*n+best] {
					best = i
				}
			}
			if int(g) != best {
				t.Errorf("%s: row %d is %d, want %d", version, r, g, best)
			}
		}
	})
}

func halves(x []float32) []dtype.Float16 {
	out := make([]dtype.Float16, len(x))
	dtype.Float16sFromFloat32s(out, x)
	return out
}

func TestRefGEMM(t *testing.T) {
	d := newDevice(t, cpu.Options{CheckAssumes: true})
	const m, n, k = 144, 160, 96
	a, b := halves(randomFloats(m*k, 3, 1)), halves(randomFloats(k*n, 4, 1))
	ba, bb, bc := upload(t, d, a), upload(t, d, b), upload(t, d, make([]dtype.Float16, m*n))
	runRef(t, d, "gemm_f16", [3]uint32{2, 2, 1}, concat(tensor(ba, m, k), tensor(bb, k, n), tensor(bc, m, n)), func(version string) {
		c := elems[dtype.Float16](bc)
		for i := range m {
			for j := range n {
				want := 0.0
				for p := range k {
					want += a[i*k+p].Float64() * b[p*n+j].Float64()
				}
				if g := c[i*n+j].Float64(); math.Abs(g-want) > 1e-3*max(1, math.Abs(want)) {
					t.Fatalf("%s: (%d, %d) is %v, want %v", version, i, j, g, want)
				}
			}
		}
		clear(c)
	})
}

func TestRefFlashAttention(t *testing.T) {
	d := newDevice(t, cpu.Options{CheckAssumes: true})
	const heads, kvHeads, n, dim = 8, 2, 128, 64
	const scale = 0.125
	q := halves(randomFloats(heads*n*dim, 5, 1))
	k, v := halves(randomFloats(kvHeads*n*dim, 6, 1)), halves(randomFloats(kvHeads*n*dim, 7, 1))
	bq, bk, bv := upload(t, d, q), upload(t, d, k), upload(t, d, v)
	bo := upload(t, d, make([]dtype.Float16, heads*n*dim))
	args := concat(tensor(bq, 1, heads, n, dim), tensor(bk, 1, kvHeads, n, dim), tensor(bv, 1, kvHeads, n, dim), tensor(bo, 1, heads, n, dim),
		[]uint64{f32bits(scale)})
	runRef(t, d, "flash_attention", [3]uint32{n / 64, heads, 1}, args, func(version string) {
		o := elems[dtype.Float16](bo)
		for h := range heads {
			kv := h / 4 * n * dim
			for i := range n {
				want, sum := attend(q[(h*n+i)*dim:][:dim], k[kv:][:n*dim], v[kv:][:n*dim], i+1, scale)
				for c, w := range want {
					if g := o[(h*n+i)*dim+c].Float64(); math.Abs(g-w/sum) > 2e-3 {
						t.Fatalf("%s: head %d row %d column %d is %v, want %v", version, h, i, c, g, w/sum)
					}
				}
			}
		}
		clear(o)
	})
}

// attend is one row of attention over the first rows of k and v in float64, before the division by the sum.
func attend(q, k, v []dtype.Float16, rows int, scale float64) (out []float64, sum float64) {
	dim := len(q)
	out = make([]float64, dim)
	for j := range rows {
		s := 0.0
		for c := range dim {
			s += q[c].Float64() * k[j*dim+c].Float64()
		}
		e := math.Exp(s * scale)
		sum += e
		for c := range dim {
			out[c] += e * v[j*dim+c].Float64()
		}
	}
	return out, sum
}

package cpu_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// plainGEMM is the triple loop that a Go programmer would write, rows shared out to goroutines.
func plainGEMM(c, a, b []float32, m, n, k int) {
	workers := runtime.GOMAXPROCS(0)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w * m / workers; i < (w+1)*m/workers; i++ {
				row := c[i*n:][:n]
				clear(row)
				for p := range k {
					x, src := a[i*k+p], b[p*n:][:n]
					for j := range row {
						row[j] += x * src[j]
					}
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkGEMM(b *testing.B) {
	const n = 1024
	gflops := func(b *testing.B) {
		b.ReportMetric(2*float64(n)*n*n*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOP/s")
	}
	x, y, z := make([]float32, n*n), make([]float32, n*n), make([]float32, n*n)
	for i := range x {
		x[i], y[i] = float32(i%17)/16, float32(i%13)/8
	}
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			plainGEMM(z, x, y, n, n, n)
		}
		gflops(b)
	})
	for _, t := range [][3]int{{64, 64, 32}, {128, 128, 32}} {
		b.Run(fmt.Sprintf("tiles=%dx%dx%d", t[0], t[1], t[2]), func(b *testing.B) {
			d := newDevice(b, cpu.Options{})
			k := gemmKernel(b, n, n, n, t[0], t[1], t[2]).compile(d)
			ba, bb, bc := upload(b, d, x), upload(b, d, y), upload(b, d, z)
			s, _ := d.NewStream()
			args := []uint64{ba.Address(), bb.Address(), bc.Address()}
			for b.Loop() {
				s.Launch(k, [3]uint32{uint32(n / t[0]), uint32(n / t[1]), 1}, args)
				if err := s.Wait(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
			gflops(b)
		})
	}
}

func BenchmarkScalarLoop(b *testing.B) {
	d := newDevice(b, cpu.Options{})
	s := tileir.Tile(tileir.I32)
	k := newKernel(b, tileir.PointerTile(tileir.I32), s)
	lo, one := k.i32(0), k.i32(1)
	body := k.region([]tileir.Type{s, s}, func(args vals) {
		v := k.one("muli", vals{args[0], args[0]}, nil, s)
		w := k.one("addi", vals{args[1], v}, nil, s)
		k.opGroups("continue", []vals{{k.one("subi", vals{w, args[0]}, nil, s)}}, nil, nil)
	})
	r := k.opGroups("for", []vals{{lo}, {k.entry.Params[1]}, {one}, {lo}}, nil, []*tileir.Block{body}, s)
	k.opGroups("store_ptr_tko", []vals{{k.entry.Params[0]}, {r[0]}}, attrs{"memory_ordering_semantics": tileir.MemoryWeak}, nil, tileir.Token)
	k.ret()
	kern := k.compile(d)
	out := upload(b, d, make([]int32, 1))
	st, _ := d.NewStream()
	for b.Loop() {
		st.Launch(kern, [3]uint32{1, 1, 1}, []uint64{out.Address(), 1000})
		if err := st.Wait(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/iteration")
}

func BenchmarkVectorAdd(b *testing.B) {
	const n, tile = 1 << 22, 1024
	d := newDevice(b, cpu.Options{})
	p := tileir.PointerTile(tileir.F32)
	k := newKernel(b, p, p, p)
	var v vals
	for _, q := range k.entry.Params {
		v = append(v, k.view(q, []int{tile}, n))
	}
	id := k.ids()[0]
	k.store(k.one("addf", vals{k.load(v[0], id), k.load(v[1], id)}, nearest, tileir.Tile(tileir.F32, tile)), v[2], id)
	k.ret()
	x := upload(b, d, make([]float32, n))
	y, z := upload(b, d, make([]float32, n)), upload(b, d, make([]float32, n))
	benchLaunch(b, d, k, [3]uint32{n / tile, 1, 1}, 12*n, x.Address(), y.Address(), z.Address())
}

// softmaxKernel is the softmax of rows of n numbers.
func softmaxKernel(t testing.TB, n int, rows int64) *kernel {
	p := tileir.PointerTile(tileir.F32)
	k := newKernel(t, p, p)
	x, y := k.view(k.entry.Params[0], []int{1, n}, rows, int64(n)), k.view(k.entry.Params[1], []int{1, n}, rows, int64(n))
	id, f, row := k.ids()[0], tileir.Tile(tileir.F32), tileir.Tile(tileir.F32, 1, n)
	spread := func(v *tileir.Value) *tileir.Value {
		return k.one("broadcast", vals{k.one("reshape", vals{v}, nil, tileir.Tile(tileir.F32, 1, 1))}, nil, row)
	}
	v := k.load(x, id, k.i32(0))
	top := k.fold("reduce", v, 1, nil, tileir.Tile(tileir.F32, 1), func(e, a *tileir.Value) *tileir.Value { return k.one("maxf", vals{e, a}, nil, f) })
	e := k.one("exp", vals{k.one("subf", vals{v, spread(top)}, nearest, row)}, attrs{"rounding_mode": tileir.RoundingFull}, row)
	sum := k.fold("reduce", e, 1, nil, tileir.Tile(tileir.F32, 1), func(e, a *tileir.Value) *tileir.Value { return k.one("addf", vals{e, a}, nearest, f) })
	k.store(k.one("divf", vals{e, spread(sum)}, nearest, row), y, id, k.i32(0))
	k.ret()
	return k
}

func BenchmarkSoftmax(b *testing.B) {
	const n, rows = 4096, 1024
	d := newDevice(b, cpu.Options{})
	x, y := upload(b, d, randomFloats(n*rows, 1, 5)), upload(b, d, make([]float32, n*rows))
	benchLaunch(b, d, softmaxKernel(b, n, rows), [3]uint32{rows, 1, 1}, 8*n*rows, x.Address(), y.Address())
}

func benchLaunch(b *testing.B, d *cpu.Device, k *kernel, grid [3]uint32, bytes int64, args ...uint64) {
	kern := k.compile(d)
	s, _ := d.NewStream()
	b.SetBytes(bytes)
	for b.Loop() {
		s.Launch(kern, grid, args)
		if err := s.Wait(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// launcher gives a function that launches a kernel and waits.
func launcher(b *testing.B, d *cpu.Device, k engine.Kernel, grid [3]uint32, args []uint64) func() {
	s, err := d.NewStream()
	if err != nil {
		b.Fatal(err)
	}
	return func() {
		if err := s.Launch(k, grid, args); err != nil {
			b.Fatal(err)
		}
		if err := s.Wait(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// alternate times two functions in turns and gives the fastest time of each, since other work disturbs the machine.
func alternate(b *testing.B, first, second func()) (x, y time.Duration) {
	x, y = time.Hour, time.Hour
	for b.Loop() {
		for range 3 {
			start := time.Now()
			first()
			middle := time.Now()
			second()
			x, y = min(x, middle.Sub(start)), min(y, time.Since(middle))
		}
	}
	return x, y
}

func BenchmarkEmptyLaunch(b *testing.B) {
	d := newDevice(b, cpu.Options{})
	k := newKernel(b)
	k.ret()
	benchLaunch(b, d, k, [3]uint32{1, 1, 1}, 0)
}

// BenchmarkGather loads from a table through pointers in random order, scales, and stores through pointers.
func BenchmarkGather(b *testing.B) {
	const n, tile = 1 << 20, 1024
	d := newDevice(b, cpu.Options{})
	p, q := tileir.PointerTile(tileir.F32), tileir.PointerTile(tileir.I32)
	k := newKernel(b, p, q, p)
	id := k.ids()[0]
	pp, f, ii := tileir.PointerTile(tileir.F32, tile), tileir.Tile(tileir.F32, tile), tileir.Tile(tileir.I32, tile)
	spread := func(v *tileir.Value, t *tileir.TileType) *tileir.Value {
		one := *v.Type.(*tileir.TileType)
		one.Shape = []int{1}
		return k.one("broadcast", vals{k.one("reshape", vals{v}, nil, &one)}, nil, t)
	}
	weak := attrs{"memory_ordering_semantics": tileir.MemoryWeak}
	index := k.load(k.view(k.entry.Params[1], []int{tile}, n), id)
	from := k.one("offset", vals{spread(k.entry.Params[0], pp), index}, nil, pp)
	v := k.opGroups("load_ptr_tko", []vals{{from}}, weak, nil, f, tileir.Token)[0]
	first := k.one("muli", vals{id, k.i32(tile)}, nil, tileir.Tile(tileir.I32))
	line := k.one("addi", vals{k.one("iota", nil, nil, ii), spread(first, ii)}, nil, ii)
	to := k.one("offset", vals{spread(k.entry.Params[2], pp), line}, nil, pp)
	k.opGroups("store_ptr_tko", []vals{{to}, {k.one("mulf", vals{v, v}, nearest, f)}}, weak, nil, tileir.Token)
	k.ret()
	indices, rng := make([]int32, n), generator(1)
	for i := range indices {
		indices[i] = int32(rng() % 4096)
	}
	x, y := upload(b, d, make([]float32, 4096)), upload(b, d, make([]float32, n))
	benchLaunch(b, d, k, [3]uint32{n / tile, 1, 1}, 12*n, x.Address(), upload(b, d, indices).Address(), y.Address())
}

// BenchmarkReduceRows sums and finds the greatest of short rows, as attention does.
func BenchmarkReduceRows(b *testing.B) {
	const rows, n, blocks = 64, 64, 256
	d := newDevice(b, cpu.Options{})
	p := tileir.PointerTile(tileir.F32)
	k := newKernel(b, p, p)
	f, out := tileir.Tile(tileir.F32), tileir.Tile(tileir.F32, rows)
	id := k.ids()[0]
	x := k.load(k.view(k.entry.Params[0], []int{rows, n}, rows*blocks, n), id, k.i32(0))
	top := k.fold("reduce", x, 1, nil, out, func(e, a *tileir.Value) *tileir.Value { return k.one("maxf", vals{e, a}, nil, f) })
	sum := k.fold("reduce", x, 1, nil, out, func(e, a *tileir.Value) *tileir.Value { return k.one("addf", vals{e, a}, nearest, f) })
	k.store(k.one("addf", vals{top, sum}, nearest, out), k.view(k.entry.Params[1], []int{rows}, rows*blocks), id)
	k.ret()
	in, res := upload(b, d, randomFloats(rows*n*blocks, 1, 1)), upload(b, d, make([]float32, rows*blocks))
	benchLaunch(b, d, k, [3]uint32{blocks, 1, 1}, 4*rows*n*blocks, in.Address(), res.Address())
}

// BenchmarkCompile compiles kernels with machine code, and interpreted.
func BenchmarkCompile(b *testing.B) {
	for name, k := range map[string]*kernel{"gemm": gemmKernel(b, 1024, 1024, 1024, 128, 128, 32), "silu": chain(b, 1024, 3, siluChain)} {
		for way, o := range map[string]cpu.Options{"code": {}, "interpreted": {Interpret: true}} {
			b.Run(name+"/"+way, func(b *testing.B) {
				d := newDevice(b, o)
				b.ReportAllocs()
				for b.Loop() {
					k, err := d.Compile(bg, k.module, k.entry.Name)
					if err != nil {
						b.Fatal(err)
					}
					k.Close()
				}
			})
		}
	}
}

// BenchmarkCarried sums the rows of a matrix; a loop carries a tile of sums.
func BenchmarkCarried(b *testing.B) {
	const rows, cols, r, c = 512, 4096, 8, 1024
	d := newDevice(b, cpu.Options{Workers: 1})
	p, tt, f := tileir.PointerTile(tileir.F32), tileir.Tile(tileir.F32, r, c), tileir.Tile(tileir.F32)
	k := newKernel(b, p, p)
	x, id := k.view(k.entry.Params[0], []int{r, c}, rows, cols), k.ids()[0]
	body := k.region([]tileir.Type{tileir.Tile(tileir.I32), tt}, func(in vals) {
		k.opGroups("continue", []vals{{k.one("addf", vals{in[1], k.load(x, id, in[0])}, nearest, tt)}}, nil, nil)
	})
	sum := k.opGroups("for", []vals{{k.i32(0)}, {k.i32(cols / c)}, {k.i32(1)}, {constant(k, tt, float32(0))}}, nil, []*tileir.Block{body}, tt)
	row := k.fold("reduce", sum[0], 1, nil, tileir.Tile(tileir.F32, r), func(e, a *tileir.Value) *tileir.Value { return k.one("addf", vals{e, a}, nearest, f) })
	k.store(row, k.view(k.entry.Params[1], []int{r}, rows), id)
	k.ret()
	in, out := upload(b, d, randomFloats(rows*cols, 1, 1)), upload(b, d, make([]float32, rows))
	benchLaunch(b, d, k, [3]uint32{rows / r, 1, 1}, 4*rows*cols, in.Address(), out.Address())
}

package cpu_test

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"

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

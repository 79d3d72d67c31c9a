package bench_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	products "github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/tile"
)

// BenchmarkLoops reports how many times as fast as the usual kernel others are that multiply the same matrices with the loop over k in
// another loop, or with the places of tiles computed in that loop: by the least time of each, in turns, after their results were compared.
//
//	go test ./internal/testing/bench -run '^$' -bench Loops -benchtime 60x
func BenchmarkLoops(b *testing.B) {
	defer func(f func(*cpu.Options)) { cpu.Adjust = f }(cpu.Adjust)
	cpu.Adjust = func(o *cpu.Options) { o.Early = false }
	for _, s := range [][3]int{{512, 512, 512}, {1024, 1024, 1024}, {1000, 900, 512}} {
		for _, workers := range slices.Compact([]int{1, runtime.GOMAXPROCS(0)}) {
			of := fmt.Sprintf("%dx%dx%d/workers=%d", s[0], s[1], s[2], workers)
			b.Run("f32/"+of, func(b *testing.B) {
				loops(b, workers, s, func(x float32) float32 { return x },
					usual[float32, one, one, one], resident[float32, one, one, one], striding[float32, one, one, one], halves[float32, one, one, one])
			})
			b.Run("bf16/"+of, func(b *testing.B) {
				loops(b, workers, s, func(x float32) bf16 { return bf16(math.Float32bits(x) >> 16) },
					usual[bf16, one, one, one], resident[bf16, one, one, one], striding[bf16, one, one, one], halves[bf16, one, one, one])
			})
		}
	}
}

type (
	one  = tile.D1
	bf16 = dtype.BFloat16
)

// loops compares the kernels for elements of one type, which are made of numbers.
func loops[E products.Float](b *testing.B, workers int, s [3]int, element func(x float32) E, usual, resident, striding, halves any) {
	const size, depth, groups = 64, 64, 2
	m, n, k := s[0], s[1], s[2]
	dev := open(b, cutile.WithWorkers(workers))
	x, w := filled(b, dev, element, m, k), filled(b, dev, element, k, n)
	y, err := cutile.NewTensor[float32](dev, m, n)
	if err != nil {
		b.Fatal(err)
	}
	bounds, err := cutile.FromSlice(dev, []int32{0, int32(m / 2), int32(m)}, groups+1)
	if err != nil {
		b.Fatal(err)
	}
	launch := func(on cutile.Target, kernel any, args ...any) func() error {
		return func() error {
			return cutile.Launch(b.Context(), on, cutile.Sized(kernel, size, size, depth), append([]any{x, w, y}, args...)...)
		}
	}
	tiles := (m + size - 1) / size * ((n + size - 1) / size)
	all := []*contender{
		{name: "usual", run: launch(dev, usual)}, {name: "resident", run: launch(dev, resident)},
		{name: "striding", run: launch(dev.Grid(min(tiles, 8*workers)), striding)}, {name: "halves", run: launch(dev, halves, k/depth/2)},
		{name: "ragged", run: func() error { return products.RunRagged(b.Context(), dev, x, w.Broadcast(groups, k, n), bounds, y) }},
	}
	var want []float32
	for _, c := range all {
		c.once(b, dev)
		got, err := y.Slice()
		if err != nil {
			b.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) {
			b.Fatalf("%s: the result differs", c.name)
		}
		c.least = math.Inf(1)
	}
	for b.Loop() {
		for _, c := range all {
			c.once(b, dev)
		}
	}
	for _, c := range all[1:] {
		b.ReportMetric(all[0].least/c.least, c.name)
	}
	b.ReportMetric(0, "ns/op")
}

// contender is a kernel with its least time.
type contender struct {
	name  string
	run   func() error
	least float64
}

// once launches the kernel and waits for it.
func (c *contender) once(b *testing.B, dev *cutile.Device) {
	start := time.Now()
	err := c.run()
	if err == nil {
		err = dev.Sync(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
	c.least = min(c.least, time.Since(start).Seconds())
}

// filled makes a matrix.
func filled[E dtype.Elem](b *testing.B, dev *cutile.Device, element func(x float32) E, rows, columns int) *cutile.Tensor[E] {
	data := make([]E, rows*columns)
	for i := range data {
		data[i] = element(float32(math.Sin(float64(i))))
	}
	x, err := cutile.FromSlice(dev, data, rows, columns)
	if err != nil {
		b.Fatal(err)
	}
	return x
}

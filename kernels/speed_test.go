package kernels_test

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/kernels/internal/kerneltest"
	"github.com/cutile-go/cutile/tileir"
)

// tensorArg is an argument that stands for a tensor. number says what its integers are.
type tensorArg interface {
	on(t testing.TB, dev *cutile.Device, number func(i int) int32) any
}

func (s shaped[E]) on(t testing.TB, dev *cutile.Device, number func(i int) int32) any {
	return filled[E](t, dev, s.shape, number)
}

func (s turned[E]) on(t testing.TB, dev *cutile.Device, number func(i int) int32) any {
	return filled[E](t, dev, s.shape, number).T()
}

// filled makes a tensor of ordinary numbers.
func filled[E dtype.Elem](t testing.TB, dev *cutile.Device, shape []int, number func(i int) int32) *cutile.Tensor[E] {
	t.Helper()
	n, e := 1, dtype.Of[E]()
	for _, m := range shape {
		n *= m
	}
	data := make([]E, n)
	for i := range data {
		bits := uint64(number(i))
		switch {
		case e == dtype.Of[e8m0]():
			bits = e.FloatBits(math.Ldexp(1, i%3-1))
		case e == dtype.Of[bool]():
			bits = uint64(i % 2)
		case e.IsFloat():
			bits = e.FloatBits(math.Sin(float64(i)))
		case e != dtype.Of[int32]():
			bits = uint64(i * 7)
		}
		for k := range e.Size() { // the machines of the engine's machine code put the lowest byte first
			*(*byte)(unsafe.Add(unsafe.Pointer(&data[i]), k)) = byte(bits >> (8 * k))
		}
	}
	x, err := cutile.FromSlice(dev, data, shape...)
	kerneltest.Must(t, err)
	return x
}

// numbers are the integers of kernels that need other ones than 0, 1, 2 …: the length of each cache, the expert of each tile.
var numbers = map[string]func(i int) int32{
	"attention.Decode": func(int) int32 { return 1024 }, "attention.DecodeMasked": func(int) int32 { return 1024 },
	"attention.DecodeBiased": func(int) int32 { return 1024 }, "attention.Masked": func(int) int32 { return 1024 },
	"attention.Biased": func(int) int32 { return 1024 }, "attention.DecodeSeen": func(int) int32 { return 1024 },
	"attention.SavingMasked": func(int) int32 { return 1024 }, "attention.QueryGradientsMasked": func(int) int32 { return 1024 },
	"attention.KeyGradientsMasked": func(int) int32 { return 1024 }, "attention.BiasGradients": func(int) int32 { return 1024 },
	"kvcache.Append": func(int) int32 { return 0 },
	"moe.Grouped":    func(i int) int32 { return int32(i % 8) },
	"pool.Greatest":  within, "pool.GreatestAt": within, "pool.GreatestBackward": within, "pool.Average": within, "pool.AverageBackward": within,
}

// within are rows of which three follow in an image of 56.
func within(i int) int32 { return int32(i % 54) }

// grids are those of kernels that do not say theirs by what they write.
var grids = map[string][]int{
	"gemm.Persistent[128 128 64]": {64}, "gemm.SplitKAtomic[64 64 32]": {16, 16, 4},
	"gemm.Grouped[128 128 64]": {64}, "gemm.Grouped[64 64 64]": {3}, "gemm.Grouped[128 128 128]": {64},
	"softmax.LongRows[1 2048]": {64}, "softmax.BackwardRows[1 1024]": {1024},
	"loss.CrossBackward[1 1024]": {1024},
	"norm.RMSLongRows[1 1024]":   {1024}, "norm.LayerLongRows[1 1024]": {1024}, "norm.LayerBackwardAtomic[1 1024]": {1024}, "norm.LayerBackwardX[1 1024]": {128},
	"norm.Blend[64]": {1}, "norm.BatchBackwardRows[1 1 1024]": {64}, "norm.GroupBackwardRows[1 1024]": {64},
	"attention.Full[128 64 128]": {8, 8, 2}, "attention.Causal[128 64 128]": {8, 8, 2}, "attention.Decode[16 64 128]": {2, 2, 8},
	"attention.Masked[64 64 128]": {16, 8, 2}, "attention.Biased[64 64 128]": {16, 8, 2}, "attention.DecodeMasked[16 64 128]": {2, 2, 8}, "attention.DecodeBiased[16 64 128]": {2, 2, 8},
	"attention.DecodeSeen[16 64 128]": {2, 2, 8}, "attention.SavingMasked[64 64 128]": {16, 8, 2}, "attention.QueryGradientsMasked[64 64 128]": {16, 8, 2},
	"attention.KeyGradientsMasked[64 64 128]": {16, 2, 2}, "attention.BiasGradients[64 64 128]": {256, 8, 2}, "attention.Saving[64 64 128]": {16, 8, 2}, "attention.QueryGradients[64 64 128]": {16, 8, 2}, "attention.KeyGradients[64 64 128]": {16, 2, 2},
	"conv.Product[64 8 8 64]": {49, 1, 2}, "conv.Product[32 4 16 32]": {56, 2, 2}, "conv.Narrow[8 32]": {14, 64, 2}, "conv.Pointwise[64 64 64]": {49, 1, 2}, "conv.WeightParts[64 8 8 64]": {9, 1, 7},
	"pool.Greatest[4 4 32]": {896}, "pool.GreatestAt[4 4 32]": {896}, "pool.GreatestBackward[4 4 32]": {896}, "pool.Average[4 4 32]": {896}, "pool.AverageBackward[4 4 32]": {896},
	"rope.Rotate[8 64]": {1024, 1}, "rope.RotateRows[8 64]": {1024}, "rope.RotateBoth[8 8 64]": {1024, 1},
	"qkv.Append[8 2 64]": {1024, 2}, "qkv.NormAppend[8 2 64]": {1024, 2}, "qkv.NormAppend[4 1 8]": {5, 2},
	"kvcache.Append[8 128]": {1024, 2}, "moe.Grouped[64 64 64]": {16, 16}, "embedding.Backward[1024]": {1024, 1},
	"embedding.BagsBackward[1024]": {128, 1}, "embedding.WeightedBagsBackward[1024]": {128, 1}, "embedding.GreatestBagsBackward[1024]": {128, 1}, "embedding.BagWeights[1024]": {128},
}

// timed is a kernel that is ready to run on a device.
type timed struct {
	dev    *cutile.Device
	launch *cutile.Prepared
}

// arguments makes the arguments of a kernel on a device, and says on what it is launched.
func (r row) arguments(t testing.TB, dev *cutile.Device) (on cutile.Target, args []any) {
	t.Helper()
	number := numbers[r.name]
	if number == nil {
		number = func(i int) int32 { return int32(i) }
	}
	for _, a := range r.args {
		if s, ok := a.(tensorArg); ok {
			a = s.on(t, dev, number)
		}
		args = append(args, a)
	}
	on = dev
	if g := grids[fmt.Sprint(r.name, r.extents)]; g != nil {
		on = dev.Grid(g[0], g[1:]...)
	}
	return on, args
}

func (r row) prepare(t testing.TB, dev *cutile.Device) timed {
	t.Helper()
	on, args := r.arguments(t, dev)
	p, err := cutile.Prepare(t.Context(), on, cutile.Sized(r.kernel, r.extents...), args...)
	if err != nil {
		t.Fatalf("%s: %v", r.name, err)
	}
	return timed{dev, p}
}

// seconds gives the least time of a launch among some, which stop after a while.
func (k timed) seconds(t testing.TB, times int) float64 {
	t.Helper()
	least, begin := math.Inf(1), time.Now()
	for i := range times + 1 {
		start := time.Now()
		kerneltest.Must(t, k.launch.Launch(t.Context()))
		kerneltest.Must(t, k.dev.Sync(t.Context()))
		if took := time.Since(start).Seconds(); i > 0 || took > 1 { // the first one finds nothing in the caches
			least = min(least, took)
		}
		if time.Since(begin) > time.Second {
			break
		}
	}
	return least
}

// BenchmarkReady compares machine code of each ready kernel with the interpreter, on one worker, and prints how many times as fast
// it is:
//
//	go test ./kernels -run '^$' -bench Ready -benchtime 1x
func BenchmarkReady(b *testing.B) {
	defer func(f func(*cpu.Options)) { cpu.Adjust = f }(cpu.Adjust)
	cpu.Adjust = func(o *cpu.Options) { o.Early = false } // in place of what tests change, which makes launches slow
	open := func(level string) *cutile.Device {
		b.Setenv(host.Env, level)
		dev, err := cutile.Open("cpu", cutile.WithWorkers(1))
		kerneltest.Must(b, err)
		b.Cleanup(func() { dev.Close() })
		return dev
	}
	was := os.Getenv(host.Env)
	interpreter, code := open("interpreter"), open(was)
	var ratios []float64
	for b.Loop() {
		ratios = ratios[:0]
		for _, r := range table(b) {
			slow, fast := r.prepare(b, interpreter), r.prepare(b, code)
			s, f := slow.seconds(b, 3), fast.seconds(b, 30)
			ratios = append(ratios, s/f)
			fmt.Printf("%-40s %10.1f µs, interpreted %10.1f µs, ratio %7.2f\n", fmt.Sprint(r.name, r.extents), 1e6*f, 1e6*s, s/f)
		}
	}
	slices.Sort(ratios)
	below := func(x float64) float64 { i, _ := slices.BinarySearch(ratios, x); return float64(i) }
	b.ReportMetric(ratios[len(ratios)/2], "median-ratio")
	b.ReportMetric(ratios[0], "least-ratio")
	b.ReportMetric(below(5), "below-5")
	b.ReportMetric(below(1), "below-1")
}

// first gives the seconds of compiling the kernel, whose Tile IR is known, and of its first launch, on a device of its own.
func (r row) first(t testing.TB, adjust func(*cpu.Options)) float64 {
	t.Helper()
	cpu.Adjust = adjust
	dev, err := cutile.Open("cpu", cutile.WithWorkers(1))
	kerneltest.Must(t, err)
	defer dev.Close()
	on, args := r.arguments(t, dev)
	kerneltest.Must(t, dev.Sync(t.Context()))
	start := time.Now()
	p, err := cutile.Prepare(t.Context(), on, cutile.Sized(r.kernel, r.extents...), args...)
	kerneltest.Must(t, err)
	kerneltest.Must(t, p.Launch(t.Context()))
	kerneltest.Must(t, dev.Sync(t.Context()))
	return time.Since(start).Seconds()
}

// BenchmarkFirst compares compiling each ready kernel and launching it for the first time with the same in the interpreter, and with
// launches that always wait for machine code. It prints how much of the interpreter's time the first one takes:
//
//	go test ./kernels -run '^$' -bench First -benchtime 1x
func BenchmarkFirst(b *testing.B) {
	defer func(f func(*cpu.Options)) { cpu.Adjust = f }(cpu.Adjust)
	ways := []func(*cpu.Options){nil, func(o *cpu.Options) { o.Interpret = true }, func(o *cpu.Options) { o.Early = false }}
	var ratios, waiting []float64
	for b.Loop() {
		ratios, waiting = ratios[:0], waiting[:0]
		for _, r := range table(b) {
			least := []float64{math.Inf(1), math.Inf(1), math.Inf(1)}
			r.first(b, ways[2]) // makes the Tile IR
			for begin, i := time.Now(), 0; i < 1 || i < 200 && time.Since(begin) < 1500*time.Millisecond; i++ {
				for way, adjust := range ways {
					least[way] = min(least[way], r.first(b, adjust))
				}
			}
			ratios, waiting = append(ratios, least[0]/least[1]), append(waiting, least[2]/least[1])
			fmt.Printf("%-40s %10.1f µs, interpreted %10.1f µs, waiting %10.1f µs, ratios %5.2f and %5.2f\n", fmt.Sprint(r.name, r.extents), 1e6*least[0],
				1e6*least[1], 1e6*least[2], least[0]/least[1], least[2]/least[1])
		}
	}
	for name, list := range map[string][]float64{"": ratios, "-waiting": waiting} {
		slices.Sort(list)
		b.ReportMetric(list[len(list)/2], "median"+name)
		b.ReportMetric(list[len(list)-1], "worst"+name)
	}
}

// BenchmarkCompile makes machine code of the module of each ready kernel, and reports the milliseconds of gemm.Tiled, of the median and of
// the kernel that takes longest, which it names.
func BenchmarkCompile(b *testing.B) {
	d := cpu.New(cpu.Options{})
	defer d.Close()
	took := map[string]float64{}
	modules := map[string]*tileir.Module{}
	for _, r := range table(b) {
		modules[fmt.Sprint(r.name, r.extents)] = exported(b, r)
	}
	for b.Loop() {
		for name, m := range modules {
			start := time.Now()
			k, err := d.Compile(b.Context(), m, m.Entries[0].Name)
			ms := 1e3 * time.Since(start).Seconds()
			kerneltest.Must(b, err)
			kerneltest.Must(b, k.Close())
			if was, ok := took[name]; !ok || ms < was {
				took[name] = ms
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(took), func(x, y string) int { return cmp.Compare(took[x], took[y]) })
	b.Logf("%s takes longest", names[len(names)-1])
	b.ReportMetric(took["gemm.Tiled[128 128 64]"], "ms-gemm")
	b.ReportMetric(took[names[len(names)/2]], "ms-median")
	b.ReportMetric(took[names[len(names)-1]], "ms-longest")
}

package cpu_test

import (
	"fmt"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// costsOf are the costs of n blocks, of kinds that kernels have.
var costsOf = map[string]func(i, n int) float64{
	"equal":    func(int, int) float64 { return 1 },
	"rising":   func(i, _ int) float64 { return float64(i + 1) }, // causal attention, a triangular loop
	"falling":  func(i, n int) float64 { return float64(n - i) },
	"repeated": func(i, _ int) float64 { return float64(i%16 + 1) }, // that for each head
}

// TestShares: workers wait for little at the end of a launch, whatever the blocks cost. Equal shares would lose more.
func TestShares(t *testing.T) {
	for name, cost := range costsOf {
		for _, workers := range []int{2, 4, 8} {
			for _, n := range []int{128, 1000} {
				costs := make([]float64, n)
				for i := range costs {
					costs[i] = cost(i, n)
				}
				got, equal := cpu.Idle(workers, false, costs), cpu.Idle(workers, true, costs)
				t.Logf("%-10s %d workers, %4d blocks: %4.1f %% are lost, with equal shares %4.1f %%", name, workers, n, 100*got, 100*equal)
				if bound := 0.01 + float64(workers)/float64(n); got > bound || got > equal+0.002 {
					t.Errorf("%s, %d workers, %d blocks: %.3f of the work is lost", name, workers, n, got)
				}
			}
		}
	}
}

// triangle is a kernel whose block with number i goes i times through a loop.
func triangle(t testing.TB, n int) *kernel {
	f, s := tileir.Tile(tileir.F32, n), tileir.Tile(tileir.I32)
	k := newKernel(t, tileir.PointerTile(tileir.F32))
	v := k.view(k.entry.Params[0], []int{n}, 1<<20)
	id := k.ids()[0]
	body := k.region([]tileir.Type{s, f}, func(args vals) {
		k.opGroups("continue", []vals{{k.one("mulf", vals{args[1], args[1]}, nearest, f)}}, nil, nil)
	})
	r := k.opGroups("for", []vals{{k.i32(0)}, {id}, {k.i32(1)}, {k.load(v, id)}}, nil, []*tileir.Block{body}, f)
	k.store(r[0], v, id)
	k.ret()
	return k
}

// BenchmarkShares runs blocks whose costs rise, with shares that become smaller, with equal ones, and on one worker.
func BenchmarkShares(b *testing.B) {
	const n, blocks = 1024, 512
	devices := map[string]cpu.Options{"shrinking": {Workers: 2}, "equal": cpu.WithEqualShares(cpu.Options{Workers: 2}), "one worker": {Workers: 1}}
	for _, name := range []string{"shrinking", "equal", "one worker"} {
		b.Run(fmt.Sprint(name), func(b *testing.B) {
			d := newDevice(b, devices[name])
			benchLaunch(b, d, triangle(b, n), [3]uint32{blocks, 1, 1}, 4*n*blocks*blocks/2, upload(b, d, make([]float32, n*blocks)).Address())
		})
	}
}

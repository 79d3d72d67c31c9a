package vecmath_test

import (
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/native/vecmath"
	"github.com/cutile-go/cutile/internal/native/vecmath/mathloops"
)

// sweepEnv names the functions that TestSweep compares, or all.
const sweepEnv = "CUTILE_ULP"

// TestSweep compares the results for all arguments with float64.
func TestSweep(t *testing.T) {
	names := os.Getenv(sweepEnv)
	if names == "" {
		t.Skip("takes minutes for each function: " + sweepEnv + "=all asks for it, or names of functions")
	}
	for i := range vecmath.Functions {
		f := &vecmath.Functions[i]
		if len(f.Args) > 1 || f.Type() != vec.F32 || names != "all" && !strings.Contains(","+names+",", ","+f.Name+",") {
			continue
		}
		w := sweep(f.Name)
		w.check(t, f)
	}
}

// mirrored are the functions whose values for negative numbers are those for positive ones, times the sign of these.
var mirrored = map[string]float32{"Sin": -1, "Tan": -1, "Sinh": -1, "Tanh": -1, "Cos": 1, "Cosh": 1}

// seeMirrored compares the values for negative numbers with those for positive ones.
func (w *worst) seeMirrored(name string, d, a []float32) {
	sign, p := mirrored[name], make([]float32, len(a))
	for i, x := range a {
		p[i] = -x
	}
	mathloops.Unary[name](p, p)
	for i, x := range d {
		if y := sign * p[i]; math.Float32bits(x) != math.Float32bits(y) && (x == x || y == y) {
			*w = worst{math.Inf(1), a[i]}
		}
	}
}

// sweep shares all arguments between processors.
func sweep(name string) (w worst) {
	const block = 1 << 16
	blocks := make(chan uint32)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			var mine worst
			a, d := make([]float32, block), make([]float32, block)
			for at := range blocks {
				for i := range a {
					a[i] = math.Float32frombits(at + uint32(i))
				}
				mathloops.Unary[name](d, a)
				if at>>31 == 1 && mirrored[name] != 0 {
					mine.seeMirrored(name, d, a)
				} else {
					mine.see(name, d, a)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			if mine.ulps > w.ulps {
				w = mine
			}
		})
	}
	for at := range uint32(1 << 32 / block) {
		blocks <- at * block
	}
	close(blocks)
	wg.Wait()
	return w
}

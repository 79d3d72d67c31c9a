package cutecases

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/testing/simttest"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// TestRead: each example leaves the same bits from its PTX, read back, as from the module.
func TestRead(t *testing.T) {
	dev := open(t, "cpu")
	for _, c := range Cases {
		t.Run(c.Name, func(t *testing.T) {
			want := results(t, c, dev, cute.Options{})
			got := results(t, c, dev, cute.Options{Pipeline: "verify,optimise,verify,ptx,read"})
			if !slices.EqualFunc(got, want, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
				t.Errorf("got  %v\nwant %v", got, want)
			}
			plain := results(t, c, dev, cute.Options{Opt: cute.O0})
			if !slices.Equal(plain, want) {
				t.Error("passes change results")
			}
		})
	}
}

// TestGPU: every GPU of the machine gives what the emulator gives, within the tolerance of each example.
func TestGPU(t *testing.T) {
	gpus := slices.DeleteFunc(cutile.Devices(), func(name string) bool { return !strings.HasPrefix(name, "cuda") })
	if len(gpus) == 0 {
		testenv.NeedsGPU(t)
	}
	cpu := open(t, "cpu")
	for _, name := range gpus {
		gpu := open(t, name)
		for _, c := range Cases {
			if !strings.Contains(gpu.Description(), c.Only) {
				continue // there is no code for it
			}
			t.Run(name+" "+c.Name, func(t *testing.T) {
				want, got := results(t, c, cpu, cute.Options{}), results(t, c, gpu, cute.Options{})
				for i := range want {
					if d := math.Abs(float64(got[i] - want[i])); !(d <= c.Tolerance*max(1, math.Abs(float64(want[i])))) {
						t.Fatalf("element %d is %v, the emulator's %v", i, got[i], want[i])
					}
				}
			})
		}
	}
}

// TestShadow: a GPU whose driver runs PTX gives what the emulator gives, launch by launch, also by tensor maps that only the driver can read.
func TestShadow(t *testing.T) {
	gpu := &simttest.GPU{Device: fake.Device{Major: 9, Memory: 1 << 30}, CUDA: 13040, Opaque: true}
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: gpu.Driver()})))
	t.Setenv("CUTILE_CACHE", t.TempDir())
	dev, err := cutile.Open("cuda", cutile.WithShadow(cutile.Shadow{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	for _, c := range Cases {
		t.Run(c.Name, func(t *testing.T) {
			before := dev.Stats()
			results(t, c, dev, cute.Options{})
			if now := dev.Stats(); now.Compared == before.Compared || now.NotCompared != 0 {
				t.Errorf("%d launches were compared, and %d were not", now.Compared-before.Compared, now.NotCompared)
			}
		})
	}
}

func open(t *testing.T, name string) *cutile.Device {
	t.Helper()
	dev, err := cutile.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

func results(t *testing.T, c Case, dev *cutile.Device, o cute.Options) []float32 {
	t.Helper()
	got, err := c.Run(dev, o)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestVariables: with variables for debuggers, each example leaves the same bits, and ptxas makes machine code of its PTX.
func TestVariables(t *testing.T) {
	testenv.Tool(t, "ptxas")
	dev := open(t, "cpu")
	for _, c := range Cases {
		t.Run(c.Name, func(t *testing.T) {
			want := results(t, c, dev, cute.Options{})
			t.Setenv("CUTILE_DEBUG", "variables")
			if got := results(t, c, dev, cute.Options{KeepCubin: true}); !slices.EqualFunc(got, want, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
				t.Errorf("got  %v\nwant %v", got, want)
			}
		})
	}
}

package cute_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// TestGPU: every GPU of the machine leaves the bits that the emulator leaves.
func TestGPU(t *testing.T) {
	names := slices.DeleteFunc(cutile.Devices(), func(name string) bool { return !strings.HasPrefix(name, "cuda") })
	if len(names) == 0 {
		testenv.NeedsGPU(t)
	}
	cpu, _ := open(t)
	for _, name := range names {
		gpu := must(cutile.Open(name))(t)
		defer gpu.Close()
		for what, run := range onDevice {
			t.Run(name+" "+what, func(t *testing.T) {
				want := run(t, cpu)
				if got := run(t, gpu); !slices.Equal(got, want) {
					t.Errorf("got  %v\nwant %v", got, want)
				}
			})
		}
	}
}

// TestFakeGPU: so does the host side for a GPU whose driver runs PTX on host memory.
func TestFakeGPU(t *testing.T) {
	cpu, _ := open(t)
	_, gpu := openFake(t, 13000)
	for what, run := range onDevice {
		t.Run(what, func(t *testing.T) {
			want := run(t, cpu)
			if got := run(t, gpu); !slices.Equal(got, want) {
				t.Errorf("got  %v\nwant %v", got, want)
			}
		})
	}
}

// onDevice is programs whose results are exact.
var onDevice = map[string]func(t *testing.T, dev *cutile.Device) []float32{
	"scale": func(t *testing.T, dev *cutile.Device) []float32 {
		x := vector(t, dev, 1000)
		check(t, cute.Jit(runScale)(cute.Of[float32](x), 0.1))
		return must(x.Slice())(t)
	},
	"two kernels": func(t *testing.T, dev *cutile.Device) []float32 {
		x := vector(t, dev, 1000)
		check(t, cute.Jit(runTwo)(cute.Of[float32](x)))
		return must(x.Slice())(t)
	},
	"shared memory": func(t *testing.T, dev *cutile.Device) []float32 {
		x := vector(t, dev, 64)
		check(t, cute.Jit(reversed)(cute.Of[float32](x), cute.C(0)))
		return must(x.Slice())(t)
	},
	"much shared memory": func(t *testing.T, dev *cutile.Device) []float32 {
		x := vector(t, dev, 64)
		check(t, cute.Jit(bigShared)(cute.Of[float32](x), 90<<10))
		return must(x.Slice())(t)
	},
	"streams": func(t *testing.T, dev *cutile.Device) []float32 {
		x := vector(t, dev, 100)
		s1, s2 := must(dev.NewStream())(t), must(dev.NewStream())(t)
		y := cute.Of[float32](x)
		check(t, cute.Jit(chained)(y, y, cute.StreamOf(s1), cute.StreamOf(s2)))
		return must(x.Slice())(t)
	},
	"product": func(t *testing.T, dev *cutile.Device) []float32 {
		a, b := vector(t, dev, 64).Reshape(8, 8), vector(t, dev, 32).Reshape(4, 8)
		c := must(cutile.NewTensor[float32](dev, 8, 4))(t)
		still := cute.Static()
		check(t, cute.Jit(product.run, quiet)(product{8, 4, true}, cute.Of[float32](a), cute.Of[float32](b, still), cute.Of[float32](c, still), cute.C[epilogue](relu)))
		return must(c.Slice())(t)
	},
}

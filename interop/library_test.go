//go:build !nocuda && linux && (amd64 || arm64)

package interop_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/interop"
)

// axpy declares the kernel of the C library that stands for the driver: it needs a grid of (x, 2, 3), one thread, and 64 bytes.
const axpy = `.version 8.0
.target sm_80
.address_size 64
.visible .entry axpy(.param .u64 y, .param .u64 x, .param .f32 a, .param .s16 n) { ret; }
`

// TestLibrary launches by calls of a C library, which gets the arguments as the driver does.
func TestLibrary(t *testing.T) {
	lib := filepath.Join(t.TempDir(), "libcuda.so.1")
	out, err := exec.Command(testenv.CC(t), "-shared", "-fPIC", "-o", lib, "../internal/driver/cudrv/testdata/driver.c").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	drv, err := cudrv.OpenLibrary(lib)
	need(t, err)
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: drv})))
	dev, err := cutile.Open("cuda")
	need(t, err)
	defer dev.Close()
	m, err := interop.LoadModule(t.Context(), dev, []byte(axpy))
	need(t, err)
	x, y := vector(t, dev, 10), vector(t, dev, 10)
	c := interop.Config{Grid: [3]int{2, 2, 3}, Block: [3]int{1}, Shared: 64}
	launch := func() error {
		return kernel(t, m, "axpy").Launch(dev.Stream(), c, y, interop.In(x), float32(10), int16(7))
	}
	need(t, launch())
	g, err := dev.Stream().Capture(launch)
	need(t, err)
	need(t, g.Replay(dev.Stream()))
	if got := elements(t, y); !slices.Equal(got, []float32{0, 21, 42, 63, 84, 105, 126, 7, 8, 9}) {
		t.Errorf("y is %v", got)
	}
	need(t, g.Close())
	need(t, m.Close())
}

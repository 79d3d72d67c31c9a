package cutile_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/testing/simttest"
	"github.com/cutile-go/cutile/tile"
)

// ptxGPU makes cuda:0 a GPU whose driver takes PTX, on a machine without tools of NVIDIA.
func ptxGPU(t *testing.T, gpu *simttest.GPU) *fake.Driver {
	t.Helper()
	t.Setenv("CUTILE_CACHE", t.TempDir())
	gpu.Device.Memory = 1 << 30
	drv := gpu.Driver()
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: drv})))
	return drv
}

// TestAssembler: what the option and the environment choose, and what they may not.
func TestAssembler(t *testing.T) {
	ptxGPU(t, &simttest.GPU{Device: fake.Device{Major: 9}, CUDA: 13040})
	t.Setenv("CUTILE_TILEIRAS", "")
	for _, c := range []struct {
		env  string
		opts []cutile.Option
		want string // of the error of Open
		own  bool
	}{
		{"own", nil, "", true},
		{"", []cutile.Option{cutile.WithAssembler("own")}, "", true},
		{"tileiras", []cutile.Option{cutile.WithAssembler("own")}, "", true},
		{"ptxas", nil, `cutile: CUTILE_ASSEMBLER is "ptxas": expected own or tileiras`, false},
		{"", []cutile.Option{cutile.WithAssembler("Own")}, `cutile: WithAssembler is "Own": expected own or tileiras`, false},
	} {
		t.Setenv("CUTILE_ASSEMBLER", c.env)
		for _, name := range []string{"cuda:0", "cpu"} {
			var log strings.Builder
			dev, err := cutile.Open(name, append(c.opts, cutile.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))...)
			if c.want != "" {
				if err == nil || err.Error() != c.want {
					t.Errorf("%s: error %v, want %s", name, err, c.want)
				}
				continue
			}
			must(t, err)
			x, z := ramp(t, dev, 10), zeros[float32](t, dev, 10)
			must(t, cutile.Launch(t.Context(), dev, scale[tile.D4], x, 2, z))
			holds(t, "scale", z, "[2 4 6 8 10 12 14 16 18 20]")
			must(t, dev.Close())
			if want := `assembler=own because="it was chosen"`; strings.Contains(log.String(), want) != (name == "cuda:0") {
				t.Errorf("%s: the log is\n%s", name, log.String())
			}
		}
	}
	t.Setenv("CUTILE_ASSEMBLER", "tileiras")
	t.Setenv("CUTILE_TILEIRAS", "/none/tileiras")
	dev, err := cutile.Open("cuda")
	must(t, err)
	defer dev.Close()
	err = cutile.Launch(t.Context(), dev, scale[tile.D4], ramp(t, dev, 10), 2, zeros[float32](t, dev, 10))
	if !errors.Is(err, cutile.ErrNoToolchain) {
		t.Errorf("got %v, want ErrNoToolchain", err)
	}
}

// TestFaultOfPTX: a kernel that traps loses the context, with the kernel's name and line.
func TestFaultOfPTX(t *testing.T) {
	drv := ptxGPU(t, &simttest.GPU{Device: fake.Device{Major: 7, Minor: 5}, CUDA: 11040})
	dev, err := cutile.Open("cuda", cutile.WithAssembler("own"))
	must(t, err)
	z := zeros[float32](t, dev, 10)
	must(t, cutile.Launch(t.Context(), dev, scale[tile.D4], ramp(t, dev, 10), 2, z))
	drv.Fail("cuLaunchKernel", 1, 700)
	err = cutile.Launch(t.Context(), dev, scale[tile.D4], ramp(t, dev, 10), 2, z)
	fails(t, err, "kernels_test.go:", "the context of cuda:0 and all its memory are lost")
	if dev.Close() != nil && len(drv.Leaks()) > 0 {
		t.Error(fmt.Sprint(drv.Leaks()))
	}
}

// TestMuchShared: a kernel whose stages take more shared memory than a block has unasked gets it, and the products are right.
func TestMuchShared(t *testing.T) {
	drv := ptxGPU(t, &simttest.GPU{Device: fake.Device{Major: 8, Minor: 6}, CUDA: 11040})
	dev, err := cutile.Open("cuda", cutile.WithAssembler("own"))
	must(t, err)
	defer dev.Close()
	const n, inner = 128, 128
	a, b, want := make([]dtype.Float16, n*inner), make([]dtype.Float16, inner*n), make([]float32, n*n)
	left, right := func(i, k int) float32 { return float32((i + k) % 3) }, func(k, j int) float32 { return float32(k * j % 4) }
	for i := range n {
		for k := range inner {
			a[i*inner+k], b[k*n+i] = dtype.Float16FromFloat32(left(i, k)), dtype.Float16FromFloat32(right(k, i))
			for j := range n {
				want[i*n+j] += left(i, k) * right(k, j)
			}
		}
	}
	x, err := cutile.FromSlice(dev, a, n, inner)
	must(t, err)
	y, err := cutile.FromSlice(dev, b, inner, n)
	must(t, err)
	z := zeros[float32](t, dev, n, n)
	must(t, cutile.Launch(t.Context(), dev, product[tile.D128, tile.D128, tile.D64], x, y, z))
	got, err := z.Slice()
	must(t, err)
	if !slices.Equal(got, want) {
		t.Error("the product is wrong")
	}
	var asked, launched string
	for _, c := range drv.Trace() {
		switch c.Name {
		case "cuFuncSetAttribute":
			asked = fmt.Sprint(c.Args[2])
		case "cuLaunchKernel":
			launched = fmt.Sprint(c.Args[3])
		}
	}
	if asked != launched || len(asked) < 5 {
		t.Errorf("%q bytes were asked for, and %s launched", asked, launched)
	}
}

// TestGlobalOfPTX: memory of a kernel keeps its contents from launch to launch, and a kernel of other types has memory of its own.
func TestGlobalOfPTX(t *testing.T) {
	for _, gpu := range []*simttest.GPU{{Device: fake.Device{Major: 7, Minor: 5}, CUDA: 11040}, {Device: fake.Device{Major: 9}, CUDA: 13040}} {
		ptxGPU(t, gpu)
		dev, err := cutile.Open("cuda", cutile.WithAssembler("own"))
		must(t, err)
		for i := range 3 {
			for _, launch := range []func(z *cutile.Tensor[int32]) error{
				func(z *cutile.Tensor[int32]) error { return cutile.Launch(t.Context(), dev, count[tile.D4], z) },
				func(z *cutile.Tensor[int32]) error { return cutile.Launch(t.Context(), dev, count[tile.D8], z) },
			} {
				z := zeros[int32](t, dev, 8)
				must(t, launch(z))
				first := 1 + 10*i
				holds(t, fmt.Sprintf("launch %d", i), z, fmt.Sprint([]int{first, first, first, first, first, first, first, first}))
			}
		}
		must(t, dev.Close())
	}
}

// TestGlobalBesideMaps: a kernel whose loads could take tensor maps counts on through launches for which a driver would make none.
func TestGlobalBesideMaps(t *testing.T) {
	drv := ptxGPU(t, &simttest.GPU{Device: fake.Device{Major: 9}, CUDA: 13040})
	dev, err := cutile.Open("cuda", cutile.WithAssembler("own"))
	must(t, err)
	defer dev.Close()
	z := zeros[float32](t, dev, 64, 64)
	for i, inner := range []int{64, 128, 192, 256} {
		if i%2 > 0 {
			drv.Fail("cuTensorMapEncodeTiled", 1, cudrv.NotFound)
		}
		n := zeros[int32](t, dev, 1)
		must(t, cutile.Launch(t.Context(), dev, countedProduct, zeros[dtype.Float16](t, dev, 64, inner), zeros[dtype.Float16](t, dev, inner, 64), z, n))
		holds(t, fmt.Sprintf("launch %d", i), n, fmt.Sprintf("[%d]", 1+10*i))
	}
	loaded := 0
	for _, c := range drv.Trace() {
		if c.Name == "cuModuleLoadDataEx" {
			loaded++
		}
	}
	if loaded != 1 {
		t.Errorf("%d modules were loaded, want one", loaded)
	}
}

// TestRefusalsOfPTX: what our own compiler refuses, a user reads about with the kernel's line and the words of package tile.
func TestRefusalsOfPTX(t *testing.T) {
	ptxGPU(t, &simttest.GPU{Device: fake.Device{Major: 7, Minor: 5}, CUDA: 11040})
	dev, err := cutile.Open("cuda", cutile.WithAssembler("own"))
	must(t, err)
	defer dev.Close()
	line := func(after string) string {
		data, err := os.ReadFile("kernels_vulkan_test.go")
		must(t, err)
		before, _, _ := strings.Cut(string(data), after)
		return fmt.Sprintf("kernels_vulkan_test.go:%d:", strings.Count(before, "\n")+1)
	}
	square, z := zeros[float32](t, dev, 1024, 1024), zeros[int32](t, dev, 8)
	for _, c := range []struct {
		err  error
		want string
	}{
		{cutile.Launch(t.Context(), dev, addMatrix[tile.D1024, tile.D1024], square, square, zeros[float32](t, dev, 1024, 1024)), "kernels_test.go:21:10: Load: a tile of 1048576 elements: a block of "},
		{cutile.Launch(t.Context(), dev, roomy[tile.D65536, tile.D4], z, tile.Size[tile.D65536]{}, tile.Size[tile.D4]{}),
			line("x, y := tile.Scratch") + "10: Scratch: 262144 bytes have to lie in shared memory, of which there are 65536: ask for less"},
		{cutile.Launch(t.Context(), dev, roomy[tile.D8192, tile.D16384], z, tile.Size[tile.D8192]{}, tile.Size[tile.D16384]{}),
			line("func roomy") + "1: the kernel needs 98304 bytes of shared memory, but the target has 65536: use smaller tiles"},
	} {
		var e *cutile.Error
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) || !errors.As(c.err, &e) || !strings.HasPrefix(c.want, filepath.Base(e.Pos.String())+": ") {
			t.Errorf("got %v (%+v), want %s", c.err, e, c.want)
		}
	}
}

package cutile_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tileir"
)

// onEach runs a test on the CPU, on a GPU whose driver is a fake, which keeps memory, streams and events, and on a Vulkan device if the
// machine has one.
func onEach(t *testing.T, test func(*testing.T, *cutile.Device)) {
	t.Run("cpu", func(t *testing.T) { test(t, open(t)) })
	t.Run("cuda", func(t *testing.T) { test(t, fakeGPU(t, fake.Options{})) })
	t.Run("vulkan", func(t *testing.T) { test(t, onVulkan(t)) })
}

func fakeGPU(t *testing.T, o fake.Options) *cutile.Device {
	t.Helper()
	drv := fake.New(o)
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: drv, Assembler: assembler{}})))
	dev, err := cutile.Open("cuda")
	must(t, err)
	t.Cleanup(func() {
		dev.Close()
		if leaks := drv.Leaks(); len(leaks) > 0 {
			t.Errorf("left on the device: %v", leaks)
		}
	})
	return dev
}

// assembler makes what the fake driver takes for a cubin.
type assembler struct{}

func (assembler) Versions(context.Context) ([]tileir.Version, error) { return tileir.Versions(), nil }

func (assembler) Assemble(_ context.Context, job cuda.Job) ([]byte, error) {
	c := &fake.Cubin{Target: job.Target, Payload: job.Bytecode}
	for _, e := range job.Module.Entries {
		entry := fake.Entry{Name: e.Name}
		for _, p := range e.Params {
			n := 8
			if tt := p.Type.(*tileir.TileType); !tt.Pointer {
				n = tt.Elem.Bytes()
			}
			entry.Params = append(entry.Params, n)
		}
		c.Entries = append(c.Entries, entry)
	}
	return c.Encode(), nil
}

func TestOpenPrefersGPU(t *testing.T) {
	t.Setenv("CUTILE_DEVICE", "")
	t.Cleanup(engine.Register(engine.Kind{Name: "vulkan", List: func() ([]string, error) { return nil, nil }})) // of this machine
	fakeGPU(t, fake.Options{Devices: []fake.Device{
		{Name: "One", Major: 9, Memory: 1 << 30}, {Name: "Two", Major: 10, Memory: 1 << 30}}})
	if got, want := cutile.Devices(), []string{"cuda:0", "cuda:1", "cpu"}; !slices.Equal(got, want) {
		t.Errorf("devices %v, want %v", got, want)
	}
	for name, want := range map[string]string{"": "cuda:0", "cuda": "cuda:0", "cuda:1": "cuda:1", "cpu": "cpu"} {
		dev, err := cutile.Open(name)
		must(t, err)
		if dev.Name() != want {
			t.Errorf("Open(%q) opened %v, want %s", name, dev, want)
		}
		must(t, dev.Close())
	}
	_, err := cutile.Open("cuda:2")
	fails(t, err, `cutile: no such device: "cuda:2"; the devices are cuda:0; cuda:1; cpu`)
}

// TestLaunchOnGPU sees what the driver gets: the arguments in the order and width that a kernel's entry has, and an
// own block for each tile block.
func TestLaunchOnGPU(t *testing.T) {
	var launches []string
	dev := fakeGPU(t, fake.Options{Run: func(l *fake.Launch) error {
		launches = append(launches, fmt.Sprint(l.Grid, l.Block, l.Args[1:3], math.Float32frombits(uint32(l.Args[3])), l.Args[5:]))
		x, err := l.Memory(l.Args[0])
		if err != nil {
			return err
		}
		z, err := l.Memory(l.Args[4])
		if err != nil {
			return err
		}
		for i := range int(l.Args[1]) {
			v := math.Float32frombits(binary.LittleEndian.Uint32(x[4*i:])) * math.Float32frombits(uint32(l.Args[3]))
			binary.LittleEndian.PutUint32(z[4*i:], math.Float32bits(v))
		}
		return nil
	}})
	x, z := ramp(t, dev, 10), zeros[float32](t, dev, 10)
	must(t, cutile.Launch(t.Context(), dev, scale[tile.D4], x.Narrow(0, 2, 10), 0.5, z.Narrow(0, 2, 10)))
	holds(t, "scale", z, "[0 0 1.5 2 2.5 3 3.5 4 4.5 5]")
	if want := []string{"[2 1 1] [1 1 1] [8 1] 0.5 [8 1]"}; !slices.Equal(launches, want) {
		t.Errorf("launches %q, want %q", launches, want)
	}
}

func TestLostGPU(t *testing.T) {
	dev := fakeGPU(t, fake.Options{Run: func(*fake.Launch) error { return errors.New("trapped") }})
	z := zeros[float32](t, dev, 10)
	must(t, cutile.Launch(t.Context(), dev, scale[tile.D4], ramp(t, dev, 10), 0.5, z))
	_, err := z.Slice()
	fails(t, err, "kernel cutile_test.scale[D4]: ", "kernels_test.go:", "the context of cuda:0 and all its memory are lost")
	var e *cutile.Error
	if !errors.As(err, &e) || e.Stage != cutile.StageRun {
		t.Errorf("%+v", e)
	}
	if dev.Close() == nil {
		t.Error("Close hides the fault")
	}
}

// TestNoToolchain: a missing assembler is told as such, and looked for again at the next launch.
func TestNoToolchain(t *testing.T) {
	t.Setenv("CUTILE_TILEIRAS", filepath.Join(t.TempDir(), "tileiras"))
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: fake.New(fake.Options{})})))
	dev, err := cutile.Open("cuda:0")
	must(t, err)
	defer dev.Close()
	x, z := ramp(t, dev, 10), zeros[float32](t, dev, 10)
	for range 2 {
		err = cutile.Launch(t.Context(), dev, scale[tile.D4], x, 2, z)
		if !errors.Is(err, cutile.ErrNoToolchain) {
			t.Errorf("got %v, want ErrNoToolchain", err)
		}
		fails(t, err, "cutile: device cuda:0: ", "CUTILE_TILEIRAS names "+os.Getenv("CUTILE_TILEIRAS"))
	}
}

// counting is an assembler that keeps its jobs, and may refuse those with promises.
type counting struct {
	assembler
	jobs []cuda.Job
	fail bool
}

func (c *counting) Assemble(ctx context.Context, job cuda.Job) ([]byte, error) {
	c.jobs = append(c.jobs, job)
	for _, o := range job.Module.Entries[0].Body.Ops {
		if c.fail && o.Info.AttrIndex("inbounds") >= 0 && o.Attr("inbounds") != nil {
			return nil, errors.New("no promises")
		}
	}
	return c.assembler.Assemble(ctx, job)
}

package cutile_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/tile"
)

// TestMemoryLimit: tensors beyond Limits.Memory are an error, and memory that was closed or dropped counts no more.
func TestMemoryLimit(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	limits := cutile.WithLimits(cutile.Limits{Memory: 10_000})
	cpu, err := cutile.Open("cpu", limits)
	must(t, err)
	defer cpu.Close()
	fakeGPU(t, fake.Options{Run: func(*fake.Launch) error { return nil }})
	gpu, err := cutile.Open("cuda", limits)
	must(t, err)
	defer gpu.Close()
	for _, dev := range []*cutile.Device{cpu, gpu} {
		x := zeros[float32](t, dev, 2000)
		_, err := cutile.NewTensor[float32](dev, 1000)
		if err == nil || !strings.Contains(err.Error(), "4000 bytes are too many beside the 8000 of the device's other tensors: at most 10000 are allowed") ||
			!strings.Contains(err.Error(), "CUTILE_LIMITS=memory=…") {
			t.Errorf("%v: the error is %v", dev, err)
		}
		zeros[float32](t, dev, 500).Close()
		must(t, cutile.Launch(t.Context(), dev.Grid(125), double[tile.D16], x)) // closed while work may use it
		must(t, x.Close())
		for range 20 {
			zeros[float32](t, dev, 2000) // dropped at once
		}
		if s := dev.Stats(); s.PeakBytes > 10_000 || s.Tensors > 1 {
			t.Errorf("%v: %+v", dev, s)
		}
	}
	if _, err := cutile.Wrap(cpu, make([]float32, 4000)); err == nil || !strings.Contains(err.Error(), "16000 bytes are too many") {
		t.Errorf("wrapping too much gives %v", err)
	}
}

// TestTrim: a GPU keeps what was freed, tells how much, and gives it back when it is asked.
func TestTrim(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cutile.Device) {
		must(t, zeros[float32](t, dev, 1<<20).Close())
		must(t, dev.Sync(t.Context()))
		must(t, zeros[float32](t, dev, 1<<18).Close())
		want := int64(0)
		if strings.HasPrefix(dev.Name(), "cuda") {
			want = 4 << 20
		}
		kept := dev.Stats().UnusedBytes
		for deadline := time.Now().Add(10 * time.Second); kept != want && time.Now().Before(deadline); kept = dev.Stats().UnusedBytes {
			time.Sleep(time.Millisecond) // what is freed comes to the pool in the order of a stream
		}
		if kept != want {
			t.Errorf("%v keeps %d bytes, want %d", dev, kept, want)
		}
		must(t, dev.Trim())
		if kept := dev.Stats().UnusedBytes; kept != 0 {
			t.Errorf("%v keeps %d bytes after Trim", dev, kept)
		}
		must(t, dev.Close())
		if err := dev.Trim(); !errors.Is(err, cutile.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	})
}

// TestFullDevice: goroutines that make more tensors than fit together wait for nobody, lose nothing, and leave nothing.
func TestFullDevice(t *testing.T) {
	dev := fakeGPU(t, fake.Options{Quiet: true, Devices: []fake.Device{{Name: "small", Major: 9, Memory: 1 << 20}}})
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 50 {
				x, err := cutile.FromSlice(dev, make([]float32, 32<<10)) // 128 KiB
				if err != nil {
					if !strings.Contains(err.Error(), "CUDA_ERROR_OUT_OF_MEMORY") {
						t.Error(err)
					}
					continue
				}
				if err := errors.Join(x.Fill(t.Context(), 1), x.Close()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	must(t, dev.Sync(t.Context()))
	if s := dev.Stats(); s.Tensors != 0 || s.MemoryBytes != 0 {
		t.Errorf("left: %+v", s)
	}
	zeros[float32](t, dev, 200<<10)
}

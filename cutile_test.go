package cutile_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tile"
)

func open(t testing.TB, opts ...cutile.Option) *cutile.Device {
	t.Helper()
	dev, err := cutile.Open("cpu", append(opts, cutile.WithWorkers(2), cutile.WithChecks())...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

// ramp makes a tensor whose elements count from 1.
func ramp(t testing.TB, dev *cutile.Device, shape ...int) *cutile.Tensor[float32] {
	t.Helper()
	x, err := cutile.NewTensor[float32](dev, shape...)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]float32, x.Len())
	for i := range data {
		data[i] = float32(i + 1)
	}
	if err := x.Write(t.Context(), data); err != nil {
		t.Fatal(err)
	}
	return x
}

func zeros[E dtype.Elem](t testing.TB, dev *cutile.Device, shape ...int) *cutile.Tensor[E] {
	t.Helper()
	x, err := cutile.NewTensor[E](dev, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// holds checks a tensor's elements, written as fmt.Sprint writes them.
func holds[E dtype.Elem](t testing.TB, what string, x *cutile.Tensor[E], want string) {
	t.Helper()
	got, err := x.Slice()
	if fmt.Sprint(got) != want || err != nil {
		t.Errorf("%s: got %v, %v; want %s", what, got, err, want)
	}
}

// fails checks that an error has each of the texts.
func fails(t testing.TB, err error, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("got the error %v\nwant %q in it", err, text)
		}
	}
}

func TestOpen(t *testing.T) {
	if names := cutile.Devices(); slices.ContainsFunc(names[slices.Index(names, "cpu")+1:], func(n string) bool { return !strings.HasPrefix(n, "vulkan:") }) {
		t.Errorf("devices %v: the CPU must be the last but for software", names)
	}
	for _, name := range []string{"gpu", "cpu:0", "cuda:99", "cuda:x", " cpu"} {
		_, err := cutile.Open(name)
		if !errors.Is(err, cutile.ErrNoDevice) {
			t.Errorf("Open(%q) gave %v, want ErrNoDevice", name, err)
		}
		fails(t, err, fmt.Sprintf("cutile: no such device: %q; the devices are ", name), "cpu")
	}
	t.Setenv("CUTILE_DEVICE", "cpu")
	dev, err := cutile.Open("")
	must(t, err)
	if dev.Name() != "cpu" || dev.String() != "device cpu" || dev.Description() == "" {
		t.Errorf("name %q, %v, description %q", dev.Name(), dev, dev.Description())
	}
	must(t, dev.Close())
	t.Setenv("CUTILE_DEVICE", "tpu")
	_, err = cutile.Open("")
	fails(t, err, `no such device: "tpu"; the devices are `)
	for n, want := range map[int]string{-1: "cutile: WithWorkers: the number of workers is negative (-1): give 0", 1 << 61: "cutile: WithWorkers: 2305843009213693952 workers are too many"} {
		_, err := cutile.Open("cpu", cutile.WithWorkers(n))
		fails(t, err, want)
	}
	dev, err = cutile.Open("cpu", cutile.WithWorkers(0))
	must(t, err)
	must(t, dev.Close())
}

func TestOutput(t *testing.T) {
	var out strings.Builder
	dev := open(t, cutile.WithOutput(&out))
	must(t, cutile.Launch(t.Context(), dev, hello, zeros[int32](t, dev, 1)))
	must(t, dev.Sync(t.Context()))
	if out.String() != "hello from 0\n" {
		t.Errorf("printed %q", out.String())
	}
}

func TestClosed(t *testing.T) {
	dev := open(t)
	x, y := ramp(t, dev, 4), ramp(t, dev, 4)
	view := x.Narrow(0, 1, 3)
	p, err := cutile.Prepare(t.Context(), dev, add[tile.D4], x, y, zeros[float32](t, dev, 4))
	must(t, err)
	must(t, x.Close())
	must(t, x.Close())
	_, err = x.Slice()
	_, err2 := view.Slice()
	err3 := cutile.Launch(t.Context(), dev, add[tile.D4], x, y, zeros[float32](t, dev, 4))
	err4 := p.Launch(t.Context())
	for i, err := range []error{err, err2, err3, err4, x.Write(t.Context(), make([]float32, 4)), y.Copy(t.Context(), x)} {
		if !errors.Is(err, cutile.ErrClosed) {
			t.Errorf("use %d of a closed tensor gave %v", i, err)
		}
	}
	fails(t, err, "cutile: Tensor[float32] of shape [4] on cpu is closed")
	fails(t, err3, "kernel cutile_test.add[D4]: argument #1 (x), *cutile.Tensor[float32] of shape [4], is closed")

	s, err := dev.NewStream()
	must(t, err)
	must(t, s.Close())
	fails(t, s.Sync(t.Context()), "cutile: stream of cpu is closed")
	fails(t, cutile.Launch(t.Context(), s, add[tile.D4], y, y, zeros[float32](t, dev, 4)), "stream of cpu is closed")

	must(t, dev.Close())
	must(t, dev.Close())
	_, err = cutile.NewTensor[int8](dev, 1)
	_, err2 = dev.NewStream()
	_, err3 = y.Slice()
	for i, err := range []error{err, err2, err3, dev.Sync(t.Context()), p.Launch(t.Context())} {
		if !errors.Is(err, cutile.ErrClosed) {
			t.Errorf("use %d of a closed device gave %v", i, err)
		}
	}
}

func TestStreamsAndEvents(t *testing.T) {
	dev := open(t)
	x, y, z := ramp(t, dev, 1000), ramp(t, dev, 1000), zeros[float32](t, dev, 1000)
	s, err := dev.NewStream()
	must(t, err)
	if s.Device() != dev || dev.Stream() == s || dev.Stream().Device() != dev {
		t.Error("devices and streams are mixed up")
	}
	start, err := s.Record()
	must(t, err)
	for i := range 50 { // each round uses what the other stream wrote
		must(t, cutile.Launch(t.Context(), []cutile.Target{dev, s}[i%2], add[tile.D16], x, y, z))
		must(t, cutile.Launch(t.Context(), []cutile.Target{dev, s}[(i+1)%2], add[tile.D16], z, y, x))
	}
	end, err := s.Record()
	must(t, err)
	must(t, dev.Stream().Wait(end))
	must(t, end.Sync(t.Context()))
	if took, err := end.Elapsed(start); took < 0 || err != nil || !end.Done() {
		t.Errorf("took %v, %v", took, err)
	}
	got, err := x.Narrow(0, 0, 3).Slice()
	must(t, err)
	if want := "[101 202 303]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	must(t, errors.Join(start.Close(), end.Close(), s.Close()))
}

func TestCancelledContext(t *testing.T) {
	dev := open(t)
	x := ramp(t, dev, 4)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := cutile.Prepare(ctx, dev, add[tile.D32], x, x, zeros[float32](t, dev, 4))
	p, err2 := cutile.Prepare(t.Context(), dev, add[tile.D8], x, x, zeros[float32](t, dev, 4))
	must(t, err2)
	for i, err := range []error{err, cutile.Launch(ctx, dev, scale[tile.D2], x, 2, zeros[float32](t, dev, 4)), x.Write(ctx, make([]float32, 4)),
		p.Launch(ctx), x.Read(ctx, make([]float32, 4)), dev.Sync(ctx)} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("call %d gave %v", i, err)
		}
	}
	must(t, cutile.Launch(t.Context(), dev, scale[tile.D2], x, 2, zeros[float32](t, dev, 4)))
}

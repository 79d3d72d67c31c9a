package cutile_test

import (
	"context"
	"encoding/json"
	"expvar"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// logbook keeps what is logged, a line for each record without its time and durations.
type logbook struct {
	mu    sync.Mutex
	lines []string
	level slog.Level
}

func (l *logbook) Enabled(_ context.Context, level slog.Level) bool { return level >= l.level }

func (l *logbook) Handle(_ context.Context, r slog.Record) error {
	line := r.Level.String() + " " + r.Message
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "took" && a.Key != "description" {
			line += " " + a.String()
		}
		return true
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
	return nil
}

func (l *logbook) WithAttrs([]slog.Attr) slog.Handler { return l }
func (l *logbook) WithGroup(string) slog.Handler      { return l }

// has checks that a line has all texts.
func (l *logbook) has(t *testing.T, texts ...string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		found := true
		for _, text := range texts {
			found = found && strings.Contains(line, text)
		}
		if found {
			return
		}
	}
	t.Errorf("no line has %q:\n%s", texts, strings.Join(l.lines, "\n"))
}

// TestLogger: a device says what it does to its logger, and nothing of launches.
func TestLogger(t *testing.T) {
	book := &logbook{level: slog.LevelDebug}
	dev, err := cutile.Open("cpu", cutile.WithLogger(slog.New(book)), cutile.WithChecks())
	must(t, err)
	book.has(t, "INFO device opened", "device=cpu", "target=cpu", "checks=true")
	x, z := ramp(t, dev, 64), ramp(t, dev, 64)
	must(t, cutile.Launch(t.Context(), dev, add[tile.D16], x, x, z))
	book.has(t, "INFO kernel loaded", "device=cpu", "kernel=cutile_test.add[D16]")
	book.has(t, "INFO kernel is interpreted", "kernel=cutile_test.add[D16]", "the device has checks")
	before := len(book.lines)
	for range 3 {
		must(t, cutile.Launch(t.Context(), dev, add[tile.D16], x, x, z))
	}
	if len(book.lines) != before {
		t.Errorf("launches are logged:\n%s", strings.Join(book.lines[before:], "\n"))
	}
	if err := cutile.Launch(t.Context(), dev, wrong, zeros[float32](t, dev, 4)); err == nil {
		t.Error("a wrong kernel compiles")
	}
	must(t, dev.Close())
	book.has(t, "INFO device closed", "device=cpu")
	quiet := &logbook{level: slog.LevelWarn}
	dev, err = cutile.Open("cpu", cutile.WithLogger(slog.New(quiet)))
	must(t, err)
	must(t, dev.Close())
	if len(quiet.lines) > 0 {
		t.Errorf("a logger for warnings gets %q", quiet.lines)
	}
}

// TestLoggerReason: a device without checks says which operations it interprets.
func TestLoggerReason(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	t.Setenv("CUTILE_CPU", "interpreter")
	book := &logbook{}
	dev, err := cutile.Open("cpu", cutile.WithLogger(slog.New(book)))
	must(t, err)
	defer dev.Close()
	x, z := ramp(t, dev, 64), ramp(t, dev, 64)
	must(t, cutile.Launch(t.Context(), dev, add[tile.D16], x, x, z))
	book.has(t, "INFO kernel is interpreted", "kernel=cutile_test.add[D16]", "operations=", "at=", "kernels_test.go:", "there is no machine code for level interpreter")
}

// TestQuiet: a launch allocates nothing, with a logger and without, although it is counted.
func TestQuiet(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	const runs = 50
	for name, opts := range map[string][]cutile.Option{"none": nil, "nil": {cutile.WithLogger(nil)}, "one": {cutile.WithLogger(slog.New(&logbook{}))}} {
		dev, err := cutile.Open("cpu", append(opts, cutile.WithWorkers(2))...)
		must(t, err)
		x, z := ramp(t, dev, 64), zeros[float32](t, dev, 64)
		p, err := cutile.Prepare(t.Context(), dev, add[tile.D64], x, x, z)
		must(t, err)
		ctx := t.Context()
		launch := func() { p.Launch(ctx) }
		launches := settle(t, dev, runs, launch)
		if n := testing.AllocsPerRun(runs, launch); n != 0 {
			t.Errorf("logger %s: a launch allocates %v times", name, n)
		}
		must(t, dev.Close())
		if n := dev.Stats().Launches; n != int64(launches+runs+1) {
			t.Errorf("logger %s: %d launches", name, n)
		}
	}
}

// TestDeviceStats counts what a device does.
func TestDeviceStats(t *testing.T) {
	dev := open(t)
	if s := dev.Stats(); s != (cutile.DeviceStats{Device: "cpu"}) {
		t.Errorf("a new device has %+v", s)
	}
	x, z := ramp(t, dev, 1024), ramp(t, dev, 1024)
	big := zeros[float64](t, dev, 1000)
	for range 3 {
		must(t, cutile.Launch(t.Context(), dev, add[tile.D16], x, x, z))
	}
	must(t, dev.Sync(t.Context()))
	must(t, big.Close())
	s := dev.Stats()
	if s.Launches != 3 || s.Loaded != 1 || s.LoadTime <= 0 || s.Failed != 0 || s.Tensors != 2 || s.MemoryBytes != 8192 || s.PeakBytes != 16192 {
		t.Errorf("got %+v", s)
	}
	if err := cutile.Launch(t.Context(), dev, wrong, zeros[float32](t, dev, 4)); err == nil || dev.Stats().Failed > 1 {
		t.Errorf("%v, %+v", err, dev.Stats())
	}
	if (*cutile.Device)(nil).Stats() != (cutile.DeviceStats{}) {
		t.Error("a nil device did something")
	}
	must(t, dev.Close())
	if s := dev.Stats(); s.MemoryBytes != 0 || s.Tensors != 0 || s.Launches != 3 {
		t.Errorf("a closed device has %+v", s)
	}
}

// Programs that publish the counts with package expvar show them at /debug/vars.
func ExampleDevice_stats() {
	dev, err := cutile.Open("cpu")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer dev.Close()
	expvar.Publish("cutile", expvar.Func(func() any { return dev.Stats() }))
	x, err := cutile.Full[float32](dev, 1, 256)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer x.Close()
	var shown cutile.DeviceStats
	if err := json.Unmarshal([]byte(expvar.Get("cutile").String()), &shown); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(shown.Device, shown.Tensors, "tensor,", shown.MemoryBytes, "bytes")
	// Output: cpu 1 tensor, 1024 bytes
}

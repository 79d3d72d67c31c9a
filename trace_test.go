package cutile_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/examples/cute/elementwise"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/testing/nvtxtest"
	"github.com/cutile-go/cutile/internal/testing/simttest"
	"github.com/cutile-go/cutile/tile"
)

// traceEvent is an event of a trace, as readers of the format see it.
type traceEvent struct {
	Name, Cat, Ph string
	Ts, Dur       float64
	Pid, Tid      int
	Args          map[string]any
}

// events reads a trace, whose array need not have an end.
func events(t *testing.T, text string) (list []traceEvent) {
	t.Helper()
	must(t, json.Unmarshal([]byte(strings.TrimSpace(text)+"]"), &list))
	return list
}

// of counts the events of a category and a name.
func of(list []traceEvent, cat, name string) (found []traceEvent) {
	for _, e := range list {
		if e.Cat == cat && e.Name == name && e.Ph == "X" {
			found = append(found, e)
		}
	}
	return found
}

// TestTrace: a trace has each launch once, in its stream's row and in order, and what the host did.
func TestTrace(t *testing.T) {
	var out strings.Builder
	traced := cutile.WithTrace(&out)
	dev, err := cutile.Open("cpu", traced)
	must(t, err)
	other, err := cutile.Open("cpu", traced)
	must(t, err)
	x, z := ramp(t, dev, 64), zeros[float32](t, dev, 64)
	for range 5 {
		must(t, cutile.Launch(t.Context(), dev, scale[tile.D16], x, 2, z))
	}
	must(t, dev.Sync(t.Context()))
	s, err := dev.NewStream()
	must(t, err)
	must(t, cutile.Launch(t.Context(), s, add[tile.D16], x, x, z))
	holds(t, "z", z.Narrow(0, 0, 2), "[2 4]")
	y := ramp(t, other, 64)
	must(t, cutile.Launch(t.Context(), other, scale[tile.D64], y, 2, zeros[float32](t, other, 64)))
	must(t, dev.Close())
	must(t, other.Close()) // nobody has waited for its launch
	list := events(t, out.String())
	scales := of(list, "kernel", "cutile_test.scale[D16]")
	if len(scales) != 5 {
		t.Fatalf("%d launches in\n%s", len(scales), out.String())
	}
	for i, e := range scales {
		if i > 0 && (e.Ts < scales[i-1].Ts+scales[i-1].Dur-0.01 || e.Tid != scales[0].Tid || e.Pid != scales[0].Pid) || e.Dur <= 0 || e.Args["grid"].([]any)[0] != 4.0 {
			t.Errorf("launch %d is %+v, after %+v", i, e, scales[max(i-1, 0)])
		}
	}
	adds, last := of(list, "kernel", "cutile_test.add[D16]"), of(list, "kernel", "cutile_test.scale[D64]")
	if len(adds) != 1 || adds[0].Tid == scales[0].Tid || adds[0].Pid != scales[0].Pid || len(last) != 1 || last[0].Pid == scales[0].Pid {
		t.Errorf("other streams and devices have %+v, %+v", adds, last)
	}
	const apart = 20_000 // µs that the clocks may differ on a busy machine
	waits := of(list, "wait", "Sync")
	if len(waits) != 1 || waits[0].Ts+waits[0].Dur < scales[4].Ts+scales[4].Dur-apart || waits[0].Ts < -apart {
		t.Errorf("the waits are %+v, the last launch is %+v", waits, scales[4])
	}
	if n := len(of(list, "compile", "cutile_test.scale[D16] for the device")); n != 1 {
		t.Errorf("%d compilations", n)
	}
	if w := of(list, "copy", "write"); len(w) == 0 || w[0].Args["bytes"] != 256.0 {
		t.Errorf("the copies are %+v", w)
	}
	for _, name := range []string{"cpu: ", `"host"`, `"stream 0"`, `"stream 1"`} {
		if !strings.Contains(out.String(), name) {
			t.Errorf("there is no %s in\n%s", name, out.String())
		}
	}
}

// TestTraceFile: CUTILE_TRACE names a file for all devices.
func TestTraceFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace.json")
	t.Setenv("CUTILE_TRACE", file)
	dev := open(t)
	must(t, cutile.Launch(t.Context(), dev, scale[tile.D16], ramp(t, dev, 64), 2, zeros[float32](t, dev, 64)))
	must(t, dev.Sync(t.Context()))
	text, err := os.ReadFile(file)
	must(t, err)
	if n := len(of(events(t, string(text)), "kernel", "cutile_test.scale[D16]")); n != 1 {
		t.Errorf("%d launches in\n%s", n, text)
	}
	t.Setenv("CUTILE_TRACE", filepath.Join(file, "none"))
	_, err = cutile.Open("cpu")
	fails(t, err, "cutile: CUTILE_TRACE: open ")
}

// TestTraceGraphs: with CUTILE_TRACE_GRAPHS=launches, traces have the kernels of graphs.
func TestTraceGraphs(t *testing.T) {
	for value, want := range map[string][3]int{"": {1, 0, 2}, "graph": {1, 0, 2}, "launches": {5, 2, 0}} {
		t.Setenv("CUTILE_TRACE_GRAPHS", value)
		var out strings.Builder
		dev, err := cutile.Open("cpu", cutile.WithTrace(&out))
		must(t, err)
		x, z := ramp(t, dev, 64), zeros[float32](t, dev, 64)
		g, err := dev.Stream().Capture(func() error {
			err := cutile.Launch(t.Context(), dev, scale[tile.D16], x, 2, z)
			return errors.Join(err, x.Copy(t.Context(), z), cutile.Launch(t.Context(), dev, scale[tile.D16], x, 2, z))
		})
		must(t, err)
		must(t, cutile.Launch(t.Context(), dev, scale[tile.D16], x, 2, z))
		must(t, g.Replay(dev.Stream()))
		must(t, g.Replay(dev.Stream()))
		holds(t, "z", z.Narrow(0, 0, 2), "[8 16]")
		must(t, dev.Close())
		list := events(t, out.String())
		if got := [3]int{len(of(list, "kernel", "cutile_test.scale[D16]")), len(of(list, "copy", "copy")), len(of(list, "graph", "graph of 3"))}; got != want {
			t.Errorf("with %q, the trace has %v launches, copies and graphs, want %v:\n%s", value, got, want, out.String())
		}
	}
	t.Setenv("CUTILE_TRACE_GRAPHS", "nodes")
	_, err := cutile.Open("cpu")
	fails(t, err, `cutile: CUTILE_TRACE_GRAPHS is "nodes": expected graph or launches`)
}

// TestTraceCUDA: so has the trace of a GPU.
func TestTraceCUDA(t *testing.T) {
	ptxGPU(t, &simttest.GPU{Device: fake.Device{Major: 9}, CUDA: 13040})
	var out strings.Builder
	dev, err := cutile.Open("cuda", cutile.WithTrace(&out))
	must(t, err)
	x, z := ramp(t, dev, 64), zeros[float32](t, dev, 64)
	for range 3 {
		must(t, cutile.Launch(t.Context(), dev, scale[tile.D16], x, 2, z))
	}
	must(t, dev.Sync(t.Context()))
	must(t, dev.Close())
	if found := of(events(t, out.String()), "kernel", "cutile_test.scale[D16]"); len(found) != 3 || found[2].Ts < found[0].Ts {
		t.Errorf("the launches are %+v in\n%s", found, out.String())
	}
}

// TestProfiler: a profiler that is attached by NVTX sees ranges of compilations, launches of both levels, copies and waits.
func TestProfiler(t *testing.T) {
	noted := nvtxtest.Profiler(t)
	ptxGPU(t, &simttest.GPU{Device: fake.Device{Major: 9}, CUDA: 13040})
	for _, name := range []string{"cuda", "cpu"} {
		dev, err := cutile.Open(name)
		must(t, err)
		before := noted()
		x, z := ramp(t, dev, 64), zeros[float32](t, dev, 64)
		for range 3 {
			must(t, cutile.Launch(t.Context(), dev, scale[tile.D16], x, 2, z))
		}
		a, c := ramp(t, dev, 8, 8), zeros[float32](t, dev, 8, 8)
		_, err = cute.Call(t.Context(), elementwise.Add, a, a, c, elementwise.Epilogue(elementwise.Identity))
		must(t, err)
		must(t, dev.Sync(t.Context()))
		_, err = z.Slice()
		must(t, err)
		must(t, dev.Close())
		text := strings.TrimPrefix(noted(), before)
		for what, want := range map[string]int{
			"push compile cutile_test.scale[D16]": 1, "push launch cutile_test.scale[D16]": 3, "push compile addTile": 1, "push launch addTile": 1, "push Sync": 1,
		} {
			if n := strings.Count(text, what+"\n"); n != want {
				t.Errorf("%s: %d of %q, want %d in\n%s", name, n, what, want, text)
			}
		}
		if begun, ended := strings.Count(text, " push "), strings.Count(text, " pop\n"); begun != ended {
			t.Errorf("%s: %d ranges begin and %d end", name, begun, ended)
		}
	}
	// A library that is none is no reason not to run.
	t.Setenv("NVTX_INJECTION64_PATH", filepath.Join(t.TempDir(), "none.so"))
	book := &logbook{}
	dev, err := cutile.Open("cpu", cutile.WithLogger(slog.New(book)))
	must(t, err)
	book.has(t, "WARN a profiler is not used", "NVTX_INJECTION64_PATH: ", "none.so")
	must(t, dev.Close())
}

// labelled is an assembler that keeps the labels of the goroutine that calls it, and of a compiler of package cute.
type labelled struct {
	assembler
	labels *strings.Builder
}

func (l labelled) Assemble(ctx context.Context, job cuda.Job) ([]byte, error) {
	pprof.ForLabels(ctx, func(key, value string) bool {
		l.labels.WriteString("context " + key + "=" + value + "\n")
		return true
	})
	pprof.Lookup("goroutine").WriteTo(l.labels, 1)
	return l.assembler.Assemble(ctx, job)
}

// TestCompileLabels: profiles of a program count the time of compilations under the names of kernels, beside the program's own labels.
func TestCompileLabels(t *testing.T) {
	var labels strings.Builder
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: fake.New(fake.Options{Run: func(*fake.Launch) error { return nil }}), Assembler: labelled{labels: &labels}})))
	dev, err := cutile.Open("cuda")
	must(t, err)
	defer dev.Close()
	pprof.Do(t.Context(), pprof.Labels("request", "seven"), func(ctx context.Context) {
		must(t, cutile.Launch(ctx, dev, scale[tile.D16], ramp(t, dev, 64), 2, zeros[float32](t, dev, 64)))
	})
	for _, want := range []string{"context compile=cutile_test.scale[D16]", "context request=seven", `"compile":"cutile_test.scale[D16]"`} {
		if !strings.Contains(labels.String(), want) {
			t.Errorf("there is no %s in\n%s", want, labels.String())
		}
	}
}

// brokenWriter takes some bytes.
type brokenWriter struct{ left int }

func (w *brokenWriter) Write(b []byte) (int, error) {
	if w.left -= len(b); w.left < 0 {
		return 0, errors.New("no room")
	}
	return len(b), nil
}

// TestTraceEnds: kernels of package cute have their names, and a trace that could not be written is an error of Close.
func TestTraceEnds(t *testing.T) {
	var out strings.Builder
	for _, c := range []struct {
		to   io.Writer
		want string
	}{{&out, ""}, {&brokenWriter{300}, "the trace ends early: no room"}} {
		dev, err := cutile.Open("cpu", cutile.WithTrace(c.to))
		must(t, err)
		a, b, z := ramp(t, dev, 8, 8), ramp(t, dev, 8, 8), zeros[float32](t, dev, 8, 8)
		_, err = cute.Call(t.Context(), elementwise.Add, a, b, z, elementwise.Epilogue(elementwise.Identity))
		must(t, err)
		if err := dev.Close(); c.want == "" {
			must(t, err)
		} else {
			fails(t, err, c.want)
		}
	}
	found := 0
	for _, e := range events(t, out.String()) {
		if e.Cat == "kernel" && strings.Contains(e.Name, "addTile") {
			found++
		}
	}
	if found != 1 {
		t.Errorf("%d kernels of package cute in\n%s", found, out.String())
	}
}

package cutile_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/testing/simttest"
	"github.com/cutile-go/cutile/tile"
)

// searched tunes with the records of a file, and gives how many launches that took.
func searched[C any](t *testing.T, dev *cutile.Device, s cutile.Search[C], file string) (found *cutile.Tuned[C], launches int64) {
	t.Helper()
	r, err := cutile.OpenRecords(file)
	must(t, err)
	s.Records = r
	before := dev.Stats().Launches
	found, err = cutile.Tune(t.Context(), s)
	must(t, err)
	return found, dev.Stats().Launches - before
}

// recalled is what the records of a file have.
func recalled[C any](t *testing.T, s cutile.Search[C], file string) C {
	t.Helper()
	r, err := cutile.OpenRecords(file)
	must(t, err)
	s.Records = r
	c, err := cutile.Recall(t.Context(), s)
	must(t, err)
	return c
}

// TestTuneOtherChanges: a configuration that stands for something else than when it was tried, such as another kernel, is tried again, and not
// recalled before. So is one whose results were compared less strictly, or in other outputs.
func TestTuneOtherChanges(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	dev := open(t)
	x, z, y := ramp(t, dev, 4096), zeros[float32](t, dev, 4096), zeros[float32](t, dev, 4096)
	kernels := map[string]any{}
	search := func() cutile.Search[string] {
		return cutile.Search[string]{Space: []string{"slow", "fast"}, Outputs: []cutile.Output{z}, Launch: func(c string) cutile.Work {
			if c == "slow" {
				return cutile.Work{On: dev, Kernel: cutile.Sized(tripleSlowly[tile.D1], 64), Args: []any{x, z}}
			}
			return cutile.Work{On: dev, Kernel: kernels["fast"], Args: []any{x, z}}
		}}
	}
	fast, rough := cutile.Sized(triple[tile.D1], 1024), cutile.Sized(tripleRoughly[tile.D1], 1024)
	for _, c := range []struct {
		name   string
		before any
		after  any
		change func(s *cutile.Search[string])
		best   string
	}{
		{"the same", fast, fast, nil, "fast"},
		{"a wrong kernel", fast, cutile.Sized(tripleWrong[tile.D1], 1024), nil, "slow"},
		{"other tiles", fast, cutile.Sized(triple[tile.D1], 512), nil, "fast"},
		{"a right kernel", cutile.Sized(tripleWrong[tile.D1], 1024), fast, nil, "fast"},
		{"one that compiles", cutile.Sized(triple[tile.D1], 3), fast, nil, "fast"},
		{"a strict comparison", rough, rough, func(s *cutile.Search[string]) { s.Tolerance = 1e-9 }, "slow"},
		{"another output", fast, fast, func(s *cutile.Search[string]) {
			s.Outputs = append(s.Outputs, y)
			s.Reset = func(context.Context) error { return nil }
		}, "fast"},
	} {
		file := filepath.Join(t.TempDir(), "tuned.json")
		kernels["fast"] = c.before
		s := search()
		first, _ := searched(t, dev, s, file)
		if c.change != nil {
			c.change(&s)
		}
		kernels["fast"] = c.after
		same := c.name == "the same"
		if got := recalled(t, s, file); !same && got != "slow" || same && got != first.Best {
			t.Errorf("%s: %q is recalled", c.name, got)
		}
		found, launches := searched(t, dev, s, file)
		if found.Best != c.best || (launches == 0) != same {
			t.Errorf("%s: %+v after %d launches", c.name, found, launches)
		}
		if _, launches := searched(t, dev, s, file); launches != 0 || recalled(t, s, file) != c.best {
			t.Errorf("%s: %d launches at the third search", c.name, launches)
		}
	}
}

// TestTuneShadow: a device in shadow mode takes what records have, and does not search, as its times are those of comparisons.
func TestTuneShadow(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	file := filepath.Join(t.TempDir(), "tuned.json")
	opened := func(opts ...cutile.Option) *cutile.Device {
		dev, err := cutile.Open("cpu", append(opts, cutile.WithWorkers(2))...)
		must(t, err)
		t.Cleanup(func() { dev.Close() })
		return dev
	}
	slow, fast := way{"slowly", 64}, way{"triple", 1024}
	shadow, plain := opened(cutile.WithShadow(cutile.Shadow{})), opened()
	s, _ := triples(t, shadow, slow, fast)
	r, err := cutile.OpenRecords(file)
	must(t, err)
	s.Records = r
	found, err := cutile.Tune(t.Context(), s)
	fails(t, err, "cutile: tuning cutile_test.tripleSlowly[D64]: cpu compares its launches with the CPU (WithShadow), which would be most of what is measured: "+
		"open the device without WithShadow, and run the program without CUTILE_SHADOW for a search; in shadow mode, use its records")
	if found == nil || found.Best != slow || content(t, file) != "" || shadow.Stats().Launches != 0 {
		t.Errorf("found %+v, and the records\n%s", found, content(t, file))
	}
	search, _ := triples(t, plain, slow, fast)
	if found, _ := searched(t, plain, search, file); found.Best != fast {
		t.Errorf("found %+v", found)
	}
	if found, launches := searched(t, shadow, s, file); found.Best != fast || launches != 0 || recalled(t, s, file) != fast {
		t.Errorf("in shadow mode, %+v after %d launches", found, launches)
	}
}

// TestTuneOverride: records notice that CUTILE_OVERRIDE replaces the code of a configuration, or of the default, and that it does not any more.
func TestTuneOverride(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	dir, file := filepath.Join(t.TempDir(), "texts"), filepath.Join(t.TempDir(), "tuned.json")
	slow, fast := way{"slowly", 64}, way{"triple", 1024}
	tune := func(what string, best way, none bool) {
		t.Helper()
		dev, err := cutile.Open("cpu", cutile.WithWorkers(2)) // which loads anew
		must(t, err)
		defer dev.Close()
		s, _ := triples(t, dev, slow, fast)
		if got := recalled(t, s, file); none && got != best || !none && got != slow {
			t.Errorf("%s: %v is recalled", what, got)
		}
		if found, launches := searched(t, dev, s, file); found.Best != best || (launches == 0) != none {
			t.Errorf("%s: %+v after %d launches", what, found, launches)
		}
	}
	edit := func(kernel, old, new string) {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		must(t, err)
		for _, f := range files {
			if text := content(t, f); strings.Contains(filepath.Base(f), kernel) {
				if !strings.Contains(text, old) {
					t.Fatalf("%s has no %s:\n%s", f, old, text)
				}
				must(t, os.WriteFile(f, []byte(strings.Replace(text, old, new, 1)), 0o644))
				return
			}
		}
		t.Fatalf("%q has no %s", files, kernel)
	}
	tune("without a folder", fast, false)
	t.Setenv("CUTILE_OVERRIDE", dir)
	tune("with an empty folder", fast, true)
	must(t, os.Remove(file))
	tune("with a folder and no records", fast, false)
	edit("D1024", "mulf", "addf")
	tune("with a wrong text", slow, false)
	tune("with the same text", slow, true)
	edit("D1024", "addf", "mulf")
	tune("with a right text", fast, false)
	edit("tripleSlowly", "3.000000e+00", "4.000000e+00")
	tune("with another default", slow, false)
	t.Setenv("CUTILE_OVERRIDE", "")
	tune("without a folder again", fast, true)
}

// TestTuneDevices: records know the model of a device and what makes its code, and not the version of its driver.
func TestTuneDevices(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tuned.json")
	tune := func(model string, multiprocessors, version int, opts ...cutile.Option) int64 {
		t.Helper()
		ptxGPU(t, &simttest.GPU{Device: fake.Device{Name: model, Major: 9, Multiprocessors: multiprocessors}, CUDA: version, Silent: true})
		dev, err := cutile.Open("cuda", opts...)
		must(t, err)
		defer dev.Close()
		s, _ := triples(t, dev, way{"triple", 1024}, way{"triple", 512})
		s.Timeout = time.Minute
		found, launches := searched(t, dev, s, file)
		if got := recalled(t, s, file); got != found.Best {
			t.Errorf("%v is recalled, not %v", got, found.Best)
		}
		return launches
	}
	t.Setenv("CUTILE_TILEIRAS", "")
	own := cutile.WithAssembler("own")
	for _, c := range []struct {
		model           string
		multiprocessors int
		version         int
		found           bool
	}{{"One", 8, 13000, false}, {"One", 8, 13040, true}, {"Two", 8, 13000, false}, {"One", 4, 13000, false}, {"One", 8, 12080, true}} {
		if n := tune(c.model, c.multiprocessors, c.version, own); (n == 0) != c.found {
			t.Errorf("%+v: %d launches", c, n)
		}
	}
	makers := regexp.MustCompile(`"assembler": "(\w+)"`).FindAllStringSubmatch(content(t, file), -1)
	if len(makers) != 3 || makers[0][1] != "own" {
		t.Errorf("the assemblers are %q in\n%s", makers, content(t, file))
	}
	dev := makingGPU(t, &maker{}, runTriple) // another assembler
	s, _ := triples(t, dev, way{"triple", 1024}, way{"triple", 512})
	must(t, os.Remove(file))
	searched(t, dev, s, file)
	if text := content(t, file); !strings.Contains(text, `"assembler": "tileiras"`) || !strings.Contains(text, `"device": "sm_90, GPU, `) {
		t.Errorf("the records are\n%s", text)
	}
}

// TestTuneShipped: records that a search has made beside a folder of tileiras' code serve a program that has both and no tileiras; a program that
// runs other code has none.
func TestTuneShipped(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "tuned.json")
	space := []way{{"triple", 16}, {"triple", 512}}
	made := makingGPU(t, &maker{folder: dir}, runTriple)
	s, _ := triples(t, made, space...)
	found, _ := searched(t, made, s, file)
	if found.Best != space[1] {
		t.Fatalf("found %+v", found)
	}
	t.Setenv("CUTILE_TILEIRAS", filepath.Join(dir, "none"))
	t.Setenv("CUTILE_CACHE", t.TempDir())
	drv := fake.New(fake.Options{Quiet: true, Run: runTriple, Devices: []fake.Device{{Name: "GPU", Major: 9, Memory: 1 << 26}}})
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: drv})))
	for _, c := range []struct {
		opts []cutile.Option
		want way
	}{{[]cutile.Option{cutile.WithCubins(os.DirFS(dir))}, space[1]}, {[]cutile.Option{cutile.WithCubins(os.DirFS(t.TempDir()))}, space[0]}, {[]cutile.Option{cutile.WithAssembler("own")}, space[0]}} {
		dev, err := cutile.Open("cuda", c.opts...)
		must(t, err)
		s, _ := triples(t, dev, space...)
		if got := recalled(t, s, file); got != c.want {
			t.Errorf("%v is recalled, want %v", got, c.want)
		}
		must(t, dev.Close())
	}
}

// TestTuneOldRecords: records of the first version are not used, which a logger is told once, and searches replace them.
func TestTuneOldRecords(t *testing.T) {
	var log strings.Builder
	dev := open(t, cutile.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	file := filepath.Join(t.TempDir(), "tuned.json")
	must(t, os.WriteFile(file, []byte(`{"version": 1, "records": [{"device": "cpu", "kernel": "k", "code": "c", "arguments": "()", "best": 1, `+
		`"trials": [{"config": 1, "ns": 5}, {"config": 2, "tries": true}]}]}`), 0o644))
	s, _ := triples(t, dev, way{"triple", 16}, way{"triple", 256})
	for range 2 {
		recalled(t, s, file)
	}
	if n := strings.Count(log.String(), "records of an older version are not used, as they do not say what was tried: search again"); n != 2 || !strings.Contains(log.String(), "records=1") {
		t.Errorf("the log is\n%s", log.String())
	}
	if found, launches := searched(t, dev, s, file); launches == 0 || recalled(t, s, file) != found.Best {
		t.Errorf("%+v after %d launches", found, launches)
	}
	if text := content(t, file); !strings.Contains(text, `"version": 2`) {
		t.Errorf("the file has\n%s", text)
	}
}

// TestTuneGrows: a search with more configurations, whenever it is stopped, leaves a file that can be read and has what was found before.
func TestTuneGrows(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	dev := open(t)
	slow, fast, slower := way{"slowly", 64}, way{"triple", 1024}, way{"slowly", 128}
	for calls := 1; ; calls++ { // of Reset, at which it is stopped
		file := filepath.Join(t.TempDir(), "tuned.json")
		s, _ := triples(t, dev, slow, fast)
		s.Reset = func(context.Context) error { return nil }
		searched(t, dev, s, file)
		r, err := cutile.OpenRecords(file)
		must(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		left := calls
		s.Space, s.Records = append(s.Space, slower), r
		s.Reset = func(context.Context) error {
			if left--; left == 0 {
				cancel()
			}
			_, err := cutile.OpenRecords(file)
			must(t, err)
			return nil
		}
		_, err = cutile.Tune(ctx, s)
		cancel()
		if got := recalled(t, s, file); got != fast {
			t.Errorf("stopped at call %d: %v is recalled, and the file is\n%s", calls, got, content(t, file))
		}
		if err == nil {
			if calls != 4 { // the default, the new one, and what was the fastest have run before
				t.Errorf("there are %d calls", calls-1)
			}
			return
		}
	}
}

// TestTuneCancelled: a search that is stopped leaves what it knew, whenever it is stopped, and the next one tries the same.
func TestTuneCancelled(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	dev := open(t)
	slow, fast, other := way{"slowly", 64}, way{"triple", 1024}, way{"triple", 512}
	for calls := 1; ; calls++ { // of Launch and Reset, at which it is stopped
		file := filepath.Join(t.TempDir(), "tuned.json")
		s, _ := triples(t, dev, slow, fast, other)
		r, err := cutile.OpenRecords(file)
		must(t, err)
		s.Records = r
		ctx, cancel := context.WithCancel(t.Context())
		left := calls
		count := func() {
			if left--; left == 0 {
				cancel()
			}
		}
		launch := s.Launch
		s.Launch = func(w way) cutile.Work { count(); return launch(w) }
		s.Reset = func(context.Context) error { count(); return nil }
		_, err = cutile.Tune(ctx, s)
		cancel()
		if err == nil {
			if calls < 10 {
				t.Errorf("there are only %d calls", calls)
			}
			return
		}
		if !errors.Is(err, context.Canceled) || strings.Contains(content(t, file), "tries") || strings.Contains(content(t, file), "error") {
			t.Errorf("stopped at call %d: %v, and the records\n%s", calls, err, content(t, file))
		}
		s.Launch, s.Reset = launch, func(context.Context) error { return nil }
		found, _ := searched(t, dev, s, file)
		if x := trial(t, found, fast); x.Err != nil || x.Time == 0 {
			t.Errorf("after a stop at call %d, %+v", calls, found)
		}
	}
}

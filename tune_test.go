package cutile_test

import (
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/examples/cute/elementwise"
	"github.com/cutile-go/cutile/tile"
)

type way struct {
	Kernel string
	Tile   int
}

var ways = map[string]any{
	"triple": triple[tile.D1], "slowly": tripleSlowly[tile.D1], "roughly": tripleRoughly[tile.D1], "wrong": tripleWrong[tile.D1],
	"part": triplePart[tile.D1], "never": tripleNever[tile.D1], "asserts": tripleAsserts[tile.D1],
}

// triples is a search among ways to triple 1, 2, 3 …, and what counts those that were launched.
func triples(t *testing.T, dev *cutile.Device, space ...way) (s cutile.Search[way], tried map[way]int) {
	t.Helper()
	x, z := ramp(t, dev, 4096), zeros[float32](t, dev, 4096)
	tried = map[way]int{}
	return cutile.Search[way]{
		Space: space, Outputs: []cutile.Output{z}, Timeout: 5 * time.Second,
		Launch: func(w way) cutile.Work {
			tried[w]++
			return cutile.Work{On: dev, Kernel: cutile.Sized(ways[w.Kernel], w.Tile), Args: []any{x, z}}
		},
	}, tried
}

// trial finds the trial of a configuration.
func trial(t *testing.T, found *cutile.Tuned[way], w way) cutile.Trial[way] {
	t.Helper()
	i := slices.IndexFunc(found.Trials, func(x cutile.Trial[way]) bool { return x.Config == w })
	if i < 0 {
		t.Fatalf("%v was not tried: %+v", w, found.Trials)
	}
	return found.Trials[i]
}

// TestTune chooses a fast way, and none that is wrong, fails or does not end.
func TestTune(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	dev := open(t)
	slow := way{"slowly", 64}
	s, _ := triples(t, dev, slow, way{"triple", 1024}, way{"wrong", 1024}, way{"part", 64}, way{"triple", 3}, way{"roughly", 256}, way{"never", 64}, way{"asserts", 64})
	s.Timeout = 2 * time.Second
	found, err := cutile.Tune(t.Context(), s)
	must(t, err)
	if found.Best != (way{"triple", 1024}) && found.Best != (way{"roughly", 256}) || found.Time <= 0 {
		t.Errorf("the best is %+v", found)
	}
	if base := trial(t, found, slow); base.Time < found.Time {
		t.Errorf("the default takes %v, and what is better takes %v", base.Time, found.Time)
	}
	for w, want := range map[way]string{
		{"wrong", 1024}: "it runs, but output #0 differs from the default's at [99]: it is 301, not 300, and ", {"part", 64}: "output #0 differs from the default's at [64]: it is NaN, not 195",
		{"triple", 3}: "extents are powers of two", {"never", 64}: "it has not ended after 2s",
		{"asserts", 64}: "kernel cutile_test.tripleAsserts[D64], block (0, 0, 0): assertion failed: no block may run",
	} {
		if x := trial(t, found, w); x.Err == nil || !strings.Contains(x.Err.Error(), want) || x.Time != 0 {
			t.Errorf("%v: %v, want %q", w, x.Err, want)
		}
	}
	s.Tolerance, s.Space = 1e-9, []way{slow, {"roughly", 256}}
	found, err = cutile.Tune(t.Context(), s)
	must(t, err)
	if x := trial(t, found, way{"roughly", 256}); x.Err == nil {
		t.Error("a small tolerance does not matter")
	}
}

// TestTuneRecords: what was found is not searched again, and a search that ended in between goes on.
func TestTuneRecords(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	file := filepath.Join(t.TempDir(), "tuned.json")
	space := []way{{"triple", 16}, {"triple", 256}, {"wrong", 64}, {"triple", 1024}}
	launches := func(s cutile.Search[way]) int64 {
		return s.Outputs[0].(*cutile.Tensor[float32]).Device().Stats().Launches
	}
	reopened := func() (cutile.Search[way], map[way]int) {
		s, tried := triples(t, open(t), space...)
		r, err := cutile.OpenRecords(file)
		must(t, err)
		s.Records = r
		return s, tried
	}
	s, _ := reopened()
	if w, err := cutile.Recall(t.Context(), s); err != nil || w != space[0] {
		t.Errorf("without records, the default is %v, %v", w, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	s.Reset = func(context.Context) error {
		if strings.Contains(content(t, file), `"tries"`) { // while the second is tried
			stop()
		}
		return nil
	}
	if _, err := cutile.Tune(ctx, s); !errors.Is(err, context.Canceled) {
		t.Fatalf("a search that is stopped gives %v", err)
	}
	if text := content(t, file); strings.Contains(text, `"tries"`) {
		t.Errorf("what ran when the search was stopped is still being tried:\n%s", text)
	}
	s, _ = reopened()
	found, err := cutile.Tune(t.Context(), s)
	must(t, err)
	for _, w := range space[1:] {
		if x := trial(t, found, w); (x.Err == nil) != (w.Kernel == "triple") {
			t.Errorf("after a search that was stopped: %+v", x)
		}
	}
	if found.Best.Kernel != "triple" {
		t.Errorf("a search that goes on gives %+v", found)
	}
	s, _ = reopened()
	before := launches(s)
	again, err := cutile.Tune(t.Context(), s)
	must(t, err)
	if w, err := cutile.Recall(t.Context(), s); again.Best != found.Best || w != found.Best || err != nil {
		t.Errorf("the records have %v and %v, %v, not %v", again.Best, w, err, found.Best)
	}
	if n := launches(s) - before; n != 0 {
		t.Errorf("with records there are %d launches", n)
	}
	embedded, err := cutile.ReadRecords(os.DirFS(filepath.Dir(file)), "tuned.json")
	must(t, err)
	s.Records = embedded
	if w, err := cutile.Recall(t.Context(), s); w != found.Best || err != nil {
		t.Errorf("embedded records have %v, %v", w, err)
	}
}

// TestTuneStarts: a program that embeds its records starts with a file that has none, and a search adds to the same file.
func TestTuneStarts(t *testing.T) {
	dev := open(t)
	space := []way{{"slowly", 64}, {"triple", 1024}}
	search := func(r *cutile.Records) cutile.Search[way] {
		s, _ := triples(t, dev, space...)
		s.Records = r
		return s
	}
	for _, start := range []string{"", "\n", "{}", " {\n}\n"} {
		file := filepath.Join(t.TempDir(), "tuned.json")
		must(t, os.WriteFile(file, []byte(start), 0o644))
		embedded := func() way {
			t.Helper()
			records, err := cutile.ReadRecords(os.DirFS(filepath.Dir(file)), "tuned.json")
			must(t, err)
			w, err := cutile.Recall(t.Context(), search(records))
			must(t, err)
			return w
		}
		if w := embedded(); w != space[0] {
			t.Errorf("%q: without records, %v is recalled, not the default %v", start, w, space[0])
		}
		records, err := cutile.OpenRecords(file)
		must(t, err)
		found, err := cutile.Tune(t.Context(), search(records))
		must(t, err)
		if w := embedded(); w != found.Best {
			t.Errorf("%q: %v is recalled, not %v", start, w, found.Best)
		}
	}
}

// content is that of a file, nothing if there is none.
func content(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(data)
}

// TestTuneKilled: a process that ends while it tries a configuration leaves records with which the next one tries it once more, as somebody may
// have killed it; after a second time it is passed over.
func TestTuneKilled(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	file := os.Getenv("TUNE_KILLED")
	child := file != ""
	if !child {
		file = filepath.Join(t.TempDir(), "tuned.json")
	}
	s, _ := triples(t, open(t), way{"triple", 16}, way{"triple", 256}, way{"roughly", 64})
	r, err := cutile.OpenRecords(file)
	must(t, err)
	s.Records = r
	if child {
		start := content(t, file)
		s.Reset = func(context.Context) error {
			if text := content(t, file); strings.Contains(text, `"tries"`) && text != start {
				os.Exit(7) // as a driver does that crashes
			}
			return nil
		}
		cutile.Tune(t.Context(), s)
		t.Fatal("it goes on")
	}
	for times, want := range []int{0, 1} {
		must(t, os.RemoveAll(file))
		for range times + 1 {
			cmd := exec.Command(os.Args[0], "-test.run=^TestTuneKilled$")
			cmd.Env = append(os.Environ(), "TUNE_KILLED="+file)
			var exit *exec.ExitError
			if out, err := cmd.CombinedOutput(); !errors.As(err, &exit) || exit.ExitCode() != 7 {
				t.Fatalf("%v\n%s", err, out)
			}
		}
		found, err := cutile.Tune(t.Context(), s)
		must(t, err)
		ended := 0
		for _, x := range found.Trials {
			if x.Err != nil && x.Err.Error() == "the process ended while it was tried, twice" {
				ended++
			}
		}
		if len(found.Trials) != 3 || ended != want {
			t.Errorf("after %d processes that ended, the search that goes on gives %+v", times+1, found)
		}
	}
}

// TestTuneMistakes: a search that cannot be made is an error, before anything runs.
func TestTuneMistakes(t *testing.T) {
	dev, other := open(t), open(t)
	good := func() cutile.Search[way] {
		s, _ := triples(t, dev, way{"triple", 16}, way{"triple", 64})
		return s
	}
	for _, c := range []struct {
		change func(s *cutile.Search[way])
		want   string
	}{
		{func(s *cutile.Search[way]) { s.Space = nil }, "Tune needs a configuration in Space: the default"},
		{func(s *cutile.Search[way]) { s.Launch = nil }, "Tune needs Launch"},
		{func(s *cutile.Search[way]) { s.Outputs = nil }, "Tune needs Outputs, the tensors that the work writes"},
		{func(s *cutile.Search[way]) { s.Budget = -1 }, "Budget and Timeout of a search cannot be negative"},
		{func(s *cutile.Search[way]) { s.Tolerance = -1 }, "Tolerance of a search is -1: expected 0 for the default, or a positive number"},
		{func(s *cutile.Search[way]) { s.Tolerance = math.NaN() }, "Tolerance of a search is NaN: expected 0 for the default, or a positive number"},
		{func(s *cutile.Search[way]) { s.Tolerance = math.Inf(1) }, "Tolerance of a search is +Inf: expected 0 for the default, or a positive number"},
		{func(s *cutile.Search[way]) { s.Space = append(s.Space, s.Space[1]) }, `configurations #1 and #2 are the same in JSON, {"Kernel":"triple","Tile":64}`},
		{func(s *cutile.Search[way]) { s.Outputs = append(s.Outputs, nil) }, "output #1 of a search is no tensor with memory"},
		{func(s *cutile.Search[way]) { s.Outputs = []cutile.Output{ramp(t, other, 4)} }, "output #0 of a search has to be contiguous, and on the device of the launches"},
		{func(s *cutile.Search[way]) { s.Outputs = []cutile.Output{ramp(t, dev, 4, 4).T()} }, "has to be contiguous"},
		{func(s *cutile.Search[way]) { s.Space[0].Tile = 5 }, "extents are powers of two"},
	} {
		s := good()
		c.change(&s)
		_, err := cutile.Tune(t.Context(), s)
		fails(t, err, c.want)
		_, err = cutile.Recall(t.Context(), s)
		fails(t, err, c.want)
	}
	_, err := cutile.ReadRecords(os.DirFS(t.TempDir()), "none.json")
	fails(t, err, "cutile: records: open none.json")
	var none context.Context
	_, err = cutile.Tune(none, good())
	fails(t, err, "context")
}

// TestTuneRun tunes what is no launch of a tile kernel: a function of package cute, and two launches in a row.
func TestTuneRun(t *testing.T) {
	dev := open(t)
	n := 64
	a, b, c := ramp(t, dev, n, n), ramp(t, dev, n, n), zeros[float32](t, dev, n, n)
	s := cutile.Search[string]{
		Space: []string{"cute", "tiles", "wrong"}, Outputs: []cutile.Output{c}, Records: &cutile.Records{},
		Launch: func(way string) cutile.Work {
			return cutile.Work{On: dev, Name: "sum", Run: func() error {
				switch way {
				case "cute":
					_, err := cute.Call(t.Context(), elementwise.Add, a, b, c, elementwise.Epilogue(elementwise.Identity))
					return err
				case "tiles":
					return cutile.Launch(t.Context(), dev, add[tile.D64], a.Flatten(), b.Flatten(), c.Flatten())
				}
				return cutile.Launch(t.Context(), dev, scale[tile.D64], a.Flatten(), 3, c.Flatten())
			}}
		},
	}
	found, err := cutile.Tune(t.Context(), s)
	must(t, err)
	if found.Best != "tiles" || len(found.Trials) != 3 || found.Trials[2].Err == nil { // the other one runs in the emulator
		t.Errorf("found %+v", found)
	}
	s.Launch = func(string) cutile.Work { return cutile.Work{On: dev, Run: func() error { return nil }} }
	_, err = cutile.Tune(t.Context(), s)
	fails(t, err, "work with Run needs a Name")
}

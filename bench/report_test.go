package bench_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/bench"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/softmax"
)

// TestTable compares tables with a file that was looked at.
func TestTable(t *testing.T) {
	var b bytes.Buffer
	full := plain()
	full.Rows[1].Error = "the matrices do not fit"
	full.Notes = []string{"a note"}
	full.Rows[2].Results[1].Speedup.Confidence = 0.5
	for i := range full.Rows {
		for k := range full.Rows[i].Results {
			full.Rows[i].Results[k].Bound, full.Rows[i].Results[k].Part = "matrix f32", 0.071*float64(i+1)
		}
	}
	mixed := &bench.Report{Version: 1, Rows: []bench.Row{{Results: []bench.Result{timed("x", 1.5e-7, 0, 0), timed("y", 3, 0, 0)}}}}
	mixed.Rows[0].Results[1].Device = "cuda:0"
	for _, r := range []*bench.Report{full, mixed, {Version: 1, Device: "cpu"}} {
		if err := r.WriteTable(&b); err != nil {
			t.Fatal(err)
		}
		b.WriteString("====\n")
	}
	file := filepath.Join("testdata", "table.txt")
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != b.String() {
		t.Errorf("%v: the table is\n%s", err, b.String())
	}
}

// TestJSON: a report is read as it was written, and its schema is that of the file.
func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := plain().WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	back, err := bench.ReadJSON(bytes.NewReader(b.Bytes()))
	if err != nil || !reflect.DeepEqual(back, plain()) {
		t.Errorf("%v: it is read as %+v", err, back)
	}
	var loose struct {
		Version int
		Rows    []struct {
			X       float64
			Results []struct {
				Name    string
				Time    struct{ Median, P20, P80 float64 }
				Speedup struct{ Median, Low, High, Confidence float64 }
				Ops     []struct {
					Kind, Type string
					N          int64
				}
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &loose); err != nil {
		t.Fatal(err)
	}
	if x := loose.Rows[1].Results[1]; loose.Version != 1 || loose.Rows[1].X != 256 || x.Name != "theirs" || x.Time.P80 != 1.3*x.Time.Median || x.Speedup.Confidence != 0.96 || x.Ops[0].N != 2<<24 {
		t.Errorf("the JSON has %+v", x)
	}
	for text, want := range map[string]string{"{": "unexpected EOF", `{"version": 2}`: "a report of version 2: this program reads version 1", "[]": "cannot unmarshal"} {
		if _, err := bench.ReadJSON(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// brief are options that take no time.
var brief = bench.Options{Rounds: 2, Sample: time.Nanosecond, Warm: time.Nanosecond}

func open(t *testing.T) *cutile.Device {
	t.Helper()
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

func must[T any](x T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}

// TestCompare measures a kernel of package tile, one of package cute and ready functions next to each other, with results that are the same,
// and finds those that are not.
func TestCompare(t *testing.T) {
	dev := open(t)
	const n = 1000
	x, y, z := must(cutile.Uniform[float32](dev, 1, 0, 1, n))(t), must(cutile.Uniform[float32](dev, 2, 0, 1, n))(t), must(cutile.NewTensor[float32](dev, n))(t)
	doubled := must(cutile.NewTensor[float64](dev, n))(t)
	sum := func(name string, w cutile.Work) bench.Case {
		w.On = dev
		return bench.Case{Name: name, Work: w, Outputs: []cutile.Output{z}}
	}
	tile := sum("tile", cutile.Work{Kernel: add, Args: []any{x, y, z}})
	simt := sum("cute", cutile.Work{Name: "cute", Run: func() error {
		return threads(cute.Of[float32](x), cute.Of[float32](y), cute.Of[float32](z))
	}})
	wrong := sum("other", cutile.Work{Kernel: add, Args: []any{x, x, z}})
	idle := sum("idle", cutile.Work{Run: func() error { return nil }})
	fails := sum("fails", cutile.Work{Run: func() error { return errors.New("a fault") }})
	types := sum("types", cutile.Work{Run: func() error { return nil }})
	types.Outputs = []cutile.Output{doubled}
	none := sum("none", tile.Work)
	none.Outputs = nil
	given := tile
	given.Name, given.Bytes, given.Flops = "given", 5, 7
	unknown := tile
	unknown.Name, unknown.Bytes, unknown.Flops = "unknown", -1, -1
	half := tile
	half.Name, half.Flops = "half given", 9
	o := brief
	o.Check, o.Title = true, "sums"
	r := must(bench.Compare(t.Context(), []bench.Case{tile, simt, wrong, idle, fails, types, none, given, unknown, half}, o))(t)
	if r.Title != "sums" || r.Device != "cpu" || len(r.Rows) != 1 || r.Param != "" || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "device cpu checks accesses") {
		t.Errorf("the report is %+v", r)
	}
	want := []struct {
		err   string
		bytes int64
		flops int64
	}{{"", 3 * 4 * n, 1024}, {"", 0, 0}, {err: "it runs, but output #0 differs from tile's at [0]", bytes: 2 * 4 * n}, {err: "it is NaN, not"}, {err: "a fault"},
		{err: "output #0 is float64[1000], where that of tile is float32[1000]"}, {err: "Check needs Outputs"}, {"", 5, 7}, {"", 0, 0}, {"", 3 * 4 * n, 9}}
	for i, x := range r.Rows[0].Results {
		w := want[i]
		if w.err != "" {
			if !strings.Contains(x.Error, w.err) || x.Time != nil {
				t.Errorf("%s: %q and %v, want %q", x.Name, x.Error, x.Time, w.err)
			}
			continue
		}
		if x.Error != "" || x.Samples != 2 || x.Seconds() <= 0 || x.Time.Min > x.Time.Median || x.Bytes != w.bytes || x.Flops() != w.flops || (x.Speedup != nil) != (i > 0) {
			t.Errorf("%+v, want %+v", x, w)
		}
	}
}

// TestCompareMistakes: each has an error that says what is wrong.
func TestCompareMistakes(t *testing.T) {
	dev := open(t)
	ok := bench.Case{Name: "x", Work: cutile.Work{On: dev, Run: func() error { return nil }}}
	for want, call := range map[string]func() error{
		"0 cases, expected 1 to 1000": func() error { _, err := bench.Compare(t.Context(), nil, brief); return err },
		"case #1 has no Name": func() error {
			_, err := bench.Compare(t.Context(), []bench.Case{ok, {Work: ok.Work}}, brief)
			return err
		},
		`cases #0 and #1 are both called "x"`:  func() error { _, err := bench.Compare(t.Context(), []bench.Case{ok, ok}, brief); return err },
		`case "x" is on a nil device or strea`: func() error { _, err := bench.Compare(t.Context(), []bench.Case{{Name: "x"}}, brief); return err },
		"Budget, Sample and Warm cannot be negative": func() error {
			_, err := bench.Compare(t.Context(), []bench.Case{ok}, bench.Options{Budget: -1})
			return err
		},
		"Precision and Tolerance are numbers of 0 or more": func() error {
			_, err := bench.Compare(t.Context(), []bench.Case{ok}, bench.Options{Tolerance: math.Inf(1)})
			return err
		},
		"Rounds is -1": func() error {
			_, err := bench.Compare(t.Context(), []bench.Case{ok}, bench.Options{Rounds: -1})
			return err
		},
		"Sweep needs the name of a parameter": func() error { _, err := bench.Sweep[int](t.Context(), "n", nil, nil, brief); return err },
		"given 3 twice": func() error {
			_, err := bench.Sweep(t.Context(), "n", []int{3, 3}, func(int) ([]bench.Case, error) { return nil, nil }, brief)
			return err
		},
		"Roof is given a nil device":  func() error { _, err := bench.Roof(t.Context(), nil); return err },
		"there is nothing to plot":    func() error { return (&bench.Report{}).WriteSVG(&bytes.Buffer{}, bench.Plot{}) },
		`there is no quantity "size"`: func() error { return plain().WriteSVG(&bytes.Buffer{}, bench.Plot{Y: "size"}) },
		"sides are from 200 to 10000": func() error { return plain().WriteSVG(&bytes.Buffer{}, bench.Plot{Width: 3}) },
		"the report has no roof":      func() error { return (&bench.Report{}).WriteRoof(&bytes.Buffer{}, bench.Plot{}) },
		"context canceled": func() error {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, err := bench.Compare(ctx, []bench.Case{ok}, brief)
			return err
		},
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestSweep: values without cases have an error, and the others their results; caches are flushed before each launch.
func TestSweep(t *testing.T) {
	dev := open(t)
	o := brief
	o.Flush, o.Check = 1<<16, true
	r := must(bench.Sweep(t.Context(), "columns", []int{16, 32, 64}, func(n int) ([]bench.Case, error) {
		if n == 32 {
			return nil, errors.New("not that many")
		}
		x, y := must(cutile.Uniform[dtype.Float16](dev, 1, 0, 1, 4, n))(t), must(cutile.NewTensor[dtype.Float16](dev, 4, n))(t)
		run := func() error { return softmax.Run(t.Context(), dev, x, y) }
		return []bench.Case{{Name: "softmax", Work: cutile.Work{On: dev, Run: run}, Outputs: []cutile.Output{y}}}, nil
	}, o))(t)
	if len(r.Rows) != 3 || r.Param != "columns" || r.Rows[1].Error != "not that many" || r.Rows[1].Results != nil {
		t.Fatalf("the rows are %+v", r.Rows)
	}
	for _, i := range []int{0, 2} {
		if x := r.Rows[i].Results[0]; r.Rows[i].X != []float64{16, 32, 64}[i] || x.Error != "" || x.Launches != 1 || x.Samples != 2 {
			t.Errorf("row %d is %+v", i, r.Rows[i])
		}
	}
	launches := dev.Stats().Launches
	if launches < 12 {
		t.Errorf("%d launches, with those that flush", launches)
	}
}

// TestDiff: ranges are those of both intervals, and cases that one report lacks are named.
func TestDiff(t *testing.T) {
	before, now := plain(), plain()
	before.Rows, now.Rows = before.Rows[:2], now.Rows[:3]
	for _, r := range before.Rows {
		r.Results[0].Median.Low, r.Results[0].Median.High, r.Results[0].Median.Median = 2*r.Results[0].Median.Low, 2*r.Results[0].Median.High, 2*r.Results[0].Median.Median
		*r.Results[1].Median = bench.Interval{Median: 0.5 * r.Results[1].Seconds(), Low: 0.45 * r.Results[1].Seconds(), High: 0.55 * r.Results[1].Seconds()}
	}
	var b strings.Builder
	if err := bench.WriteDiff(&b, before, now); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"n    case", "\n128  ours ", "  71.7 µs  35.8 µs  2.00 (1.90 to 2.10), faster\n", "  100 µs   201 µs   0.500 (0.441 to 0.567), slower\n", " 1.00 (0.951 to 1.05)\n", "\nnot in both: 512 ours, 512 theirs, 512 once <&>, 512 with gaps, 512 a name",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("there is no %q in\n%s", want, b.String())
		}
	}
	now.Param = "m"
	if err := bench.WriteDiff(&b, before, now); err == nil || !strings.Contains(err.Error(), `different parameters, "n" and "m"`) {
		t.Errorf("%v", err)
	}
	if bench.WriteDiff(&b, nil, now) == nil {
		t.Error("nil reports give no error")
	}
}

// TestDocumented: docs/programs.md has every field of the JSON.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "programs.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[reflect.Type]bool{}
	var look func(of reflect.Type)
	look = func(of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || seen[of] {
			return
		}
		seen[of] = true
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			if name == "" || !strings.Contains(string(text), "`"+name+"`") {
				t.Errorf("%v.%s: the document does not have %q", of, of.Field(i).Name, name)
			}
			look(of.Field(i).Type)
		}
	}
	if look(reflect.TypeFor[bench.Report]()); len(seen) < 7 {
		t.Errorf("only %d structs", len(seen))
	}
}

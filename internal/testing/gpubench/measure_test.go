package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// TestChecks: references refuse results in which something is missing, in another place, or a little too large.
func TestChecks(t *testing.T) {
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	work, err := parse("gemm:64x96x50,softmax:40x100,attention:1x2x128x16,add:1000")
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range work {
		p := w.kind.problem(w.dims)
		j, err := w.kind.prepare(t.Context(), dev, w.dims, p)
		if err == nil {
			err = j.launch(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		right, err := j.read(t.Context())
		if err == nil {
			err = p.check(right)
		}
		if err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		half := len(right) / 2
		for what, change := range map[string]func(x []float32){
			"an element that is NaN":        func(x []float32) { x[half] = nan },
			"halves in each other's places": func(x []float32) { copy(x, right[half:]); copy(x[half:], right[:half]) },
			"elements shifted by one":       func(x []float32) { copy(x[1:], right) },
			"a last part of zeros":          func(x []float32) { clear(x[len(x)-len(x)/8:]) },
			"a fiftieth more": func(x []float32) {
				for i := range x {
					x[i] *= 1.05
				}
			},
		} {
			x := slices.Clone(right)
			change(x)
			if p.check(x) == nil {
				t.Errorf("%s: %s is not noticed", w.name, what)
			}
		}
		if err := j.close(); err != nil {
			t.Error(err)
		}
	}
}

// TestMeasure: what is wrong is not timed, what changes afterwards neither, and a run has as many launches as take long enough.
func TestMeasure(t *testing.T) { synctest.Test(t, testMeasure) } // where a launch takes a millisecond, whatever else the machine does

func testMeasure(t *testing.T) {
	launches, result := 0, []float32{1}
	j := &job{
		clear:  func(context.Context) error { result[0] = nan; return nil },
		launch: func(context.Context) error { launches++; result[0] = 1; return nil },
		sync: func(context.Context) error {
			time.Sleep(time.Duration(launches) * time.Millisecond)
			launches = 0
			return nil
		},
		read: func(context.Context) ([]float32, error) { return slices.Clone(result), nil },
	}
	p := &problem{check: func(x []float32) error {
		if x[0] != 1 {
			return errors.New("no one")
		}
		return nil
	}}
	r, err := measure(t.Context(), j, p, timing{rounds: 5, each: 3 * time.Millisecond, slow: time.Second})
	if want := (row{Seconds: 1e-3, Low: 1e-3, High: 1e-3}); err != nil || r != want {
		t.Errorf("%+v, %v, want %+v", r, err, want)
	}
	if r, err := measure(t.Context(), j, p, timing{}); err != nil || r.Seconds != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	right := j.launch
	j.launch = func(context.Context) error { result[0] = 2; return nil }
	if _, err := measure(t.Context(), j, p, timing{rounds: 1}); err == nil || err.Error() != "the result is wrong: no one" {
		t.Errorf("a wrong result: %v", err)
	}
	all := 0
	j.launch = func(ctx context.Context) error {
		if all++; all > 2 {
			result[0] = 2
			return nil
		}
		return right(ctx)
	}
	if _, err := measure(t.Context(), j, p, timing{rounds: 3}); err == nil || !strings.Contains(err.Error(), "other bits after") {
		t.Errorf("a result that changes: %v", err)
	}
	j.launch = func(context.Context) error { return errors.New("lost") }
	if _, err := measure(t.Context(), j, p, timing{rounds: 3}); err == nil || err.Error() != "lost" {
		t.Errorf("a failed launch: %v", err)
	}
}

// TestProcess: whatever a process does, each of its workloads gets a row.
func TestProcess(t *testing.T) {
	const first, second = `{"way":"own","work":"add:8","seconds":0.002,"low":0.001,"high":0.003}`, `{"way":"own","work":"add:16","seconds":1}`
	for _, c := range []struct {
		script, want string
		rows         int
	}{
		{"echo '" + first + "'; echo '" + second + "'", "", 2},
		{"echo '" + first + "'; echo context lost >&2; exit 3", "exit status 3 context lost", 2},
		{"echo '" + first + "'; echo this is no row", "its output: invalid character", 2},
		{"exec sleep 60", "it took longer than", 2},
		{`echo '{"way":"own","absent":"no GPU"}'`, "", 1},
	} {
		o := quick(t, "add:8,add:16")
		o.limit = 2 * time.Second
		rows := o.process(t.Context(), []string{"own"}, []string{"sh", "-c", c.script})
		if len(rows) != c.rows || !strings.Contains(rows[len(rows)-1].Error, c.want) || (c.want == "") != (rows[len(rows)-1].Error == "") {
			t.Errorf("%s: %+v", c.script, rows)
		}
		var table bytes.Buffer
		if failed := o.report(&table, rows); failed != (c.want != "" || c.rows == 1) {
			t.Errorf("%s: failed is %t\n%s", c.script, failed, &table)
		}
	}
}

// TestReport: the table has speeds, and ratios to the peers that were measured.
func TestReport(t *testing.T) {
	o := quick(t, "gemm:1000x1000x500,add:1000000")
	var table bytes.Buffer
	failed := o.report(&table, []row{
		{Way: "own", Device: "a GPU"}, {Way: "own", Work: "gemm:1000x1000x500", Seconds: 2e-3, Low: 1.9e-3, High: 2.05e-3}, {Way: "own", Work: "add:1000000", Seconds: 12e-6},
		{Way: "tileiras", Work: "gemm:1000x1000x500", Seconds: 1e-3}, {Way: "tileiras", Work: "add:1000000", Error: "lost\nfor ever"},
		{Way: "cublas", Absent: "no cuBLAS"},
	})
	want := `own: a GPU
cublas: not measured: no cuBLAS

| workload | way | time | fastest and slowest run | speed | times as fast as tileiras |
|---|---|---|---|---|---|
| gemm:1000x1000x500 | own | 2.00 ms | 1.90 ms, 2.05 ms | 0.500 TFLOP/s | 0.50 |
| gemm:1000x1000x500 | tileiras | 1.00 ms | 0.00 µs, 0.00 µs | 1.00 TFLOP/s | 1.00 |
| add:1000000 | own | 12.0 µs | 0.00 µs, 0.00 µs | 1000 GB/s |  |
| add:1000000 | tileiras | failed: lost for ever |
`
	if !failed || table.String() != want {
		t.Errorf("failed is %t, and the table\n%s\nwant\n%s", failed, &table, want)
	}
}

// TestPeers: peers.py is Python, and where CUTILE_TRITON_PYTHON names a Python with torch and Triton, the results of Triton's kernels, by its
// interpreter, are those of torch's functions.
func TestPeers(t *testing.T) {
	python := os.Getenv("CUTILE_TRITON_PYTHON")
	if python == "" {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "peers.py"), peers, 0o600); err != nil {
			t.Fatal(err)
		}
		compiles(t, testenv.Program(t, "python3"), filepath.Join(dir, "peers.py"))
		return
	}
	t.Setenv("TRITON_INTERPRET", "1")
	o := quick(t, small)
	o.interpreter, o.ways = python, []string{"triton", "torch"}
	rows, err := o.collect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range o.ways {
		var mine []row
		for _, r := range rows {
			if r.Way == name {
				mine = append(mine, r)
			}
		}
		complete(t, o, mine, name)
	}
}

// compiles holds that a Python can compile a file.
func compiles(t *testing.T, python, file string) {
	t.Helper()
	if out, err := exec.Command(python, "-m", "py_compile", file).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

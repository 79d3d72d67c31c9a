package kernels_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels"
	"github.com/cutile-go/cutile/kernels/attention"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/kernels/softmax"
)

// tunable is a function that takes its tiles from records.
type tunable struct {
	name   string
	out    *cutile.Tensor[float32]
	run    func(ctx context.Context) error
	tune   func(ctx context.Context, records *cutile.Records) error // the default and best alone
	best   any                                                      // a configuration of the search
	kernel string                                                   // which it launches
}

// search makes the function that tunes.
func search[C any](best C) func(s cutile.Search[C], err error) func(context.Context, *cutile.Records) error {
	return func(s cutile.Search[C], err error) func(context.Context, *cutile.Records) error {
		return func(ctx context.Context, records *cutile.Records) error {
			if err != nil {
				return err
			}
			s.Records, s.Space = records, []C{s.Space[0], best}
			_, err := cutile.Tune(ctx, s)
			return err
		}
	}
}

// tunables are the functions, with arguments on a device.
func tunables(t *testing.T, dev *cutile.Device, n int) []tunable {
	random := func(shape ...int) *cutile.Tensor[float32] {
		x, err := cutile.Uniform[float32](dev, uint64(len(shape)), -1, 1, shape...)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	a, b, c := random(n, n), random(n, n).T(), random(n, n)
	x, y := random(n, 3*n), random(n, 3*n)
	q, k, v, o := random(1, 4, n, 32), random(1, 2, n, 32), random(1, 2, n, 32), random(1, 4, n, 32)
	product, rows, queries := gemm.Tiles{M: 32, N: 64, K: 32}, softmax.Tiles{Rows: 16, Cols: 128}, attention.Tiles{Queries: 32, Keys: 32}
	return []tunable{
		{"gemm.Run", c, func(ctx context.Context) error { return gemm.Run(ctx, dev, a, b, c) }, search(product)(gemm.Tuning(dev, a, b, c)), product, "gemm.Grouped[float32, float32, float32, D32, D64, D32]"},
		{"softmax.Run", y, func(ctx context.Context) error { return softmax.Run(ctx, dev, x, y) }, search(rows)(softmax.Tuning(dev, x, y)), rows, "softmax.LongRows[float32, D16, D128]"},
		{"attention.Run", o, func(ctx context.Context) error { return attention.Run(ctx, dev, q, k, v, o, true, 0.2) }, search(queries)(attention.Tuning(dev, q, k, v, o, true, 0.2)),
			queries, "attention.Causal[float32, D32, D32, D32]"},
	}
}

// TestRecords: the functions launch what records have for their arguments, and what they launch without where the records have nothing that is
// in the search, or nothing at all; results are the same.
func TestRecords(t *testing.T) {
	t.Setenv("CUTILE_CHECKS", "off")
	t.Cleanup(func() { kernels.UseRecords(nil) })
	open := func() (*cutile.Device, *bytes.Buffer) {
		var log bytes.Buffer
		dev, err := cutile.Open("cpu", cutile.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { dev.Close() })
		return dev, &log
	}
	run := func(f tunable) []float32 {
		t.Helper()
		if err := f.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		out, err := f.out.Slice()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	const n = 96
	dev, log := open()
	for i, f := range tunables(t, dev, n) {
		kernels.UseRecords(nil)
		usual := run(f)
		if strings.Contains(log.String(), f.kernel) {
			t.Fatalf("%s launches %s without records, so that the test shows nothing", f.name, f.kernel)
		}
		file := filepath.Join(t.TempDir(), "records.json")
		records, err := cutile.OpenRecords(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.tune(t.Context(), records); err != nil {
			t.Fatal(err)
		}
		for _, best := range []struct {
			config any
			used   bool
		}{{f.best, true}, {[]int{3}, false}} {
			kernels.UseRecords(withBest(t, file, best.config))
			dev, log := open()
			f := tunables(t, dev, n)[i]
			for range 2 {
				got := run(f)
				for k := range usual {
					if d := got[k] - usual[k]; d > 1e-4 || d < -1e-4 {
						t.Fatalf("%s, with %v: element %d is %g, and without records %g", f.name, best.config, k, got[k], usual[k])
					}
				}
			}
			if used := strings.Contains(log.String(), f.kernel); used != best.used {
				t.Errorf("%s, with %v: it launches %s: %v, want %v. The log is\n%s", f.name, best.config, f.kernel, used, best.used, log)
			}
			other := tunables(t, dev, n/2)[i]
			run(other)
		}
	}
}

// inJSON is a value as it is when it was read from JSON.
func inJSON(t *testing.T, x any) (read any) {
	t.Helper()
	text, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	return read
}

// withBest are the records of a file, with another configuration as the best one.
func withBest(t *testing.T, file string, best any) *cutile.Records {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var content map[string]any
	if err := json.Unmarshal(data, &content); err != nil {
		t.Fatal(err)
	}
	record := content["records"].([]any)[0].(map[string]any)
	trial := map[string]any{"config": best, "ns": 1}
	for _, x := range record["trials"].([]any) {
		if old := x.(map[string]any); fmt.Sprint(old["config"]) == fmt.Sprint(inJSON(t, best)) {
			trial["key"] = old["key"]
		}
	}
	record["best"], record["trials"] = best, []any{trial}
	if data, err = json.Marshal(content); err != nil {
		t.Fatal(err)
	}
	records, err := cutile.ReadRecords(fstest.MapFS{"r.json": {Data: data}}, "r.json")
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// TestTuningMistakes: the searches check their arguments as the functions do.
func TestTuningMistakes(t *testing.T) {
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	zeros := func(shape ...int) *cutile.Tensor[dtype.Float16] {
		x, err := cutile.NewTensor[dtype.Float16](dev, shape...)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	fails := func(_ any, err error) error { return err }
	x, empty := zeros(4, 4), zeros(0, 4)
	for want, err := range map[string]error{
		"gemm.Tuning: b has shape [5 4]":              fails(gemm.Tuning(dev, x, zeros(5, 4), x)),
		"gemm.Tuning: c has no elements":              fails(gemm.Tuning(dev, empty, x, empty)),
		"gemm.Tuning: the grid follows":               fails(gemm.Tuning(dev.Grid(1), x, x, x)),
		"softmax.Tuning: y has shape [0 4]":           fails(softmax.Tuning(dev, x, empty)),
		"softmax.Tuning: y has no elements":           fails(softmax.Tuning(dev, empty, empty)),
		"softmax.Tuning: the target is nil":           fails(softmax.Tuning(nil, x, x)),
		"attention.Tuning: there are 2 keys for 3 qu": fails(attention.Tuning(dev, zeros(1, 1, 3, 16), zeros(1, 1, 2, 16), zeros(1, 1, 2, 16), zeros(1, 1, 3, 16), true, 1)),
		"attention.Tuning: o has no elements":         fails(attention.Tuning(dev, zeros(1, 1, 0, 16), zeros(1, 1, 2, 16), zeros(1, 1, 2, 16), zeros(1, 1, 0, 16), false, 1)),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

package tuning_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/tuning"
)

// work is a search among numbers, each of which takes its time in units of 100 µs; order is that in which they first run.
type work struct {
	tuning.Search
	order  []int
	result int
	fails  map[int]error
	stops  error
}

func search(t *testing.T, times ...int) *work {
	t.Helper()
	w := &work{fails: map[int]error{}}
	w.Key, w.Timeout = tuning.Key{Kernel: t.Name()}, time.Second
	w.Reset = func(context.Context) error { return nil }
	w.Result = func(context.Context) ([][]byte, error) { return [][]byte{{byte(w.result)}}, nil }
	w.Same = func(got, want [][]byte) error {
		if got[0][0] != want[0][0] {
			return fmt.Errorf("%d is not %d", got[0][0], want[0][0])
		}
		return nil
	}
	w.Stop = func(context.Context) error { return w.stops }
	took := 0
	w.Time = func(ctx context.Context, launch func() error, n int) (time.Duration, error) {
		took = 0
		for range n {
			if err := launch(); err != nil {
				return 0, err
			}
		}
		if took < 0 {
			<-ctx.Done()
			return 0, ctx.Err()
		}
		time.Sleep(100 * time.Microsecond)
		return time.Duration(took) * 100 * time.Microsecond, nil
	}
	for i, x := range times {
		w.Candidates = append(w.Candidates, tuning.Candidate{
			Config: json.RawMessage(fmt.Sprint(i)), Key: func(context.Context) (string, error) { return fmt.Sprint("key ", i), nil }, Estimate: func(context.Context) float64 { return math.Abs(float64(x)) },
			Prepare: func(context.Context) (func() error, error) {
				if !slices.Contains(w.order, i) {
					w.order = append(w.order, i)
				}
				return func() error { took += x; return w.fails[i] }, nil
			},
		})
	}
	return w
}

// TestOrder: what the estimates prefer comes first, and what does not fit the budget does not come.
func TestOrder(t *testing.T) {
	w := search(t, 50, 90, 20, 40, 80)
	r, err := w.Run(t.Context())
	if err != nil || string(r.Best) != "2" || fmt.Sprint(w.order) != "[0 2 3 4 1]" || len(r.Trials) != 5 {
		t.Errorf("%v, %+v, in the order %v", err, r, w.order)
	}
	w = search(t, 50, 90, 20, 40, 80)
	w.Budget = 1
	if r, err = w.Run(t.Context()); err != nil || string(r.Best) != "0" || len(r.Trials) != 1 {
		t.Errorf("without time: %v, %+v", err, r)
	}
}

// TestFailures: candidates that fail or do not end are passed over, as long as the default still runs after them.
func TestFailures(t *testing.T) {
	w := search(t, 50, 10, -1, 20)
	w.Timeout, w.fails[1] = 50*time.Millisecond, errors.New("a fault")
	r, err := w.Run(t.Context())
	if err != nil || string(r.Best) != "3" {
		t.Errorf("%v, %+v", err, r)
	}
	for i, want := range map[int]string{1: "a fault", 2: "it has not ended after 50ms"} {
		k := slices.IndexFunc(r.Trials, func(x tuning.Trial) bool { return string(x.Config) == fmt.Sprint(i) })
		if k < 0 || r.Trials[k].Error != want {
			t.Errorf("%d: %+v, want %q", i, r.Trials, want)
		}
	}
	w = search(t, 50, -1, 20)
	w.Timeout, w.stops = 50*time.Millisecond, errors.New("nothing stops it")
	w.Records = &tuning.Records{}
	if _, err = w.Run(t.Context()); err == nil || err.Error() != "the device is lost after 1: it has not ended after 50ms (nothing stops it): open it again, or start the program again, and search on with the same records" {
		t.Errorf("a device that is lost: %v", err)
	}
	w.stops = nil
	if r, err = w.Run(t.Context()); err != nil || string(r.Best) != "2" {
		t.Errorf("the next search with the records: %v, %+v", err, r)
	}
	w = search(t, 50, 10, 20) // what was never queued needs nothing that stops it
	w.Timeout, w.stops = 50*time.Millisecond, errors.New("nothing stops it")
	w.Candidates[1].Prepare = func(ctx context.Context) (func() error, error) { <-ctx.Done(); return nil, ctx.Err() }
	if r, err = w.Run(t.Context()); err != nil || string(r.Best) != "2" || r.Trials[1].Error != "its compilation has not ended after 50ms" {
		t.Errorf("a compilation that does not end: %v, %+v", err, r)
	}
	w = search(t, 50)
	w.fails[0] = errors.New("a fault")
	if _, err = w.Run(t.Context()); err == nil || err.Error() != "the default 0: a fault" {
		t.Errorf("a default that fails: %v", err)
	}
}

// TestFiles: several writers of a file lose nothing, and what is no file of records is an error with its name.
func TestFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tuned.json")
	for i := range 4 {
		r, err := tuning.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { // all of them have been opened before
			w := search(t, 5, 3)
			w.Records, w.Key.Arguments = r, fmt.Sprint(i)
			if _, err := w.Run(context.Background()); err != nil {
				t.Error(err)
			}
			if data, _ := os.ReadFile(file); strings.Count(string(data), `"best": 1`) != 4-i {
				t.Errorf("after %d searches the file is\n%s", 4-i, data)
			}
		}()
	}
	for content, want := range map[string]string{
		"{": "unexpected end", `{"records": []}`: "records of version 0", "[]": "cannot unmarshal", `{"version": 3}`: "records of version 3: this program reads version 2",
	} {
		bad := filepath.Join(t.TempDir(), "bad.json")
		if err := os.WriteFile(bad, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := tuning.Open(bad); err == nil || !strings.Contains(err.Error(), bad+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", content, err, want)
		}
	}
}

// TestSame compares by types.
func TestSame(t *testing.T) {
	f32 := func(xs ...float64) []byte {
		var b []byte
		for _, x := range xs {
			bits := dtype.F32.FloatBits(x)
			b = append(b, byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24))
		}
		return b
	}
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		elem      dtype.Type
		tolerance float64
		got, want []byte
		err       string
	}{
		{dtype.F32, 0, f32(1, 2, nan, inf), f32(1.0001, 2, nan, inf), ""},
		{dtype.F32, 0, f32(1, 2, 3, 4), f32(1.001, 2, 3, 4), "output #0 differs from the default's at [0 0]: it is 1, not 1.001"},
		{dtype.F32, 0.01, f32(1, 2, 3, 4), f32(1.001, 2, 3, 4), ""},
		{dtype.F32, 0, f32(1e-3, 1000), f32(2e-3, 1000), ""}, // as of a sum that cancels
		{dtype.F32, 0, f32(1, nan), f32(1, 2), "at [0 1]: it is NaN, not 2"},
		{dtype.F32, 0, f32(1, 2), f32(1, nan), "at [0 1]: it is 2, not NaN"},
		{dtype.F32, 0, f32(1, 1e30), f32(1, inf), "not +Inf"},
		{dtype.F32, 0, f32(1, -inf), f32(1, inf), "it is -Inf, not +Inf"},
		{dtype.I16, 10, []byte{1, 0, 2, 0}, []byte{1, 0, 3, 0}, "at [0 1]: the bits are 2, not 3"},
	} {
		err := tuning.Same([]tuning.Output{{Elem: c.elem, Shape: []int{1, len(c.want) / c.elem.Size()}}}, c.tolerance, [][]byte{c.got}, [][]byte{c.want})
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%v: %v, want %q", c, err, c.err)
		}
	}
}

package main

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
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
func TestMeasure(t *testing.T) {
	launches, result := 0, []float32{1}
	j := &job{
		clear:  func(context.Context) error { result[0] = nan; return nil },
		launch: func(context.Context) error { launches++; result[0] = 1; return nil },
		sync: func(context.Context) error {
			time.Sleep(time.Duration(min(launches, 4)) * time.Millisecond)
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
	if err != nil || r.Seconds < 0.9e-3 || r.Low > r.Seconds || r.High < r.Seconds {
		t.Errorf("%+v, %v", r, err)
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

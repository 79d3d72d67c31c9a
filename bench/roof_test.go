package bench

import (
	"testing"
	"time"

	"github.com/cutile-go/cutile"
)

// TestRoof measures a small roof: every probe runs.
func TestRoof(t *testing.T) {
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	r, err := roof(t.Context(), dev, roofSizes{1 << 12, 32, 1 << 10}, Options{Sample: time.Microsecond, Warm: time.Nanosecond})
	if err != nil || r.Bandwidth <= 0 || len(r.Missing) != 0 || r.Device != "cpu" || len(r.Peaks) != 6 {
		t.Fatalf("%v: %+v", err, r)
	}
	for _, p := range r.Peaks {
		if p.Rate <= 0 {
			t.Errorf("%+v", p)
		}
	}
	for _, p := range (roofSizes{1 << 12, 32, 1 << 10}).probes() {
		w, err := p.work(dev)
		if err != nil {
			t.Fatal(err)
		}
		if w.Kernel == nil {
			continue
		}
		c, err := w.Cost(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := map[bool]int64{true: c.Flops(), false: c.Bytes}[p.peak.Kind != ""]; float64(got) < p.count || float64(got) > 1.1*p.count {
			t.Errorf("%+v: %g are said to count, and it has %d", p.peak, p.count, got)
		}
	}
}

// TestBound: the slowest of memory and each kind of operations bounds work.
func TestBound(t *testing.T) {
	r := &Roofline{Device: "cpu", Bandwidth: 10, Peaks: []Peak{{"matrix", "f32", 100}, {"matrix", "f16", 400}, {"arithmetic", "f32", 50}}}
	ops := func(kind, typ string, n int64) []cutile.Ops { return []cutile.Ops{{Kind: kind, Type: typ, N: n}} }
	for _, c := range []struct {
		bytes   int64
		ops     []cutile.Ops
		bound   string
		seconds float64
	}{
		{20, nil, "memory", 2}, {0, nil, "", 0}, {20, ops("matrix", "f32", 100), "memory", 2}, {20, ops("matrix", "f32", 400), "matrix f32", 4},
		{20, ops("matrix", "f16", 400), "memory", 2}, {1, ops("arithmetic", "f32", 100), "arithmetic f32", 2},
		{1, ops("matrix", "f8E4M3FN", 800), "matrix f8E4M3FN", 2}, // as fast as the fastest that was measured
		{1, ops("special", "f32", 800), "special f32", 2},
		{1, append(ops("matrix", "f16", 800), ops("arithmetic", "f32", 200)...), "arithmetic f32", 4},
	} {
		bound, seconds := r.least(c.bytes, c.ops)
		if bound != c.bound || !near(seconds, c.seconds) {
			t.Errorf("%d bytes and %v: %s takes %g, want %s and %g", c.bytes, c.ops, bound, seconds, c.bound, c.seconds)
		}
		x := &Result{Bytes: c.bytes, Ops: c.ops, Median: &Interval{Median: 8}}
		if _, part := r.part(x); !near(part, c.seconds/8) {
			t.Errorf("%d bytes and %v: the part is %g", c.bytes, c.ops, part)
		}
	}
}

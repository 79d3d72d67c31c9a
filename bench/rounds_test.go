package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// fake is a session with a clock of its own, which only work moves.
type fake struct {
	session
	clock time.Time
	order []string // what ran, with the number of launches
}

func newFake(o Options) *fake {
	f := &fake{clock: time.Unix(0, 0)}
	if err := o.complete(); err != nil {
		panic(err)
	}
	f.session = session{Options: &o, now: func() time.Time { return f.clock }}
	return f
}

// add adds work whose k-th sample takes some time for each launch.
func (f *fake) add(name string, each func(k int) (time.Duration, error)) *contender {
	k := -1
	c := &contender{time: func(_ context.Context, n int) (time.Duration, error) {
		k++
		f.order = append(f.order, fmt.Sprintf("%s:%d", name, n))
		took, err := each(k)
		f.clock = f.clock.Add(took * time.Duration(n))
		return took * time.Duration(n), err
	}}
	f.list = append(f.list, c)
	return c
}

func always(d time.Duration) func(int) (time.Duration, error) {
	return func(int) (time.Duration, error) { return d, nil }
}

func noisy(k int) (time.Duration, error) { return time.Duration(100+50*(k%3)) * time.Microsecond, nil }

// TestRounds: each round runs every case once, in an order that changes, and there are as many rounds as were asked for.
func TestRounds(t *testing.T) {
	f := newFake(Options{Rounds: 50, Precision: 1e-300, Budget: time.Hour, Sample: time.Nanosecond, Warm: time.Nanosecond})
	jitter := func(base int) func(k int) (time.Duration, error) {
		return func(k int) (time.Duration, error) { return time.Duration(base+k%7) * time.Microsecond, nil }
	}
	for i, name := range []string{"a", "b", "c"} {
		f.add(name, jitter(100*(i+1)))
	}
	if err := f.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	timed := f.order[len(f.order)-150:]
	orders := map[string]int{}
	for round := range slices.Chunk(timed, 3) {
		orders[strings.Join(round, " ")]++
		round = slices.Sorted(slices.Values(round))
		if strings.Join(round, " ") != "a:1 b:1 c:1" {
			t.Fatalf("a round runs %v", round)
		}
	}
	if len(orders) != 6 {
		t.Errorf("the orders are %v, want all six", orders)
	}
	for i, c := range f.list {
		if len(c.samples) != 50 || c.samples[0] < 1e-4*float64(i+1) || c.samples[0] > 1.1e-4*float64(i+1) {
			t.Errorf("case %d has the samples %v", i, c.samples)
		}
	}
	again := newFake(*f.Options)
	for i, name := range []string{"a", "b", "c"} {
		again.add(name, jitter(100*(i+1)))
	}
	if err := again.run(t.Context()); err != nil || !slices.Equal(again.order, f.order) {
		t.Error("the same seed gives another order")
	}
}

// TestStops: what ends the rounds.
func TestStops(t *testing.T) {
	for name, c := range map[string]struct {
		o      Options
		second func(int) (time.Duration, error)
		least  int
		most   int
	}{
		"the precision is reached": {Options{}, always(200 * time.Microsecond), leastRounds, leastRounds},
		"the rounds are over":      {Options{Rounds: 3}, noisy, 3, 3},
		"a budget of nothing":      {Options{Budget: 1}, noisy, 1, 1},
		// a sample is 20 launches: 2 ms of the first, and 2, 3 or 4 ms of the second
		"the budget is over": {Options{Budget: 41 * time.Millisecond, Precision: 1e-9}, noisy, 8, 9},
	} {
		f := newFake(c.o)
		f.add("first", always(100*time.Microsecond))
		second := f.add("second", c.second)
		if err := f.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := len(second.samples); n < c.least || n > c.most {
			t.Errorf("%s: there are %d rounds, want %d to %d", name, n, c.least, c.most)
		}
	}
	alone := newFake(Options{Rounds: 200, Budget: time.Hour, Precision: 0.2})
	c := alone.add("alone", func(k int) (time.Duration, error) { return time.Duration(1000+k*37%200) * time.Microsecond, nil })
	if err := alone.run(t.Context()); err != nil || len(c.samples) != leastRounds {
		t.Errorf("%v: a single case has %d samples, want %d, as its time is known to a fifth", err, len(c.samples), leastRounds)
	}
}

// TestWarm: work runs until it gets no faster, and has as many launches as make a sample.
func TestWarm(t *testing.T) {
	f := newFake(Options{Warm: time.Millisecond, Sample: time.Millisecond})
	slowFirst := f.add("compiles", func(k int) (time.Duration, error) { return time.Duration(max(10, 4000>>k)) * time.Microsecond, nil })
	fast := f.add("fast", always(100*time.Nanosecond))
	slow := f.add("slow", always(time.Minute))
	none := f.add("too fast for the clock", func(k int) (time.Duration, error) { f.clock = f.clock.Add(time.Millisecond); return 0, nil })
	for _, c := range f.list {
		if err := f.warm(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		c    *contender
		name string
		n    int
	}{{slowFirst, "compiles", 100}, {fast, "fast", 10_000}, {slow, "slow", 1}, {none, "too fast", 1 << 20}} {
		if c.c.n != c.n && c.c != none || c.c == none && (c.c.n < 1000 || c.c.n > c.n) {
			t.Errorf("%s: a sample has %d launches, want %d", c.name, c.c.n, c.n)
		}
	}
	if n := strings.Count(strings.Join(f.order, " "), "slow:"); n != 1 {
		t.Errorf("work of a minute runs %d times before anything counts", n)
	}
	flushing := newFake(Options{Flush: 1})
	if c := flushing.add("x", always(time.Microsecond)); flushing.warm(t.Context(), c) != nil || c.n != 1 {
		t.Errorf("with flushed caches a sample has %d launches", c.n)
	}
}

// TestFails: a case that fails is left out from then on, and the others go on; an end of the context leaves whole rounds.
func TestFails(t *testing.T) {
	f := newFake(Options{Rounds: 20, Precision: 1e-300, Sample: time.Microsecond, Warm: time.Microsecond})
	first := f.add("first", always(time.Millisecond))
	breaks := f.add("breaks", func(k int) (time.Duration, error) {
		if k == 9 {
			return 0, errors.New("a fault")
		}
		return time.Millisecond, nil
	})
	f.add("noisy", noisy)
	if err := f.run(t.Context()); err != nil || len(first.samples) != 20 || breaks.err == nil || breaks.speedup(first) != nil {
		t.Errorf("%v: %d samples, and %v", err, len(first.samples), breaks.err)
	}
	for seed := range uint64(6) { // some have b first in the last round, and some a
		ctx, cancel := context.WithCancel(t.Context())
		f = newFake(Options{Rounds: 20, Precision: 1e-300, Sample: time.Microsecond, Warm: time.Microsecond, Seed: seed})
		a := f.add("a", always(time.Millisecond))
		b := f.add("b", func(k int) (time.Duration, error) {
			if k == 12 {
				cancel()
			}
			return noisy(k)
		})
		if err := f.run(ctx); !errors.Is(err, context.Canceled) || len(a.samples) != len(b.samples) || len(a.samples) == 0 || len(a.samples) >= 20 {
			t.Errorf("%v: %d and %d samples", err, len(a.samples), len(b.samples))
		}
		cancel()
	}
}

// TestSpeedup: noise that hits both cases of a round does not change their ratio.
func TestSpeedup(t *testing.T) {
	var a, b contender
	for i := range 20 {
		noise := 1 + float64(i*i%13)
		a.samples, b.samples = append(a.samples, 3*noise), append(b.samples, 2*noise)
	}
	if s := b.speedup(&a); !near(s.Median, 1.5) || !near(s.Low, 1.5) || !near(s.High, 1.5) {
		t.Errorf("%+v", s)
	}
	b.samples[3] = 0
	if s := b.speedup(&a); s != nil {
		t.Errorf("a time of 0 gives %+v", s)
	}
}

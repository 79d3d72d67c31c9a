package limit_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/limit"
)

// all has another value in each field.
var all = limit.Limits{Operations: 1, Calls: 2, Turns: 3, Unrolled: 4, CompileMemory: 5, BlockMemory: 6, Print: 7, Memory: 10, Run: 8, Close: 9}

// TestParse: what the environment may say, each name for its field.
func TestParse(t *testing.T) {
	for text, want := range map[string]limit.Limits{
		"":   {},
		"  ": {},
		"operations=1,calls=2,turns=3,unrolled=4,compile-memory=5,block-memory=6,print=7,memory=10,run=8ns,close=9ns": all,
		"calls=7 run=1m30s":             {Calls: 7, Run: 90 * time.Second},
		"print=3KiB":                    {Print: 3072},
		"block-memory=5MiB":             {BlockMemory: 5 * 1024 * 1024},
		"compile-memory=2GiB, print=12": {CompileMemory: 2147483648, Print: 12},
		"print=9223372036854775807":     {Print: math.MaxInt64},
		"print=8589934591GiB":           {Print: 1<<63 - 1<<30},
		"calls=0":                       {},
		" run = 1s ":                    {Run: time.Second},
		"calls =7 run= 1m30s,print\t=1": {Calls: 7, Run: 90 * time.Second, Print: 1},
	} {
		if got, err := limit.Parse(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
		}
	}
}

// TestParseRefuses: the whole text of each mistake.
func TestParseRefuses(t *testing.T) {
	const names = "operations, calls, turns, unrolled, compile-memory, block-memory, print, memory, pinned, run, close"
	const bytes = "is not a number of bytes, such as 1073741824 or 1GiB"
	for text, want := range map[string]string{
		"call=1":                     `there is no limit "call": the limits are ` + names,
		"calls=1,=":                  `the name of a limit is missing before =: the limits are ` + names,
		"calls":                      "limit calls has no value: give one, as in calls=1000",
		"close":                      "limit close has no value: give one, as in close=10s",
		"close=, run=1s":             "limit close has no value: give one, as in close=10s",
		"close = , run=1s":           "limit close has no value: give one, as in close=10s",
		"print=":                     "limit print has no value: give one, as in print=1GiB",
		"run=1h,run=1ms":             `limit run is given twice in "run=1h,run=1ms": give it once`,
		"calls=0 run=1s calls=0":     `limit calls is given twice in "calls=0 run=1s calls=0": give it once`,
		"turns=9223372036854775808":  `limit turns: "9223372036854775808" is too large`,
		"turns=1e3":                  `limit turns: "1e3" is not a number`,
		"calls=1GiB":                 `limit calls: "1GiB" is not a number`,
		"print=many":                 `limit print: "many" ` + bytes,
		"print=1TiB":                 `limit print: "1TiB" ` + bytes,
		"print=GiB":                  `limit print: "GiB" ` + bytes,
		"print=8589934592GiB":        `limit print: "8589934592GiB" is too large`,
		"print=8796093022208MiB":     `limit print: "8796093022208MiB" is too large`,
		"print=-9007199254740993KiB": `limit print: "-9007199254740993KiB" is too large`,
		",":                          `"," has an empty entry beside a comma: want name=value, with one comma between two`,
		"calls=1,":                   `"calls=1," has an empty entry beside a comma: want name=value, with one comma between two`,
		"calls=1, ,run=1s":           `"calls=1, ,run=1s" has an empty entry beside a comma: want name=value, with one comma between two`,
		"run=10":                     `limit run: "10" is not a time, such as 10s`,
		"close=soon":                 `limit close: "soon" is not a time, such as 10s`,
		"operations=-1":              "Limits.Operations is negative: give 0 for the default, or more",
		"block-memory=-1":            "Limits.BlockMemory is negative: give 0 for the default, or more",
		"calls=1,run=-1s":            "Limits.Run is negative: give 0 for the default, or more",
	} {
		if _, err := limit.Parse(text); err == nil || err.Error() != want {
			t.Errorf("%q: got %v\nwant %s", text, err, want)
		}
	}
}

// TestFromEnv: the variable is read, and named in a mistake.
func TestFromEnv(t *testing.T) {
	t.Setenv("CUTILE_LIMITS", "turns=12")
	if l, err := limit.FromEnv(); err != nil || l != (limit.Limits{Turns: 12}) {
		t.Errorf("%+v, %v", l, err)
	}
	t.Setenv("CUTILE_LIMITS", "turns=x")
	if _, err := limit.FromEnv(); err == nil || err.Error() != `CUTILE_LIMITS: limit turns: "x" is not a number` {
		t.Error(err)
	}
}

// TestOr: what is 0 comes from the other limits, and nothing else.
func TestOr(t *testing.T) {
	if got := (limit.Limits{}).Or(all); got != all {
		t.Errorf("nothing or all: %+v", got)
	}
	other := limit.Limits{Operations: 11, Calls: 12, Turns: 13, Unrolled: 14, CompileMemory: 15, BlockMemory: 16, Print: 17, Run: 18, Close: 19}
	if got := all.Or(other); got != all {
		t.Errorf("all or others: %+v", got)
	}
	if got, want := (limit.Limits{Calls: 2}).Or(limit.Limits{Calls: 5, Run: 6}), (limit.Limits{Calls: 2, Run: 6}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestCheck: any negative field is refused, and 0 is none.
func TestCheck(t *testing.T) {
	for name, l := range map[string]limit.Limits{
		"Operations": {Operations: -1}, "Calls": {Calls: -1}, "Turns": {Turns: -1}, "Unrolled": {Unrolled: -1},
		"CompileMemory": {CompileMemory: -1}, "BlockMemory": {BlockMemory: -1}, "Print": {Print: -1}, "Run": {Run: -1}, "Close": {Close: -1},
	} {
		if err := l.Check(); err == nil || !strings.HasPrefix(err.Error(), "Limits."+name+" is negative") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, l := range []limit.Limits{{}, all} {
		if err := l.Check(); err != nil {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

// TestKey: two keys differ where one of the limits that decide about compiling does, and only there.
func TestKey(t *testing.T) {
	if k := (limit.Limits{}).Key(); k != "" {
		t.Errorf("the key of no limits is %q", k)
	}
	if k := limit.Default.Key(); k != "" {
		t.Errorf("the key of the defaults is %q", k)
	}
	seen := map[string]limit.Limits{}
	for _, l := range []limit.Limits{{}, {Operations: 9}, {Calls: 9}, {Turns: 9}, {Unrolled: 9}, {CompileMemory: 9}, {Calls: 10}} {
		if old, ok := seen[l.Key()]; ok {
			t.Errorf("%+v and %+v have the key %q", l, old, l.Key())
		}
		seen[l.Key()] = l
	}
	for _, l := range []limit.Limits{{BlockMemory: 9}, {Print: 9}, {Run: 9}, {Close: 9}} {
		if l.Key() != "" {
			t.Errorf("%+v has the key %q, but does not matter to a compilation", l, l.Key())
		}
	}
}

// TestHint: how a limit is raised, in Go and in the environment.
func TestHint(t *testing.T) {
	if got, want := limit.Hint("CompileMemory"), "raise Limits.CompileMemory, by cutile.WithLimits or CUTILE_LIMITS=compile-memory=…"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	defer func() {
		if r := recover(); r != "BUG: limit: there is no limit Coffee" {
			t.Errorf("panics with %v", r)
		}
	}()
	limit.Hint("Coffee")
}

// TestMeter: a meter counts each kind for itself, takes the limit whole, and refuses one more.
func TestMeter(t *testing.T) {
	m := limit.NewMeter(t.Context(), limit.Limits{Operations: 10, Calls: 20, CompileMemory: 30, Turns: 40, Unrolled: 50})
	if m.Turns != 40 || m.Unrolled != 50 {
		t.Errorf("turns %d, unrolled %d", m.Turns, m.Unrolled)
	}
	for _, c := range []struct {
		kind limit.Kind
		max  int64
		text string
	}{
		{limit.Operations, 10, "more than 10 operations: raise Limits.Operations, by cutile.WithLimits or CUTILE_LIMITS=operations=…"},
		{limit.Calls, 20, "more than 20 inlined calls: raise Limits.Calls, by cutile.WithLimits or CUTILE_LIMITS=calls=…"},
		{limit.Memory, 30, "more than 30 bytes of the compiler's memory: raise Limits.CompileMemory, by cutile.WithLimits or CUTILE_LIMITS=compile-memory=…"},
	} {
		if err := errors.Join(m.Spend(c.kind, 4), m.Spend(c.kind, c.max-4)); err != nil {
			t.Errorf("the whole limit: %v", err)
		}
		err := m.Spend(c.kind, 1)
		var over *limit.Exceeded
		if !errors.As(err, &over) || over.Kind != c.kind || over.Max != c.max || err.Error() != c.text {
			t.Errorf("one more: %v\nwant %s", err, c.text)
		}
	}
	m = limit.NewMeter(t.Context(), limit.Limits{CompileMemory: math.MaxInt64})
	if err := errors.Join(m.Spend(limit.Memory, math.MaxInt64), m.Spend(limit.Operations, 1)); err != nil {
		t.Error(err)
	}
	if err := m.Spend(limit.Memory, math.MaxInt64); err == nil {
		t.Error("a sum that wraps is no excess")
	}
}

// TestMeterEnds: a meter sees within a bounded number of turns that its context has ended.
func TestMeterEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m := limit.NewMeter(ctx, limit.Limits{})
	for range 1000 {
		if err := errors.Join(m.Spend(limit.Operations, 1), m.Err()); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	if !errors.Is(m.Err(), context.Canceled) {
		t.Error(m.Err())
	}
	for i := 0; ; i++ {
		if err := m.Spend(limit.Calls, 1); err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			break
		}
		if i == 200 {
			t.Fatal("200 turns after the end of its context the meter goes on")
		}
	}
}

// TestOrDefault: a meter stays, and none becomes one with the defaults.
func TestOrDefault(t *testing.T) {
	m := limit.NewMeter(t.Context(), limit.Limits{Turns: 3})
	if m.OrDefault() != m {
		t.Error("another meter")
	}
	m = (*limit.Meter)(nil).OrDefault()
	if m.Turns != limit.Default.Turns || m.Unrolled != limit.Default.Unrolled {
		t.Errorf("turns %d, unrolled %d", m.Turns, m.Unrolled)
	}
	if err := m.Spend(limit.Operations, int64(limit.Default.Operations)); err != nil {
		t.Error(err)
	}
	if err := m.Spend(limit.Operations, 1); err == nil {
		t.Error("more operations than the default")
	}
}

// TestDefaults: the defaults are what cutile.Limits documents.
func TestDefaults(t *testing.T) {
	want := limit.Limits{Operations: 524288, Calls: 524288, Turns: 256, Unrolled: 65536, CompileMemory: 1 << 30, BlockMemory: 2 << 30,
		Print: 16 << 20, Close: 5 * time.Second}
	if limit.Default != want {
		t.Errorf("%+v, want %+v", limit.Default, want)
	}
}

// TestAfter: the end of what is stopped late says whether it was, and nothing of the stop happens after it.
func TestAfter(t *testing.T) {
	end := limit.After(time.Hour, func() { t.Error("stopped") })
	if end() {
		t.Error("stopped before its time")
	}
	begun, over := make(chan struct{}), false
	end = limit.After(0, func() {
		close(begun)
		time.Sleep(10 * time.Millisecond)
		over = true
	})
	<-begun
	if !end() || !over {
		t.Errorf("the end of a stop that had begun; over: %v", over)
	}
}

package races_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/emulate/races"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// TestCrowds is TestAgainstPairs with many blocks, in phases: in each, blocks touch the same bytes in ways that do not race with
// each other, after they have acquired what those of earlier phases released, of which some do not.
func TestCrowds(t *testing.T) {
	testenv.Alone(t)
	r := rand.New(rand.NewPCG(3, 4))
	phases := [][]string{{"r"}, {"r"}, {"ar", "aw"}, {"r", "ar"}, {"aw"}, {"w"}}
	reported, late := 0, 0
	pages := &races.Pages{}
	for range 1500 {
		careless := r.IntN(2) == 0
		forgets := func() bool { return careless && r.IntN(60) == 0 }
		sync := r.IntN(8) > 0
		var history []event
		for range 2 + r.IntN(4) {
			words, n := phases[r.IntN(len(phases))], 1+r.IntN(40)
			if words[0] == "w" {
				n = 1
			}
			for _, k := range r.Perm(blocks / 31)[:n] {
				block := 31 * uint32(k)
				if k%3 == 0 {
					block = uint32(k) // neighbours
				}
				if sync && !forgets() {
					history = append(history, event{block: block, what: "acq"})
				}
				for range 1 + r.IntN(2) {
					history = append(history, event{block: block, what: words[r.IntN(len(words))], at: int64(r.IntN(2)), bytes: 1 + int64(r.IntN(2))})
				}
				if sync && !forgets() {
					history = append(history, event{block: block, what: "rel"})
				}
			}
		}
		switch raced := check(t, history, sync, pages, 1); {
		case raced:
			reported++
		case len(history) > 100:
			late++
		}
	}
	if reported < 250 || late < 250 {
		t.Errorf("%d of 1500 histories have a race, and %d long ones none: too few of one sort to say anything", reported, late)
	}
}

// TestOneOfMany: of many blocks that touch a byte, each one alone is found that a later block does not know of, whoever that is,
// also if others have looked before.
func TestOneOfMany(t *testing.T) {
	rel := func(block int) event { return event{block: uint32(block), what: "rel"} }
	acq := func(block int) event { return event{block: uint32(block), what: "acq"} }
	for many := range kinds {
		for one := range kinds {
			do := func(block int, what string) event { return event{block: uint32(block), what: what, bytes: 2} }
			for _, n := range []int{7, 8, 9, 10, 33, 70} {
				for _, forgot := range []int{-1, 0, 1, n / 2, n - 1} {
					var all []event
					for k := range n {
						if many == "w" {
							all = append(all, acq(k)) // the others would race here
						}
						if all = append(all, do(k, many)); k != forgot {
							all = append(all, rel(k))
						}
					}
					f := max(forgot, 0)
					for name, end := range map[string][]event{
						"another block": {acq(n), do(n, one)},
						"the first":     {acq(0), do(0, one)},
						"the last":      {acq(n - 1), do(n-1, one)},
						"that does not acquire, behind one that does": {acq(n), do(n, one), do(n+1, one)},
						"another one, behind it":                      {acq(f), do(f, one), acq(n), do(n, one)},
						"one that it told":                            {rel(f), acq(f), do(f, one), rel(f), acq(n), do(n, one)},
						"one that does not know that it came again":   {rel(f), do(f, many), acq(n), do(n, one)},
						"one that knows that it came again":           {rel(f), do(f, many), rel(f), acq(n), do(n, one)},
					} {
						if check(t, append(slices.Clone(all), end...), true, nil, 1); t.Failed() {
							t.Fatalf("%d blocks do %s, block %d forgets to release, %s does %s", n, many, forgot, name, one)
						}
					}
				}
			}
		}
	}
}

// phase is what each block does to each byte.
type phase struct {
	what               string
	acquires, releases bool // before, and behind
}

// work is how many steps blocks take with some bytes.
func work(t *testing.T, phases []phase, blocks uint32, bytes int64) float64 {
	t.Helper()
	d := races.New(int64(blocks), true, nil)
	m := d.NewMemory(bytes+8, 1)
	threads := make([]races.Thread, blocks)
	for k := range threads {
		d.Begin(&threads[k], uint32(k))
	}
	for _, p := range phases {
		for k := range threads {
			if p.acquires {
				threads[k].Acquire(m, bytes)
			}
			if with, _, raced := threads[k].Touch(m, 0, bytes, 0, kinds[p.what]); raced {
				t.Fatalf("%v: block %d races with %+v", phases, k, with)
			}
			if p.releases {
				threads[k].Release(m, bytes)
			}
		}
	}
	return float64(d.Steps())
}

// TestWork: four times as many blocks, or bytes, are not much more than four times the work.
func TestWork(t *testing.T) {
	reads, updates, after := phase{"r", false, true}, phase{"aw", false, true}, phase{"r", true, true}
	for name, phases := range map[string][]phase{
		"readers":                           {{"r", false, false}},
		"readers that release":              {reads},
		"a chain of readers":                {after},
		"readers, then writers":             {reads, {"w", true, true}},
		"readers, then updates":             {reads, {"aw", true, true}},
		"readers, then updates, unordered":  {reads, {"aw", true, false}},
		"updates, then readers":             {updates, after},
		"updates, then readers, unordered":  {updates, {"r", true, false}},
		"updates and readers by turns":      {updates, after, {"ar", true, true}, {"w", true, true}, after, {"aw", true, true}},
		"readers of two kinds, then writes": {reads, {"ar", false, true}, {"w", true, true}},
	} {
		if more := work(t, phases, 2000, 1) / work(t, phases, 500, 1); more > 6 {
			t.Errorf("%s: 4 times as many blocks take %.1f times the work", name, more)
		}
		if more := work(t, phases, 100, 256) / work(t, phases, 100, 64); more > 5 {
			t.Errorf("%s: 4 times as many bytes take %.1f times the work", name, more)
		}
	}
	// The same blocks read all of the bytes, so that looking at one of them says what there is to say of all.
	if more := work(t, []phase{reads}, 400, 512) / work(t, []phase{reads}, 100, 512); more > 1.5 {
		t.Errorf("4 times as many readers of bytes with the same past take %.1f times the work", more)
	}
}

// BenchmarkReaders shows how many times as long four times as many blocks take that read the same bytes.
func BenchmarkReaders(b *testing.B) {
	for _, n := range []int{64, 256, 1024} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			least, more := time.Hour, time.Hour
			for b.Loop() {
				least, more = min(least, readers(n)), min(more, readers(4*n))
			}
			b.ReportMetric(more.Seconds()/least.Seconds(), "times/4")
		})
	}
}

// readers is how long blocks take that read 256 bytes and count themselves.
func readers(blocks int) time.Duration {
	const bytes = 256
	begin := time.Now()
	d := races.New(int64(blocks), true, nil)
	m := d.NewMemory(bytes+8, 1)
	for k := range blocks {
		var t races.Thread
		d.Begin(&t, uint32(k))
		t.Touch(m, 0, bytes, 0, races.Read)
		t.Touch(m, bytes, 4, 0, races.AtomicWrite)
		t.Release(m, bytes)
		t.Acquire(m, bytes)
	}
	return time.Since(begin)
}

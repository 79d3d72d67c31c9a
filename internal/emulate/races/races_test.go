package races_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/emulate/races"
)

// blocks is how many blocks a history is for at most.
const blocks = 1500

// event is what one block does, in the order in which a launch runs.
type event struct {
	block uint32
	what  string // r, w, ar, aw: accesses; rel, acq: of a place
	at    int64
	bytes int64
}

var kinds = map[string]races.Kind{"r": races.Read, "w": races.Write, "ar": races.AtomicRead, "aw": races.AtomicWrite}

// TestAgainstPairs: the detector reports a race in exactly the histories in which some two accesses of one byte conflict and
// no chain of releases and acquires leads from one to the other, which is looked for pair by pair.
func TestAgainstPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{"r", "r", "w", "ar", "aw", "rel", "acq", "rel", "acq"}
	reported := 0
	pages := &races.Pages{} // what one history leaves, the next one must not see
	for range 6000 {
		grain := 1 << r.IntN(3)
		sync := r.IntN(3) > 0
		var history []event
		for range 2 + r.IntN(24) {
			bytes := int64(grain) << r.IntN(2)
			e := event{block: 31 * uint32(r.IntN(4)), what: words[r.IntN(len(words))], at: bytes * int64(r.IntN(3)), bytes: bytes}
			if (e.what == "rel" || e.what == "acq") && !sync {
				continue
			}
			history = append(history, e)
		}
		if check(t, history, sync, pages, grain) {
			reported++
		}
	}
	if reported < 500 || reported > 5500 {
		t.Errorf("%d of 6000 histories have a race: too few of one sort to say anything", reported)
	}
}

// check compares what the detector says of a history with the pairs, and reports whether it has a race.
func check(t *testing.T, history []event, sync bool, pages *races.Pages, grain int) bool {
	t.Helper()
	past, want := pastOf(history), -1
	for i := range history {
		if _, _, races := raceAt(history[:i+1], past); races {
			want = i
			break
		}
	}
	if got := run(t, history, past, sync, pages, grain); got != want {
		t.Fatalf("race at %d, want %d in %+v", got, want, history)
	}
	return want >= 0
}

// run gives the number of the event that the detector reports; -1 for none. What the detector says of a race must be one.
func run(t *testing.T, history []event, past [][]bool, sync bool, pages *races.Pages, grain int) int {
	t.Helper()
	d := races.New(blocks, sync, pages)
	m := d.NewMemory(48, grain)
	defer d.Close(m)
	threads := map[uint32]*races.Thread{}
	for i, e := range history {
		th := threads[e.block]
		if th == nil {
			th = new(races.Thread)
			d.Begin(th, e.block)
			threads[e.block] = th
		}
		switch e.what {
		case "rel":
			th.Release(m, 24+e.at)
		case "acq":
			th.Acquire(m, 24+e.at)
		default:
			with, at, raced := th.Touch(m, e.at, e.bytes, int32(i), kinds[e.what])
			if !raced {
				continue
			}
			first, others, _ := raceAt(history[:i+1], past)
			if at != first || !slices.Contains(others, int(with.Op)) || with.Block != history[with.Op].block || with.Kind != kinds[history[with.Op].what] {
				t.Fatalf("event %d races with %+v at %d, want one of %v at %d in %+v", i, with, at, others, first, history)
			}
			return i
		}
	}
	return -1
}

// raceAt reports whether the last event races with an earlier one: the first byte of a race, and the events that meet it there.
func raceAt(h []event, past [][]bool) (first int64, with []int, races bool) {
	last := h[len(h)-1]
	mine, ok := kinds[last.what]
	for at := last.at; ok && at < last.at+last.bytes; at++ {
		for i, e := range h[:len(h)-1] {
			k, ok := kinds[e.what]
			if ok && e.at <= at && at < e.at+e.bytes && e.block != last.block && conflict(mine, k) && !past[len(h)-1][i] {
				with = append(with, i)
			}
		}
		if len(with) > 0 {
			return at, with, true
		}
	}
	return 0, nil, false
}

// conflict reports whether two accesses race that nothing orders.
func conflict(a, b races.Kind) bool {
	reads := (a == races.Read || a == races.AtomicRead) && (b == races.Read || b == races.AtomicRead)
	atomic := (a == races.AtomicRead || a == races.AtomicWrite) && (b == races.AtomicRead || b == races.AtomicWrite)
	return !reads && !atomic
}

// pastOf gives which events come before each event: in one block, or by a release and a later acquire.
func pastOf(h []event) [][]bool {
	past := make([][]bool, len(h))
	for a := range h {
		past[a] = make([]bool, len(h))
		for b := range a {
			same := h[a].block == h[b].block
			pair := h[b].what == "rel" && h[a].what == "acq" && h[a].at == h[b].at
			if !same && !pair {
				continue
			}
			past[a][b] = true
			for c := range b {
				past[a][c] = past[a][c] || past[b][c]
			}
		}
	}
	return past
}

// TestLimit: memory beyond the limit is not watched, which is counted, and takes nothing.
func TestLimit(t *testing.T) {
	d := races.New(4, false, nil)
	const cells = races.Limit / 24
	m := d.NewMemory(2*cells, 1)
	var a, b races.Thread
	d.Begin(&a, 0)
	d.Begin(&b, 1)
	for at := int64(0); at < 2*cells; at += 512 {
		a.Touch(m, at, 1, 0, races.Write)
	}
	if got := d.Unwatched(); got < cells/512*9/10 || got > cells/512*11/10 {
		t.Errorf("%d bytes were not watched, want about %d", got, cells/512)
	}
	if _, _, raced := b.Touch(m, 0, 1, 0, races.Write); !raced {
		t.Error("the first byte is not watched")
	}
	if _, _, raced := b.Touch(m, 2*cells-512, 1, 0, races.Write); raced {
		t.Error("a byte beyond the limit is watched")
	}
}

func BenchmarkTouch(b *testing.B) {
	var pages races.Pages
	b.SetBytes(1 << 20)
	for range b.N {
		d := races.New(256, false, &pages)
		m := d.NewMemory(1<<20, 4)
		var t races.Thread
		for k := range uint32(256) {
			d.Begin(&t, k)
			t.Touch(m, int64(k)<<12, 1<<12, 0, races.Write)
		}
		d.Close(m)
	}
}

// TestPagesAreKept: a launch takes the pages that the one before gave back, and finds nothing in them.
func TestPagesAreKept(t *testing.T) {
	const bytes, cells = 1 << 20, 512
	launch := func(pages *races.Pages, block uint32) {
		d := races.New(4, false, pages)
		m := d.NewMemory(bytes, 1)
		var th races.Thread
		d.Begin(&th, block)
		for at := int64(0); at < bytes; at += cells {
			if with, _, raced := th.Touch(m, at, 1, 7, races.Write); raced {
				t.Fatalf("byte %d races with %+v of the launch before", at, with)
			}
		}
		d.Close(m)
	}
	pages, block := &races.Pages{}, uint32(0)
	kept := testing.AllocsPerRun(5, func() { block++; launch(pages, block%4) })
	fresh := testing.AllocsPerRun(5, func() { launch(nil, 0) })
	if fresh < bytes/cells || kept > fresh/10 {
		t.Errorf("%v allocations with pages that are kept, %v without", kept, fresh)
	}
}

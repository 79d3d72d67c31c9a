package races_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/races"
)

// event is what one block does, in the order in which a launch runs.
type event struct {
	block   uint32
	what    string // r, w, ar, aw: accesses; rel, acq: of a place
	at      int64
	release int
}

// TestAgainstPairs: the detector reports a race in exactly the histories in which some two accesses of one byte conflict and
// no chain of releases and acquires leads from one to the other, which is looked for pair by pair.
func TestAgainstPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	kinds := map[string]races.Kind{"r": races.Read, "w": races.Write, "ar": races.AtomicRead, "aw": races.AtomicWrite}
	words := []string{"r", "r", "w", "ar", "aw", "rel", "acq", "rel", "acq"}
	reported := 0
	for range 4000 {
		sync := r.IntN(3) > 0
		var history []event
		for range 2 + r.IntN(24) {
			e := event{block: 31 * uint32(r.IntN(4)), what: words[r.IntN(len(words))], at: int64(r.IntN(3))}
			if (e.what == "rel" || e.what == "acq") && !sync {
				continue
			}
			history = append(history, e)
		}
		want := -1
		for i := range history {
			if raceAt(history[:i+1], kinds) {
				want = i
				break
			}
		}
		if got := run(history, sync, kinds); got != want {
			t.Fatalf("race at %d, want %d in %+v", got, want, history)
		}
		if want >= 0 {
			reported++
		}
	}
	if reported < 500 || reported > 3500 {
		t.Errorf("%d of 4000 histories have a race: too few of one sort to say anything", reported)
	}
}

// run gives the number of the event that the detector reports; -1 for none.
func run(history []event, sync bool, kinds map[string]races.Kind) int {
	d := races.New(100, sync, nil)
	m := d.NewMemory(16, 1)
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
			th.Release(m, 8+e.at)
		case "acq":
			th.Acquire(m, 8+e.at)
		default:
			if _, _, raced := th.Touch(m, e.at, 1, int32(i), kinds[e.what]); raced {
				return i
			}
		}
	}
	return -1
}

// raceAt reports whether the last event races with an earlier one.
func raceAt(h []event, kinds map[string]races.Kind) bool {
	last := h[len(h)-1]
	mine, ok := kinds[last.what]
	if !ok {
		return false
	}
	for i, e := range h[:len(h)-1] {
		k, ok := kinds[e.what]
		if !ok || e.at != last.at || e.block == last.block || mine != races.Write && k != races.Write &&
			(mine == races.Read || mine == races.AtomicRead) && (k == races.Read || k == races.AtomicRead) {
			continue
		}
		atomic := (mine == races.AtomicRead || mine == races.AtomicWrite) && (k == races.AtomicRead || k == races.AtomicWrite)
		if !atomic && !leads(h, i, len(h)-1) {
			return true
		}
	}
	return false
}

// leads reports whether event i comes before event j: in one block, or by a release and a later acquire.
func leads(h []event, i, j int) bool {
	reached := make([]bool, len(h))
	reached[i] = true
	for a := range h {
		for b := i; b < a && !reached[a]; b++ {
			same := h[a].block == h[b].block
			pair := h[b].what == "rel" && h[a].what == "acq" && h[a].at == h[b].at
			reached[a] = reached[b] && (same || pair)
		}
	}
	return reached[j]
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

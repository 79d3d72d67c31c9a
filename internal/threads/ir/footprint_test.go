package ir_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/internal/native/vec"
	. "github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
)

// random makes a footprint of 16 threads in two warps and up to four accesses, in 64 bytes.
func random(r *rand.Rand) *Footprint {
	f := &Footprint{Threads: 4, Bytes: 1 << r.IntN(3), Only: []int{0, 0, 1, 8, 15}[r.IntN(5)]}
	for range 4 + r.IntN(3) {
		basis := 0
		if r.IntN(4) > 0 {
			basis = 1 << r.IntN(6)
		}
		if r.IntN(4) == 0 {
			basis ^= 1 << r.IntN(6)
		}
		f.Map = append(f.Map, basis&^(f.Bytes-1))
	}
	f.First = r.IntN(64) &^ (f.Bytes - 1)
	return f
}

// bytes calls f with each thread and byte that it touches.
func bytes(f *Footprint, touch func(thread, at int)) {
	for n := range 1 << len(f.Map) {
		if thread := n & 15; thread&f.Only == 0 {
			for k := range f.Bytes {
				touch(thread, (f.First^f.Map.Apply(n))+k)
			}
		}
	}
}

// TestFootprints compares barriers between accesses whose footprints are known with a look at all threads and bytes.
func TestFootprints(t *testing.T) {
	count := map[string]int{}
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 7))
		x, y := random(r), random(r)
		want := "store load"
		bytes(x, func(a, p int) {
			bytes(y, func(b, q int) {
				switch {
				case p != q || a == b:
				case a>>3 != b>>3:
					want = "store barrier load"
				case want == "store load":
					want = "store barrier of the warp load"
				}
			})
		})
		b := NewBuilder("k", 16, nil)
		b.Lanes = 3
		buf := b.NewBuffer("x", 64, 16)
		b.Store(vec.I32, Access{Space: Shared, Buffer: buf, Touches: x}, b.Int(0))
		b.Load(vec.I32, 1, Access{Space: Shared, Buffer: buf, Touches: y})
		if got := barriers(b); got != want {
			t.Fatalf("%+v and %+v:\ngot  %s\nwant %s", x, y, got, want)
		}
		count[want]++
	}
	for want, n := range count {
		if n < 100 || len(count) != 3 {
			t.Errorf("%d times: %s", n, want)
		}
	}
}

// TestWarpBarriers: a barrier of the warp is none between warps, and one of the block is one of each warp, too.
func TestWarpBarriers(t *testing.T) {
	own := &Footprint{Map: linear.Map{4, 8, 16, 32}, Threads: 4, Bytes: 4}    // each thread a word
	mates := &Footprint{Map: linear.Map{8, 4, 16, 32}, Threads: 4, Bytes: 4}  // words of one's warp
	others := &Footprint{Map: linear.Map{4, 8, 32, 16}, Threads: 4, Bytes: 4} // words of other warps
	const first, second, third, stays = "store load", " barrier of the warp load", " barrier load", " load"
	for _, c := range []struct {
		reads []*Footprint
		want  string
	}{
		{[]*Footprint{own, mates, mates, others, mates}, first + second + stays + third + stays},
		{[]*Footprint{own, others, mates}, first + third + stays},
	} {
		b := NewBuilder("k", 16, nil)
		b.Lanes = 3
		buf := b.NewBuffer("x", 64, 16)
		b.Store(vec.I32, Access{Space: Shared, Buffer: buf, Touches: own}, b.Int(0))
		for _, f := range c.reads {
			b.Load(vec.I32, 1, Access{Space: Shared, Buffer: buf, Touches: f})
		}
		if got := barriers(b); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// TestAgain: an access that comes after itself waits for its last turn of a loop, and not for its own parts; one thread does not wait for
// itself.
func TestAgain(t *testing.T) {
	build := func(solo bool) string {
		again := &Turn{After: map[*Turn]bool{}}
		again.After[again] = true
		b := NewBuilder("k", 128, nil)
		at := b.Const(vec.I64, 64)
		b.Loop(func() {
			b.Store(vec.I32, Access{At: at, Turn: again, Solo: solo}, b.Int(1))
			b.Store(vec.I32, Access{At: at, Disp: 4, Turn: again, Solo: solo}, b.Int(1))
			b.Break(0, b.Compare(vec.I32, vec.EQ, b.Special(BlockID, vec.I32, 0), b.Int(0)))
		})
		return barriers(b)
	}
	if got, want := build(false), "loop barrier store store break"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := build(true), "loop store store break"; got != want {
		t.Errorf("of one thread: got  %s\nwant %s", got, want)
	}
}

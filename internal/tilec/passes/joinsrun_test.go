package passes_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/tilec/passes"
	"github.com/cutile-go/cutile/tileir"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

var joins = flag.Int("joins", 1000, "how many programs of integers that branches join TestJoins judges")

// joinedRun is a launch of such a kernel, and what it finds in memory.
type joinedRun struct {
	launch ranges.Launch
	memory [2]int64
}

func randomRun(r *rand.Rand) joinedRun {
	small := func() int64 {
		if r.IntN(12) == 0 {
			return []int64{math.MaxInt32, math.MinInt32, 1 << 29, 100}[r.IntN(4)]
		}
		return int64(r.IntN(8)) - 1
	}
	run := joinedRun{memory: [2]int64{small(), int64(int32(small()))}}
	for i := range run.launch.Grid {
		run.launch.Grid[i] = uint32(1 + r.IntN(3))
	}
	run.launch.Bits = []uint64{0, 0, 0, 0, 0, uint64(r.IntN(50)), uint64(small()), uint64(uint32(small())), uint64(r.IntN(2)), uint64(r.IntN(2))}
	return run
}

// tally counts what programs did: values and accesses, and those of which something was known.
type tally struct{ values, known, accesses, proved, through, spent int }

// judge runs a kernel in a block and gives what it stored, or "" where it takes too long.
func (run joinedRun) judge(t *testing.T, e *tileir.Entry, block [3]int64, of func(v *tileir.Value) (lo, hi int64), sum *tally, fail func(format string, args ...any)) (stored []int64, ended bool) {
	proof := passes.Prove(e, run.launch)
	letters := map[*tileir.Op]byte{}
	for i, o := range passes.Accesses(e) {
		letters[o] = proof[i]
	}
	in := &interpreter{vals: map[*tileir.Value]int64{}, memory: map[*tileir.Value]int64{e.Params[1]: run.memory[0], e.Params[2]: run.memory[1]}, block: block, fuel: 3000}
	for i, n := range run.launch.Grid {
		in.grid[i] = int64(n)
	}
	in.look = func(v *tileir.Value, n int64) {
		lo, hi := of(v)
		if n < lo || n > hi {
			fail("a value of %v is %d, not %d to %d", v.Type, n, lo, hi)
		}
		if sum.values++; hi-lo >= 0 && hi-lo < 1<<20 && bitsOf(v) > 1 {
			sum.known++
			if v.Def != nil && v.Def.Info.Opcode == tileir.OpIf {
				sum.through++
			}
		}
	}
	in.access = func(o *tileir.Op, index, tile, extent int64) {
		if sum.accesses++; letters[o] == '1' {
			if sum.proved++; index < 0 || index > extent/tile || index*tile+tile > extent {
				fail("index %d of tiles of %d in an extent of %d is proved", index, tile, extent)
			}
		}
	}
	for i, p := range e.Params {
		if isInt(p) {
			in.set(p, int64(run.launch.Bits[i]))
		}
	}
	defer func() {
		if r := recover(); r == (spent{}) {
			sum.spent++
		} else if r != nil {
			panic(r)
		}
	}()
	in.run(e.Body)
	return in.stored, true
}

// TestJoins runs random kernels of integers whose values branches and loops join: each value lies in the range that the
// launch proves for it, before and after the passes, each access that is proved lies inside, and the passes change nothing.
func TestJoins(t *testing.T) {
	sum := &tally{}
	for seed := range uint64(*joins) {
		r := rand.New(rand.NewPCG(seed, 5))
		text := (&joined{Rand: r}).kernel()
		plain, improved := parsed(t, text), parsed(t, text)
		if err := passes.Run(context.Background(), improved); err != nil {
			t.Fatal(err)
		}
		always := passes.RangesOfAll(plain)
		for range 6 {
			run := randomRun(r)
			var block [3]int64
			for i, n := range run.launch.Grid {
				block[i] = int64(r.IntN(int(n)))
			}
			judge := func(e *tileir.Entry, of func(v *tileir.Value) (lo, hi int64)) ([]int64, bool) {
				return run.judge(t, e, block, of, sum, func(format string, args ...any) {
					t.Fatalf("seed %d, launch %v, block %v, memory %v: %s in\n%s", seed, run.launch, block, run.memory, fmt.Sprintf(format, args...),
						irtext.Sprint(&tileir.Module{Entries: []*tileir.Entry{e}}))
				})
			}
			judge(plain, always)
			want, ended := judge(plain, passes.Ranges(plain, run.launch))
			got, ended2 := judge(improved, passes.Ranges(improved, run.launch))
			if ended && ended2 && !slices.Equal(got, want) {
				t.Fatalf("seed %d, launch %v, block %v, memory %v: %v, after the passes %v, in\n%s", seed, run.launch, block, run.memory, want, got, text)
			}
		}
	}
	t.Logf("%+v", *sum)
	if sum.through < *joins || sum.proved < *joins || sum.proved == sum.accesses || sum.spent > 6**joins {
		t.Errorf("the programs say little: %+v", *sum)
	}
}

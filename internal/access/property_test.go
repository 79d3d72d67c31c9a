package access_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/cutile-go/cutile/internal/access"
	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// judge compares what the analysis says with what an execution does.
type judge struct {
	*evaluator
	entry *tileir.Entry
	info  *access.Info
	count map[string]int // of facts that say something
	err   error
}

func (j *judge) fail(format string, args ...any) {
	if j.err == nil {
		j.err = fmt.Errorf(format, args...)
	}
}

// atom is the value of an atom for the element of a tile at a position.
func (j *judge) atom(a access.Atom, at []int) int64 {
	switch a.Kind {
	case access.Index:
		return int64(at[a.Axis])
	case access.Element:
		shape := typeOf(a.Value).Shape
		from := make([]int, len(shape))
		for d := range shape {
			if to, ok := a.Along(d); ok {
				from[d] = at[to]
			}
		}
		return j.vals[a.Value][flat(shape, from)]
	}
	return j.vals[a.Value][0]
}

// value computes a form without bounds.
func (j *judge) value(f access.Form, at []int) *big.Int {
	sum := big.NewInt(f.Const)
	for _, t := range f.Terms {
		n := big.NewInt(t.Coef)
		for _, a := range t.Atoms {
			n.Mul(n, big.NewInt(j.atom(a, at)))
		}
		sum.Add(sum, n)
	}
	return sum
}

// look judges the facts about a value that has just been computed.
func (j *judge) look(v *tileir.Value) {
	t, ok := v.Type.(*tileir.TileType)
	if !ok || t.Pointer || t.Elem.IsFloat() {
		return
	}
	if t.Elem != tileir.I1 {
		j.integer(v, t)
	}
	j.same(v, t)
	j.sources(v, t)
}

func (j *judge) integer(v *tileir.Value, t *tileir.TileType) {
	f := j.info.Form(v)
	s, d := j.info.SpanOf(f), j.info.Divisor(f)
	if len(f.Terms) != 1 || f.Terms[0].Atoms[0].Value != v {
		j.count["form"]++
	}
	for i, n := range j.vals[v] {
		if got := j.value(f, position(t.Shape, i)); got.Cmp(big.NewInt(n)) != 0 {
			j.fail("element %d is %d, and its form %v", i, n, got)
		}
		if !s.Has(interval.Of(n)) || !j.info.Span(v).Has(interval.Of(n)) {
			j.fail("element %d is %d, outside of %v to %v", i, n, s.Lo, s.Hi)
		}
		if d == 0 && n != 0 || d > 0 && n%d != 0 {
			j.fail("element %d is %d, which %d does not divide", i, n, d)
		}
	}
}

// same compares elements along the dimensions that are said not to matter.
func (j *judge) same(v *tileir.Value, t *tileir.TileType) {
	dims := j.info.Varies(v)
	for i, n := range j.vals[v] {
		at := position(t.Shape, i)
		for d := range at {
			if !dims.Has(d) && at[d] > 0 {
				j.count["same"]++
				at[d] = 0
			}
		}
		if first := j.vals[v][flat(t.Shape, at)]; first != n {
			j.fail("element %d is %d, and %d at %v", i, n, first, at)
		}
	}
}

func (j *judge) sources(v *tileir.Value, t *tileir.TileType) {
	for _, s := range j.info.Source(v) {
		if s.Value != v {
			j.count["source"]++
		}
		strides, even := s.Strides(t.Shape)
		for i, n := range j.vals[v] {
			from, along := 0, 0
			for k, b := range s.Bits {
				from |= i >> b.N & 1 << k
			}
			if got := j.vals[s.Value][from]; got != n {
				j.fail("element %d is %d, and element %d of its source %d", i, n, from, got)
			}
			for d, stride := range strides {
				along += stride * position(t.Shape, i)[d]
			}
			if even && along != from {
				j.fail("element %d is element %d of the source, and by strides %d", i, from, along)
			}
		}
	}
}

// access compares the addresses of a load and the elements that its mask leaves.
func (j *judge) access(o *tileir.Op) {
	a := j.info.Access(o)
	if a.Affine() {
		j.count["affine"]++
	}
	p := o.Address()
	if view, ok := p.Type.(tileir.ViewType); ok {
		j.view(a, view)
		return
	}
	shape := typeOf(p).Shape
	for i, want := range j.vals[p] {
		at := position(shape, i)
		j.address(a, at, want)
		if mask := o.Operand("mask"); mask != nil && (j.vals[mask][i] != 0) != j.holds(a.Mask, at, i) {
			j.fail("element %d: the mask is %d, and its bounds say otherwise", i, j.vals[mask][i])
		}
	}
	j.aligned(a, shape)
}

// interesting are numbers around which integers wrap around.
var interesting = []int64{0, 1, -1, 2, 3, 7, 100, -64, 1 << 20, 1<<31 - 1, -1 << 31, 1 << 16, 65535}

// execute runs an entry with the numbers of a launch, and says whether the execution kept its promises.
func (j *judge) execute(l ranges.Launch, block [3]int64) (kept bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(void); !ok {
				panic(r)
			}
		}
	}()
	ev := &evaluator{vals: map[*tileir.Value][]int64{}, block: block}
	for i, n := range l.Grid {
		ev.grid[i] = int64(n)
	}
	for i, p := range j.entry.Params {
		n := int64(l.Bits[i])
		if t := typeOf(p); !t.Pointer {
			n = wrap(t.Elem, n)
		}
		ev.vals[p] = []int64{n}
	}
	j.evaluator = ev
	ev.seen = func(o *tileir.Op) {
		switch {
		case len(o.Regions) > 0:
			for _, v := range o.Regions[0].Args {
				j.look(v)
			}
		case o.Info.Reads:
			j.access(o)
		default:
			for _, v := range o.Results {
				j.look(v)
			}
		}
	}
	ev.run(j.entry.Body)
	return true
}

// entriesEnv says how many random entries TestRandom makes, as in the step access of scripts/sweep.sh.
const entriesEnv = "ACCESSFUZZ_ENTRIES"

// TestRandom makes random entries and compares the facts about them with executions: with small numbers and with those that
// make integers wrap around; knowing nothing of the launch, a part, or all of it.
func TestRandom(t *testing.T) {
	seeds := uint64(60)
	if testenv.Required("slow") && !testing.Short() {
		seeds = 600
	}
	if text := os.Getenv(entriesEnv); text != "" {
		var err error
		if seeds, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s: %v", entriesEnv, err)
		}
	}
	total := map[string]int{}
	for seed := range seeds {
		e := generate(t, seed, 30)
		r := rand.New(rand.NewPCG(seed, 14))
		for range 6 {
			judgeOne(t, e, seed, r, total)
		}
	}
	t.Logf("%v", total)
	for _, fact := range []string{"form", "affine", "bound", "same", "source", "inside", "kept"} {
		if total[fact] < int(seeds) {
			t.Errorf("only %d times %s", total[fact], fact)
		}
	}
}

func judgeOne(t *testing.T, e *tileir.Entry, seed uint64, r *rand.Rand, total map[string]int) {
	l := ranges.Launch{Grid: [3]uint32{1 + r.Uint32N(4), 1 + r.Uint32N(4), 1}}
	if r.IntN(4) == 0 {
		l.Grid[0] = 1<<31 - 1
	}
	params := map[int]interval.Range{}
	for i, p := range e.Params {
		n := int64(r.IntN(40))
		switch {
		case typeOf(p).Pointer:
			n = int64(i+1)<<40 + 4
			if i < aligned {
				n += 28
			}
		case r.IntN(3) == 0:
			n = interesting[r.IntN(len(interesting))]
		}
		l.Bits = append(l.Bits, uint64(n))
		if !typeOf(p).Pointer {
			params[i] = interval.Ints(min(n, wrap(typeOf(p).Elem, n), 0), max(n, 40))
		}
	}
	block := [3]int64{int64(r.Uint32N(l.Grid[0])), int64(r.Uint32N(l.Grid[1])), 0}
	for name, facts := range map[string]access.Facts{"nothing": {}, "the launch": {Launch: &l}, "ranges": {Blocks: l.Grid, Params: params}} {
		j := &judge{entry: e, info: access.Analyse(e, facts), count: total}
		if !j.execute(l, block) {
			continue
		}
		if total["kept"]++; j.err != nil {
			t.Fatalf("seed %d, knowing %s, launch %v, block %v: %v\n%s", seed, name, l, block, j.err, text.Sprint(&tileir.Module{Entries: []*tileir.Entry{e}}))
		}
	}
}

package cpu

import (
	"bytes"
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/tileir"
)

// lengths are around the ends of unrolled loops, of vector registers and of the strips in which conversions work.
var lengths = []int{0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, stripLen - 1, stripLen, stripLen + 1, 2*stripLen + 5}

// guardBytes lie before and behind the elements of each operand and result.
const guardBytes = 64

// guarded is memory with guards around it.
type guarded struct {
	words []uint64 // so that elements lie at multiples of their size
	guard byte
	n     int // bytes between the guards
}

func newGuarded(content []byte, guard byte) *guarded {
	g := &guarded{words: make([]uint64, 2*guardBytes/8+(len(content)+7)/8), guard: guard, n: len(content)}
	all := g.all()
	for i := range all {
		all[i] = guard
	}
	copy(g.inside(), content)
	return g
}

func (g *guarded) all() []byte    { return slice[byte](ptr(&g.words[0]), 8*len(g.words)) }
func (g *guarded) inside() []byte { return g.all()[guardBytes:][:g.n] }
func (g *guarded) ptr() ptr       { return unsafe.Add(ptr(&g.words[0]), guardBytes) }

// intact reports whether no guard has changed.
func (g *guarded) intact() bool {
	all := g.all()
	for i, b := range all {
		if (i < guardBytes || i >= guardBytes+g.n) && b != g.guard {
			return false
		}
	}
	return true
}

// elementsOf makes n elements of a size: a third of them what floats and integers have at their ends, the rest small
// integers, numbers near one, and any bits.
func elementsOf(size, n int, seed uint64) []byte {
	x := seed*0x9e3779b97f4a7c15 + 1
	rng := func() uint64 { x ^= x << 13; x ^= x >> 7; x ^= x << 17; return x * 0x2545f4914f6cdd1d }
	special := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 0.5, 1e-310, 1e-40, 6e-8, math.MaxFloat32,
		math.MaxFloat64, 65504, math.Pi}
	var b []byte
	for range n {
		bits, f := rng(), special[rng()%uint64(len(special))]
		switch rng() % 6 {
		case 0:
			bits = []uint64{0, 1, 1<<64 - 1, 1 << 63, 1<<63 - 1, 1 << (8*size - 1), 1<<(8*size-1) - 1}[bits%7]
		case 1:
			bits = bits%17 - 8
		case 2, 3:
			if bits%2 == 0 {
				f = float64(int64(bits)) / (1 << 60)
			}
			switch bits = math.Float64bits(f); size {
			case 4:
				bits = uint64(math.Float32bits(float32(f)))
			case 2:
				bits = uint64(dtype.Float16FromFloat64(f))
			}
		}
		for i := range size {
			b = append(b, byte(bits>>(8*i)))
		}
	}
	return b
}

// sharing says in which memory the result and the operands of a call lie: numbers that are the same are the same memory.
type sharing [4]int

// sharings lists those that the operands' sizes allow: operands of their own, all operands the same, and the result in
// the place of each operand and of all.
func (c *loopCase) sharings() []sharing {
	out := []sharing{{0, 1, 2, 3}}
	fits := func(j int) bool { return c.sizes[j] == c.sizes[0] && j != c.one }
	all := c.args > 1 && c.one == 0
	for j := 1; j <= c.args; j++ {
		all = all && c.sizes[j] == c.sizes[1]
		if fits(j) {
			out = append(out, sharing{j, 1, 2, 3})
		}
	}
	if all {
		out = append(out, sharing{0, 1, 1, 1})
		if fits(1) {
			out = append(out, sharing{1, 1, 1, 1})
		}
	}
	return out
}

// slots makes the memory of a call over n elements: the result holds fill, the operands what in has.
func (c *loopCase) slots(s sharing, in [4][]byte, n int, fill, guard byte) (m [4]*guarded) {
	for j := 1; j <= c.args; j++ {
		count := n
		if j == c.one {
			count = 1
		}
		if m[j] = newGuarded(in[j][:count*c.sizes[j]], guard); s[j] != j {
			m[j] = m[s[j]]
		}
	}
	if m[0] = newGuarded(bytes.Repeat([]byte{fill}, n*c.sizes[0]), guard); s[0] != 0 {
		m[0] = m[s[0]]
	}
	return m
}

// call calls the loop for elements lo to lo+n.
func (c *loopCase) call(m [4]*guarded, lo, n int) {
	var p [4]ptr
	for j := range c.args + 1 {
		p[j] = m[j].ptr()
		if j != c.one || j == 0 {
			p[j] = unsafe.Add(p[j], lo*c.sizes[j])
		}
	}
	for j := c.args + 1; j < 4 && !c.bare; j++ {
		p[j] = p[1]
	}
	c.run(p[0], p[1], p[2], p[3], n)
}

// check calls the loop over n elements in all sharings.
func (c *loopCase) check(n int) error {
	var in [4][]byte
	for j := 1; j <= c.args; j++ {
		in[j] = elementsOf(c.sizes[j], max(n, 1), uint64(16*n+j))
	}
	for _, s := range c.sharings() {
		// What is right is what the loop gives for one element at a time, to a result of its own.
		apart := s
		apart[0] = 0
		want := c.slots(apart, in, n, 0x55, 0x77)
		for i := range n {
			c.call(want, i, 1)
		}
		for _, fill := range []byte{0, 0xff} { // what lies in the result and the guards has no part in it
			m := c.slots(s, in, n, fill, fill^0x5a)
			c.call(m, 0, n)
			for j := range c.args + 1 {
				if !m[j].intact() {
					return fmt.Errorf("sharing %v: it writes outside slot %d", s, j)
				}
				if j > 0 && m[j] != m[0] && !bytes.Equal(m[j].inside(), want[j].inside()) {
					return fmt.Errorf("sharing %v: it changes operand %d", s, j)
				}
				if j > 0 && !bytes.HasPrefix(in[s[j]], want[j].inside()) {
					return fmt.Errorf("sharing %v: one element at a time changes operand %d", s, j)
				}
			}
			if got := m[0].inside(); !bytes.Equal(got, want[0].inside()) {
				return fmt.Errorf("sharing %v, over bytes %#x: result\n% x, one element at a time\n% x", s, fill, got, want[0].inside())
			}
		}
		if !want[0].intact() {
			return fmt.Errorf("sharing %v: one element at a time writes outside the result", s)
		}
	}
	return nil
}

// TestLoopsStayInside calls every loop of the engine on memory with guards: it writes its n results and nothing else, and
// they do not depend on what lay there, on how many elements are done at a time, nor on whether an operand lies there too.
func TestLoopsStayInside(t *testing.T) {
	testenv.Alone(t)
	calls, seen := 0, map[string]bool{}
	cases := everyLoop(t).cases
	for _, c := range cases {
		if seen[c.name] {
			t.Errorf("two loops are called %s", c.name)
		}
		seen[c.name] = true
		if c.run == nil {
			t.Errorf("%s has no loop", c.name)
			continue
		}
		for _, n := range lengths {
			if err := c.check(n); err != nil {
				t.Errorf("%s, %d elements: %v", c.name, n, err)
				break
			}
			calls += len(c.sharings())
		}
	}
	if len(cases) < 450 { // a table that is no longer filled would go unseen
		t.Errorf("only %d loops", len(cases))
	}
	t.Logf("%d loops, %d ways to call them", len(cases), calls)
}

// TestScalarStepsStayInside compares the short steps of index arithmetic with the loops that they stand for.
func TestScalarStepsStayInside(t *testing.T) {
	for k, short := range scalarSteps {
		c := loopCase{run: integers[k.size][k.key], sizes: [4]int{k.size, k.size, k.size}, args: 2}
		if k.op == tileir.OpCmpI {
			c.sizes[0] = 1
		}
		// Each place is a line of its own, and the whole must be as the loop would leave it.
		for _, at := range [][3]slot{{0, 64, 128}, {64, 64, 128}, {128, 64, 128}, {64, 64, 64}, {0, 64, 64}} {
			for seed := range uint64(50) {
				got, want := newGuarded(elementsOf(8, 24, seed), 0x5a), newGuarded(elementsOf(8, 24, seed), 0x5a)
				f := &frame{mem: got.ptr()}
				if sig := short(at[0], at[1], at[2])(f); sig != sigNext {
					t.Fatalf("%v ends with %d", k, sig)
				}
				w := want.ptr()
				c.run(unsafe.Add(w, at[0]), unsafe.Add(w, at[1]), unsafe.Add(w, at[2]), nil, 1)
				if !bytes.Equal(got.all(), want.all()) {
					t.Fatalf("%v at %v: % x, want % x", k, at, got.all(), want.all())
				}
			}
		}
	}
}

package emu_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// A judge knows what one form must give. The references are written from the PTX ISA and call nothing of the emulator.
type judge struct {
	want func(v []uint64) uint64          // the bits of the result; two predicates are the two lowest bits
	same func(got, want uint64) bool      // nil: bits are equal
	imm  []uint64                         // for the last operand, where it must be a number
	tune func(rng *rand.Rand, v []uint64) // makes some operands more interesting
	near string                           // the type of a result that operands should nearly be, or lie between
}

// references makes the judges, by the text before the first dot of an opcode. One without want is not judged.
var references = map[string]func(o *opcode) judge{
	"add": sums, "sub": sums, "mul": sums, "div": sums, "rem": sums, "mad": sums, "fma": sums, "min": extremesOf, "max": extremesOf,
	"mul24": products24, "mad24": products24, "sad": differences, "dp2a": dots, "dp4a": dots, "abs": signsOf, "neg": signsOf,
	"rcp": roots, "sqrt": roots, "rsqrt": roots, "sin": roots, "cos": roots, "lg2": roots, "ex2": roots, "tanh": roots,
	"and": bitwise, "or": bitwise, "xor": bitwise, "not": bitwise, "cnot": bitwise, "lop3": bitwise,
	"shl": shifts, "shr": shifts, "shf": shifts, "prmt": permutations,
	"popc": counts, "clz": counts, "brev": counts, "bfind": counts, "bfe": fields, "bfi": fields, "bmsk": fields, "szext": extensions, "fns": nthOf,
	"setp": comparisonOf, "set": comparisonOf, "selp": choices, "slct": choices, "testp": kindsOf, "copysign": kindsOf,
	"cvt": conversions,
}

// noNumbers are the instructions without effects that compute nothing, with what judges them instead.
var noNumbers = map[string]string{
	"mov": "copies, packs and unpacks: all kernels of these tests move values",
	"ld":  "reads parameters: all kernels of these tests have some",
}

// notJudged are forms of the instructions above that no reference judges, each with its reason. There are none.
var notJudged = map[string]string{}

// opcode is a form's opcode, taken apart. A reference takes the modifiers that it knows, so that one that it does not know
// is noticed.
type opcode struct {
	op    string
	head  string
	mods  []string
	types []string
	sig   *simt.Sig
}

func newOpcode(f *simt.Form) *opcode {
	all := strings.Split(f.Op, ".")
	o := &opcode{op: f.Op, head: all[0], sig: &f.Sigs[0]}
	for _, w := range all[1:] {
		if simt.TypeBits(w) > 0 {
			o.types = append(o.types, w)
		} else {
			o.mods = append(o.mods, w)
		}
	}
	return o
}

// take removes the first of some modifiers that is there, and gives it: "" for none.
func (o *opcode) take(names ...string) string {
	for _, n := range names {
		if i := slices.Index(o.mods, n); i >= 0 {
			o.mods = slices.Delete(o.mods, i, i+1)
			return n
		}
	}
	return ""
}

func (o *opcode) has(name string) bool { return o.take(name) != "" }

// last is the type at the end of the opcode.
func (o *opcode) last() string { return o.types[len(o.types)-1] }

// everyThreads is how many sets of operands a form is tried with, each in a thread.
const everyThreads = 512

// TestEveryArithmetic runs every instruction of the table that computes numbers from numbers, with all its modifiers and
// types, and compares with the references. The other tests look closer at some of them; this one leaves none out.
func TestEveryArithmetic(t *testing.T) {
	step := 1
	if testing.Short() {
		step = 11 // has no divisor in common with the table's lists, so that all modifiers are met
	}
	heads, left, judged, failed, n := map[string]bool{}, map[string]bool{}, 0, 0, 0
	for form := range simt.Forms() {
		head, _, _ := strings.Cut(form.Op, ".")
		if form.Effect != simt.Pure || noNumbers[head] != "" {
			continue
		}
		reference := references[head]
		if reference == nil {
			t.Errorf("%s has no reference", form.Op)
			continue
		}
		heads[head] = true
		if n++; n%step != 0 {
			continue
		}
		o := newOpcode(form)
		j := reference(o)
		switch {
		case j.want == nil && notJudged[form.Op] != "":
			left[form.Op] = true
		case j.want == nil || len(o.mods) > 0 || len(form.Sigs) != 1:
			t.Errorf("%s: not judged: the reference leaves %q, %d lists of operands", form.Op, o.mods, len(form.Sigs))
		default:
			judged++
			if !j.holds(t, o) {
				failed++
			}
		}
		if failed > 40 {
			t.Fatal("and so on")
		}
	}
	for head := range references {
		if !heads[head] {
			t.Errorf("%s has a reference, but the table has no such form", head)
		}
	}
	if step == 1 && (judged+len(left) != n || len(left) != len(notJudged)) {
		t.Errorf("of %d forms %d were judged, and %d are known not to be, of %d", n, judged, len(left), len(notJudged))
	}
	t.Logf("%d of %d forms judged, %d failed", judged, n, failed)
}

// holds runs a form and compares all its results.
func (j judge) holds(t *testing.T, o *opcode) bool {
	t.Helper()
	h := fnv.New64a()
	h.Write([]byte(o.op))
	rng := rand.New(rand.NewPCG(h.Sum64(), 1)) // the same operands in all runs, whichever forms are left out
	rounds := 4
	if testing.Short() {
		rounds = 2
	}
	for round := range max(rounds, len(j.imm)) {
		values := tuples(rng, o.sig.Src, j.near)
		if j.tune != nil {
			for _, v := range values {
				j.tune(rng, v)
			}
		}
		end := len(o.sig.Src) - 1
		last, number := values[rng.IntN(len(values))][end], round%2 == 1 && o.sig.Src[end].Kinds.Has(simt.Imm)
		if !o.sig.Src[end].Allows(last) {
			last &= 0xff // of bfe and bfi, which alone limit what may be written
		}
		if len(j.imm) > 0 {
			last, number = j.imm[round%len(j.imm)], true
		}
		for _, v := range values {
			if number {
				v[end] = last
			}
		}
		if !j.agrees(t, o, values, number) {
			return false
		}
	}
	return true
}

// agrees runs a form on the operands of all threads, of which the last may be a number.
func (j judge) agrees(t *testing.T, o *opcode, values [][]uint64, number bool) bool {
	t.Helper()
	got := everyRun(t, o, values, number)
	for i, v := range values {
		for k, s := range o.sig.Src {
			if s.Not && negated(i) {
				v[k] ^= 1
			}
		}
		want := j.want(v)
		if j.same == nil && got[i] == want || j.same != nil && j.same(got[i], want) {
			continue
		}
		t.Errorf("%s %#x = %#x, want %#x (the last operand is a number: %t)", o.op, v, got[i], want, number)
		return false
	}
	return true
}

// targetWith gives an architecture that has a list of operands: the newest version of PTX of the first one.
func targetWith(s *simt.Sig) simt.Arch {
	for _, t := range simt.Targets() {
		if t, err := t.ForPTX(simt.PTXOfDriver(1 << 20)); err == nil && s.Since.In(t) {
			return t
		}
	}
	return simt.Arch{}
}

// negated says that a thread runs the form under a guard, and with the opposite of a predicate where it may be negated. In
// every second warp it is every second lane, so that the emulator runs whole warps and parts of them.
func negated(thread int) bool { return thread&33 == 33 }

// everyRun runs a form once in each thread, on operands out of a buffer; number makes the last one a part of the kernel.
func everyRun(t *testing.T, o *opcode, values [][]uint64, number bool) []uint64 {
	t.Helper()
	b := kernel(len(values), 2)
	index := tid(b)
	in := slot(b, param(b, 0), index, int64(8*len(o.sig.Src)))
	out := simt.At(slot(b, param(b, 1), index, 8), 0)
	half := b.Value(simt.Pred, "setp.eq.u32", b.Value(simt.B32, "and.b32", index, simt.I(33)), simt.I(33))
	var src, opposite, dst []simt.Operand
	for k, s := range o.sig.Src {
		c, at := simt.ClassOf(s.Type), simt.At(in, int64(8*k))
		var r simt.Operand
		switch {
		case number && k == len(o.sig.Src)-1:
			r = simt.I(integerOf(strings.TrimSuffix(s.Type, "x2"), values[0][k]).Int64())
			if s.Type == "u64" || s.Type == "b64" || s.Type == "f64" {
				r = simt.I(int64(values[0][k]))
			}
		case c == simt.Pred:
			r = b.Value(c, "setp.ne.u32", b.Value(simt.B32, "ld.global.b32", at), simt.I(0))
		default:
			r = b.Value(c, fmt.Sprintf("ld.global.b%d", c.Bits()), at)
		}
		src = append(src, r)
		r.Not = s.Not
		opposite = append(opposite, r)
	}
	for _, s := range o.sig.Dst {
		c := simt.ClassOf(s.Type) // writes under a guard alone are not enough for the verifier
		zero := "mov.pred"
		if c != simt.Pred {
			zero = fmt.Sprintf("mov.b%d", c.Bits())
		}
		dst = append(dst, b.Value(c, zero, simt.I(0)))
	}
	for _, some := range []bool{true, false} {
		operands := src
		if some {
			operands = opposite
		}
		i := b.Emit(o.op, slices.Clone(dst), slices.Clone(operands)...)
		i.Guard, i.Unless = half.Reg, !some
	}
	r, c := dst[0], simt.ClassOf(o.sig.Dst[0].Type)
	if c == simt.Pred {
		r, c = flagOf(b, r), simt.B32
	}
	if len(dst) == 2 {
		r = b.Value(simt.B32, "mad.lo.u32", flagOf(b, dst[1]), simt.I(2), r)
	}
	b.Emit(fmt.Sprintf("st.global.b%d", c.Bits()), nil, out, r)
	b.Emit("exit", nil)
	must(t, simt.VerifyArch(&simt.Module{Kernels: []*simt.Func{b.Func}}, targetWith(o.sig)))
	res := make([]byte, 8*len(values))
	must(t, launch(b, emu.Launch{}, longs(slices.Concat(values...)), res))
	got := make([]uint64, len(values))
	for i := range got {
		got[i] = long(res, i)
	}
	return got
}

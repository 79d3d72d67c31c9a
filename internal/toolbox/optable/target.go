package optable

import (
	"slices"
	"strings"

	"github.com/cutile-go/cutile/tileir"
)

// covers reports whether a refusal concerns the architecture and the operation.
func (t *Table) covers(r *tileir.Refusal, in *tileir.Info) bool {
	return slices.Contains(r.Ops, in.Opcode) && slices.Contains(r.Archs, strings.TrimRight(t.arch, "af"))
}

// takes reports whether the architecture has an operation: it does not refuse it as a whole, and leaves each operand an
// element type.
func (t *Table) takes(in *tileir.Info) bool {
	for _, r := range tileir.Refusals() {
		if t.covers(&r, in) && r.Elems == nil && !r.HasMode {
			return false
		}
	}
	return !slices.ContainsFunc(in.Operands, func(x tileir.OperandInfo) bool {
		c := x.Constraint
		return c.Kind == tileir.TileOnly && !c.Pointer && c.Elems != 0 && c.Elems&t.elems == 0
	})
}

// refused lists what the architecture refuses of an operation that it has.
func (t *Table) refused(in *tileir.Info) (out []string) {
	for _, r := range tileir.Refusals() {
		if !t.covers(&r, in) {
			continue
		}
		what := in.Mnemonic
		for _, m := range tileir.AtomicRMWMode.Values {
			if r.HasMode && tileir.Int(m.Value) == r.Mode {
				what = m.Text
			}
		}
		for _, e := range r.Elems {
			out = append(out, what+" of "+e.String())
		}
		if r.Elems == nil {
			out = append(out, what)
		}
	}
	return out
}

// kindTexts are the kinds of type in words.
var kindTexts = map[tileir.ConstraintKind]string{
	tileir.AnyType: "any type", tileir.TokenOnly: "token", tileir.TensorViewOnly: "tensor view", tileir.TileViewOnly: "tile view",
	tileir.PartitionViewOnly: "partition view", tileir.StridedViewOnly: "strided view", tileir.GatherScatterViewOnly: "gather-scatter view",
}

// constraint says what a type must be, such as "tile of integers" or "scalar of i1".
func (t *Table) constraint(c tileir.Constraint) string {
	if c.Kind != tileir.TileOnly {
		return kindTexts[c.Kind]
	}
	what := "tile"
	if c.Scalar {
		what = "scalar"
	}
	var words []string
	if c.Elems != 0 {
		words = append(words, elemsText(c.Elems, t.elems))
	}
	if c.Pointer {
		words = append(words, "pointers")
	}
	if words == nil {
		return what
	}
	return what + " of " + strings.Join(words, " or ")
}

// elemsText names a set of element types, the usual ones in one word if all of them exist.
func elemsText(set, had uint32) string {
	var all, ints, floats uint32
	var names []string
	for _, e := range tileir.Elems() {
		bit := uint32(1) << e
		all |= bit
		if e.IsFloat() {
			floats |= bit
		} else if e != tileir.I4 { // which is no number
			ints |= bit
		}
		if set&had&bit != 0 {
			names = append(names, e.String())
		}
	}
	for _, usual := range []struct {
		set  uint32
		word string
	}{{ints, "integers"}, {floats, "floats"}, {ints | floats, "numbers"}, {all, "any element"}} {
		if set == usual.set && set&had == set {
			return usual.word
		}
	}
	return strings.Join(names, "|")
}

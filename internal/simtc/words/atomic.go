package words

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// atomicWords lists the words for atomic operations.
var atomicWords = map[string]intrinsic{
	"atomic": func(c *call) []emit.Value {
		return give(c.atomic(c.text(0), c.text(1), 2, 4, c.arg(3)))
	},
	"cas": func(c *call) []emit.Value { return give(c.atomic("cas", c.text(0), 1, 4, c.arg(2), c.arg(3))) },
}

// atomicTypes lists the types that PTX has for each operation. An element goes by its own type, by
// its bits, or by another type of the same width.
var atomicTypes = map[string][]string{
	"add":  {"u32", "s32", "u64", "f16", "bf16", "f32", "f64"},
	"min":  {"u32", "s32", "u64", "s64"},
	"max":  {"u32", "s32", "u64", "s64"},
	"and":  {"b32", "b64"},
	"or":   {"b32", "b64"},
	"xor":  {"b32", "b64"},
	"exch": {"b32", "b64"},
	"cas":  {"b16", "b32", "b64"},
}

// atomicType gives the type that an operation has for an element, or "" if the GPU has no such
// operation.
func atomicType(op string, e *emit.Elem) string {
	// The GPU's atomic operations on integers take 32 bits or more, and none takes 8.
	if e == emit.Bool || e.IsInt() && e.Bits < 32 || e.Bits == 8 {
		return ""
	}
	names := []string{e.Suffix, e.RegClass(e.Bits == 64).String()}
	if e.IsInt() && op == "add" {
		// A sum has the same bits with and without signs, so that s64 can use u64.
		names = append(names, fmt.Sprintf("u%d", e.Bits))
	}
	// Only an exchange leaves the bits of a tf32 alone. PTX has no arithmetic of it.
	if e.Name == "tf32" && op != "exch" && op != "cas" {
		return ""
	}
	for _, n := range names {
		if slices.Contains(atomicTypes[op], n) {
			return n
		}
	}
	return ""
}

// atomic writes an atomic operation on the element at a coordinate, whose argument has the index
// crd. in holds the other operands.
func (c *call) atomic(op, how string, tensor, crd int, in ...emit.Value) emit.Value {
	t := c.tensor(tensor)
	// Atomic operations order the accesses of several threads.
	c.Must(t.Space != emit.Rmem, c.pos, "%s takes a tensor in global or shared memory: registers belong to one thread", c.called())
	typ := atomicType(op, t.Elem)
	c.Must(typ != "", c.pos, "the GPU has no atomic %s of %s: it takes %v", op, t.Elem.Name, atomicTypes[op])
	// PTX has additions of 16 bits only with denormals.
	if op == "add" && t.Elem.Class == simt.B16 {
		op += ".noftz"
	}
	name := "atom" + how + "." + string(t.Space) + "." + op + "." + typ
	// The order and the scope that the caller chose may not exist for this operation.
	_, ok := simt.FormOf(name)
	c.Must(ok, c.pos, "there is no atomic operation %s", name)
	src := []simt.Operand{c.Element(t, c.coord(crd))}
	for _, x := range in {
		src = append(src, c.InReg(x, t.Elem))
	}
	return c.Emit(t.Elem, name, src...)
}

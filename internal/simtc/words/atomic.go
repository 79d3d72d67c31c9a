package words

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// atomicWords are the words for atomic operations.
var atomicWords = map[string]intrinsic{
	"atomic": func(c *call) []emit.Value {
		return give(c.atomic(c.text(0), c.text(1), 2, 4, c.arg(3)))
	},
	"cas": func(c *call) []emit.Value { return give(c.atomic("cas", c.text(0), 1, 4, c.arg(2), c.arg(3))) },
}

// atomicTypes are the types of PTX that an operation takes: by element, by its bits, or as another element of its width.
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

// atomicType is the type that an operation has for an element: empty where there is none.
func atomicType(op string, e *emit.Elem) string {
	if e == emit.Bool || e.IsInt() && e.Bits < 32 || e.Bits == 8 {
		return ""
	}
	names := []string{e.Suffix, e.RegClass(e.Bits == 64).String()}
	if e.IsInt() && op == "add" {
		names = append(names, fmt.Sprintf("u%d", e.Bits)) // a sum has the same bits with and without signs
	}
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

// atomic writes down an operation on the element at a coordinate: the arguments from crd on.
func (c *call) atomic(op, how string, tensor, crd int, in ...emit.Value) emit.Value {
	t := c.tensor(tensor)
	c.Must(t.Space != emit.Rmem, c.pos, "%s takes a tensor in global or shared memory: registers belong to one thread", c.called())
	typ := atomicType(op, t.Elem)
	c.Must(typ != "", c.pos, "the GPU has no atomic %s of %s: it takes %v", op, t.Elem.Name, atomicTypes[op])
	if op == "add" && t.Elem.Class == simt.B16 {
		op += ".noftz"
	}
	name := "atom" + how + "." + string(t.Space) + "." + op + "." + typ
	_, ok := simt.FormOf(name)
	c.Must(ok, c.pos, "there is no atomic operation %s", name)
	src := []simt.Operand{c.Element(t, c.coord(crd))}
	for _, x := range in {
		src = append(src, c.InReg(x, t.Elem))
	}
	return c.Emit(t.Elem, name, src...)
}

package numerics_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/tileir"
)

// testCase is one operation with element types and attributes.
type testCase struct {
	operation
	in     *tileir.Info
	types  []tileir.Elem // of the operands
	result tileir.Elem
	attrs  []tileir.Attr
	note   string // tells apart cases with the same types and attributes

	args   []*array
	shape  []int     // of a product: batch, m, n, k; of a fold: outer, n, inner
	shapes [][]int   // of the operands and the result, where they are not rows of equal length
	body   *testCase // of a fold
	turned bool      // the body takes the element before the accumulator
}

// name tells what is computed: operation, element types, attributes that are not zero.
func (c *testCase) name() string {
	parts := []string{c.in.Mnemonic}
	for _, e := range append(slices.Clone(c.types), c.result) {
		if len(parts) < 2 || parts[len(parts)-1] != e.String() {
			parts = append(parts, e.String())
		}
	}
	for i, a := range c.in.Attrs {
		switch v := c.attrs[i].(type) {
		case tileir.Int:
			if a.Coding == tileir.EnumAttr {
				parts = append(parts, a.Enum.Values[slices.IndexFunc(a.Enum.Values, func(e tileir.EnumValue) bool { return e.Value == int64(v) })].Text)
			}
		case tileir.Bool:
			if v {
				parts = append(parts, a.Name)
			}
		}
	}
	if c.body != nil {
		parts = append(parts, "of "+c.body.name())
	}
	if c.turned {
		parts = append(parts, "turned")
	}
	if c.note != "" {
		parts = append(parts, c.note)
	}
	return strings.Join(parts, " ")
}

// slot is an operand or a result of a row of the table of operations.
type slot struct {
	name  string
	elems uint32
}

func slotsOf(in *tileir.Info) []slot {
	var out []slot
	for _, o := range in.Operands {
		out = append(out, slot{o.Name, o.Constraint.Elems})
	}
	for _, r := range in.Results {
		out = append(out, slot{r.Name, r.Constraint.Elems})
	}
	return out
}

// classesOf gives each slot the first slot that must have the same element type.
func classesOf(in *tileir.Info) []int {
	slots := slotsOf(in)
	class := make([]int, len(slots))
	for i := range class {
		class[i] = i
	}
	for _, tr := range in.Traits {
		names := tr.Args
		switch tr.Name {
		case "same_operands_and_result_element":
			for _, s := range slots {
				names = append(names, s.name)
			}
		case "same_type", "same_element":
		default:
			continue
		}
		same := -1
		for i, s := range slots {
			if !slices.Contains(names, s.name) {
				continue
			}
			if same < 0 {
				same = class[i]
			}
			class[i] = same
		}
	}
	if in.Opcode == tileir.OpReduce || in.Opcode == tileir.OpScan {
		class[1] = 0
	}
	return class
}

// typings lists the element types that the slots may have, by the constraints alone.
func typings(in *tileir.Info) [][]tileir.Elem {
	slots, class := slotsOf(in), classesOf(in)
	out := [][]tileir.Elem{nil}
	for i := range slots {
		var next [][]tileir.Elem
		for _, t := range out {
			if class[i] != i {
				next = append(next, append(slices.Clone(t), t[class[i]]))
				continue
			}
			for _, e := range tileir.Elems() {
				if slots[i].elems>>e&1 == 1 {
					next = append(next, append(slices.Clone(t), e))
				}
			}
		}
		out = next
	}
	return out
}

// settings lists the values of the attributes that are enumerations or flags.
func settings(in *tileir.Info) [][]tileir.Attr {
	out := [][]tileir.Attr{nil}
	for _, a := range in.Attrs {
		var values []tileir.Attr
		switch a.Coding {
		case tileir.EnumAttr:
			for _, v := range a.Enum.Values {
				values = append(values, tileir.Int(v.Value))
			}
		case tileir.UnitAttr, tileir.BoolAttr:
			values = []tileir.Attr{tileir.Bool(false), tileir.Bool(true)}
		default:
			values = []tileir.Attr{nil} // dimensions and identities, which the form of the operation gives
		}
		var next [][]tileir.Attr
		for _, s := range out {
			for _, v := range values {
				next = append(next, append(slices.Clone(s), v))
			}
		}
		out = next
	}
	return out
}

// cases lists all cases: what the table of operations allows and tileir.Verify accepts.
var cases = sync.OnceValue(func() []*testCase {
	var out []*testCase
	for _, op := range operations {
		in := tileir.Lookup(op.name)
		for _, types := range typings(in) {
			for _, attrs := range settings(in) {
				n := len(in.Operands)
				c := &testCase{operation: op, in: in, types: types[:n], result: types[n], attrs: attrs}
				for _, v := range variants[op.form](c) {
					if tileir.Verify(v.module(), tileir.Newest) == nil {
						out = append(out, v)
					}
				}
			}
		}
	}
	seen := map[string]bool{}
	for _, c := range out {
		if n := c.name(); seen[n] {
			panic(fmt.Sprintf("BUG: two cases are called %q", n))
		} else {
			seen[n] = true
		}
	}
	return out
})

// some are all cases, or, in short mode, every eighth, and with the race detector every 101st.
func some() []*testCase {
	step := 8
	switch {
	case !testing.Short():
		return cases()
	case testenv.Few():
		step = 101
	}
	return eachNth(step)
}

// eachNth are the first case and each n-th one behind it.
func eachNth(n int) (out []*testCase) {
	for i := 0; i < len(cases()); i += n {
		out = append(out, cases()[i])
	}
	return out
}

// variants give the cases of each form, with their operands. Some may be none that tileir.Verify accepts.
var variants map[form]func(c *testCase) []*testCase

func init() {
	variants = map[form]func(c *testCase) []*testCase{
		elementwise: func(c *testCase) []*testCase { c.args = operands(c); return []*testCase{c} },
		counting:    countingCases, packing: packingCases, product: productCases, folding: foldingCases,
	}
}

// operands chooses the operands of an elementwise case.
func operands(c *testCase) []*array {
	switch t := c.types; {
	case len(t) == 1:
		return one(t[0])
	case len(t) == 2:
		return pair(t[0], t[1])
	case t[0] == tileir.I1:
		return choice(t[1])
	default:
		return triple(t[0])
	}
}

func countingCases(c *testCase) []*testCase {
	n := count(min(10, c.result.Bits()))
	c.shape, c.shapes = []int{1, n, 1}, [][]int{{n}}
	return []*testCase{c}
}

// packingCases gives pack and unpack the same bytes in two shapes.
func packingCases(c *testCase) []*testCase {
	wide, toBytes := c.types[0], true
	if c.in.Opcode == tileir.OpUnpack {
		wide, toBytes = c.result, false
	}
	values, bits := one(wide)[0], wide.Bits()+pad(wide)
	n := values.len()
	if n*bits < 8 { // not a whole byte
		values = newArray(wide, []uint64{0, 1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 1})
		n = values.len()
	}
	c.args, c.shapes = []*array{values}, [][]int{{n}, {n * bits / 8}}
	if !toBytes {
		c.args, c.shapes = []*array{{tileir.I8, packed(values)}}, [][]int{{n * bits / 8}, {n}}
	}
	return []*testCase{c}
}

// packed gives the elements as unpack takes them: in their places in memory, those of one or four bits as a stream.
func packed(a *array) []byte {
	bits := a.elem.Bits() + pad(a.elem)
	if bits >= 8 {
		return a.data
	}
	out := make([]byte, len(a.data)*bits/8)
	for i, v := range a.data {
		out[i*bits/8] |= v << (i * bits % 8)
	}
	return out
}

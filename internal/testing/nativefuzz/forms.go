package nativefuzz

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/tileir"
)

// Form is an operation with element types and attributes that the verifier takes together. Its operands are tiles of one
// shape, or matrices.
type Form struct {
	Info  *tileir.Info
	In    []tileir.Elem // of the operands
	Out   tileir.Elem   // of the result
	Attrs []tileir.Attr
}

// String names the form without its attributes, such as "addf f32 f32 -> f32".
func (f *Form) String() string {
	var in []string
	for _, e := range f.In {
		in = append(in, e.String())
	}
	return fmt.Sprintf("%s %s -> %v", f.Info.Mnemonic, strings.Join(in, " "), f.Out)
}

// structural are the operations on tiles that are not element by element, or on pointers: each has a step of its own in
// the generator.
var structural = []int{tileir.OpReshape, tileir.OpBroadcast, tileir.OpPermute, tileir.OpCat, tileir.OpExtract, tileir.OpInsert,
	tileir.OpPack, tileir.OpUnpack, tileir.OpOffset, tileir.OpIntToPtr, tileir.OpPtrToInt, tileir.OpPtrToPtr, tileir.OpIota,
	tileir.OpConstant, tileir.OpAssume}

// products are the matrix products, with the shapes of operands that are tried.
var products = map[int][][][]int{
	tileir.OpMmaF:       {{{1, 1}, {1, 1}, {1, 1}}},
	tileir.OpMmaI:       {{{1, 1}, {1, 1}, {1, 1}}},
	tileir.OpMmaFScaled: {{{1, 32}, {32, 1}, {1, 1}, {1, 1}, {1, 1}}, {{1, 32}, {32, 1}, {1, 1}, {1, 2}, {2, 1}}},
}

// Forms lists the valid forms of each elementwise operation and matrix product, in the order of the table.
var Forms = sync.OnceValue(func() [][]*Form {
	var out [][]*Form
	for _, in := range tileir.Infos() {
		if shapes, ok := formShapes(in); ok {
			if fs := formsOf(in, shapes); len(fs) > 0 {
				out = append(out, fs)
			}
		}
	}
	return out
})

// formShapes gives the shapes with which the forms of an operation are tried.
func formShapes(in *tileir.Info) ([][][]int, bool) {
	if s, ok := products[in.Opcode]; ok {
		return s, true
	}
	if !in.InBody || in.Terminator || in.Reads || in.Writes || len(in.Regions) > 0 || len(in.Results) != 1 || len(in.Operands) == 0 || slices.Contains(structural, in.Opcode) {
		return nil, false
	}
	if in.Results[0].Constraint.Kind != tileir.TileOnly {
		return nil, false
	}
	for i := range in.Operands {
		if o := &in.Operands[i]; !o.Single() || o.Constraint.Kind != tileir.TileOnly {
			return nil, false
		}
	}
	return [][][]int{make([][]int, len(in.Operands))}, true
}

// formsOf tries all element types and attributes.
func formsOf(in *tileir.Info, shapes [][][]int) (out []*Form) {
	var elems func(f Form)
	elems = func(f Form) {
		if n := len(f.In); n < len(in.Operands) {
			for _, e := range tileir.Elems() {
				if in.Operands[n].Constraint.Elems>>e&1 != 0 && !tied(in, f.In, e) {
					elems(Form{in, append(slices.Clone(f.In), e), 0, nil})
				}
			}
			return
		}
		for _, attrs := range attrsOf(in, nil) {
			for _, e := range results(in) {
				g := Form{in, f.In, e, attrs}
				if g.valid(shapes) {
					out = append(out, &g)
				}
			}
		}
	}
	elems(Form{Info: in})
	return out
}

// tied reports whether the table's rules exclude another element type for the next operand.
func tied(in *tileir.Info, before []tileir.Elem, e tileir.Elem) bool {
	name := in.Operands[len(before)].Name
	for _, t := range in.Traits {
		if (t.Name == "same_type" || t.Name == "same_element") && slices.Contains(t.Args, name) {
			for i, b := range before {
				if slices.Contains(t.Args, in.Operands[i].Name) && b != e {
					return true
				}
			}
		}
	}
	return false
}

// results are the element types that the result may have; NoElem is the one that follows from the operands.
func results(in *tileir.Info) []tileir.Elem {
	for _, t := range in.Traits {
		if t.Name == "result_is_i1_with_shape_of" || t.Name == "same_type" && slices.Contains(t.Args, in.Results[0].Name) {
			return []tileir.Elem{tileir.NoElem}
		}
	}
	return tileir.Elems()
}

// attrsOf lists the combinations of the attributes of an operation, behind those given.
func attrsOf(in *tileir.Info, before []tileir.Attr) [][]tileir.Attr {
	if len(before) == len(in.Attrs) {
		return [][]tileir.Attr{before}
	}
	a := &in.Attrs[len(before)]
	var values []tileir.Attr
	if a.Optional || a.HasDefault {
		values = append(values, nil)
	}
	switch a.Coding {
	case tileir.EnumAttr:
		for _, v := range a.Enum.Values {
			values = append(values, tileir.Int(v.Value))
		}
	case tileir.UnitAttr:
		values = []tileir.Attr{nil, tileir.Bool(true)}
	case tileir.BoolAttr:
		values = append(values, tileir.Bool(false), tileir.Bool(true))
	}
	var out [][]tileir.Attr
	for _, v := range values {
		out = append(out, attrsOf(in, append(slices.Clone(before), v))...)
	}
	return out
}

// valid asks the verifier whether a module may have the form, and sets the element type of a result that follows.
func (f *Form) valid(tries [][][]int) bool {
	for _, shapes := range tries {
		e := &tileir.Entry{Name: "form", Body: &tileir.Block{}}
		add := func(in *tileir.Info, groups [][]*tileir.Value, attrs []tileir.Attr, types ...tileir.Type) *tileir.Op {
			op := tileir.NewOp(in, groups, attrs, types, nil, tileir.Loc{})
			e.Body.Ops = append(e.Body.Ops, op)
			return op
		}
		var groups [][]*tileir.Value
		for i, elem := range f.In {
			v := &tileir.Value{Type: tileir.Tile(elem)}
			if s := shapes[i]; s == nil {
				e.Params = append(e.Params, v)
			} else {
				t := tileir.Tile(elem, s...)
				v = add(tileir.LookupOpcode(tileir.OpConstant), nil, []tileir.Attr{tileir.SplatConstant(t, 0)}, t).Results[0]
			}
			groups = append(groups, []*tileir.Value{v})
		}
		var t tileir.Type = tileir.Tile(f.Out)
		if f.Out == tileir.NoElem {
			t = tileir.NewOp(f.Info, groups, f.Attrs, nil, nil, tileir.Loc{}).Inferred(0)
		}
		if t == nil {
			continue
		}
		add(f.Info, groups, f.Attrs, t)
		add(tileir.LookupOpcode(tileir.OpReturn), nil, nil)
		if tileir.Verify(&tileir.Module{Entries: []*tileir.Entry{e}}, tileir.Newest) == nil {
			f.Out = t.(*tileir.TileType).Elem
			return true
		}
	}
	return false
}

package passes

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// spread computes on broadcast operands before they are broadcast: op(broadcast a, broadcast b) becomes
// broadcast(op(a, b)). A difference of two columns is then one subtraction a row, not one an element; the assembler does
// not find that by itself.
func spread(e *tileir.Entry) {
	s := &spreader{subst: map[*tileir.Value]*tileir.Value{}}
	s.block(e.Body, func(o *tileir.Op) {
		for i, v := range o.Operands {
			if w, ok := s.subst[v]; ok {
				o.Operands[i] = w
			}
		}
		if shape := narrowest(o); shape != nil {
			s.shrink(o, shape)
		} else {
			s.keep(o)
		}
	})
}

type spreader struct {
	rewriter
	subst map[*tileir.Value]*tileir.Value // results that come from a smaller tile, and their broadcasts
}

// narrowest is the least shape that an operation can be computed in: nil if that is no smaller than its result. Truth
// values are computed where they are needed: the assembler moves them between threads to broadcast them, which costs more
// than the comparison (a fifth of the instructions of attention.Decode).
func narrowest(o *tileir.Op) []int {
	if !slices.ContainsFunc(o.Operands, func(v *tileir.Value) bool { return broadcast(v) != nil }) || !Elementwise(o.Info) {
		return nil
	}
	whole := shapeOf(o.Results[0])
	if len(whole) == 0 || o.Results[0].Type.(*tileir.TileType).Elem == tileir.I1 || slices.ContainsFunc(slices.Concat(o.Results, o.Operands), packed) {
		return nil
	}
	var shape []int
	for _, v := range o.Operands {
		switch from := broadcast(v); {
		case from != nil && shape == nil:
			shape = slices.Clone(shapeOf(from))
		case from != nil:
			for i, n := range shapeOf(from) {
				shape[i] = max(shape[i], n)
			}
		case splat(v) == nil:
			return nil
		}
	}
	if shape == nil || slices.Equal(shape, whole) {
		return nil
	}
	return shape
}

// packed reports whether several elements share a byte: such a tile has no odd extent.
func packed(v *tileir.Value) bool {
	e := v.Type.(*tileir.TileType).Elem
	return e.Bits() < 8 && e != tileir.I1
}

// shrink emits the operation in a smaller shape, and its broadcast.
func (s *spreader) shrink(o *tileir.Op, shape []int) {
	args := make([]*tileir.Value, len(o.Operands))
	for i, v := range o.Operands {
		if c := splat(v); c != nil {
			args[i] = s.constant(filled(c, like(v, shape)), v.Def.Loc)
			continue
		}
		args[i] = s.widen(broadcast(v), shape, o.Loc)
	}
	small := &tileir.Op{Info: o.Info, Operands: args, Segments: o.Segments, Attrs: o.Attrs, Loc: o.Loc}
	res := &tileir.Value{Type: like(o.Results[0], shape), Def: small}
	small.Results = []*tileir.Value{res}
	s.keep(small)
	s.subst[o.Results[0]] = s.widen(res, shapeOf(o.Results[0]), o.Loc)
}

// widen is a value broadcast to a shape.
func (s *spreader) widen(v *tileir.Value, shape []int, loc tileir.Loc) *tileir.Value {
	if slices.Equal(shapeOf(v), shape) {
		return v
	}
	return s.emit(tileir.LookupOpcode(tileir.OpBroadcast), []*tileir.Value{v}, nil, like(v, shape), loc)
}

// broadcast is what a broadcast spreads: nil for other values.
func broadcast(v *tileir.Value) *tileir.Value {
	if v.Def == nil || v.Def.Info.Opcode != tileir.OpBroadcast {
		return nil
	}
	return v.Def.Operands[0]
}

// splat is a constant that fills its tile with one element: nil for other values, and for elements of less than a byte
// that are no truth values.
func splat(v *tileir.Value) *tileir.Constant {
	if v.Def == nil || v.Def.Info.Opcode != tileir.OpConstant {
		return nil
	}
	c, ok := v.Def.Attr("value").(*tileir.Constant)
	if !ok || c.Type.Elem.Bits() < 8 && c.Type.Elem != tileir.I1 {
		return nil
	}
	if _, ok := c.Splat(); !ok {
		return nil
	}
	return c
}

// filled is a splat constant in another shape.
func filled(c *tileir.Constant, t *tileir.TileType) *tileir.Constant {
	if t.Elem != tileir.I1 {
		return &tileir.Constant{Type: t, Data: c.Data[:(t.Elem.Bits()+7)/8]}
	}
	bit, _ := c.Splat()
	return tileir.IntConstant(t, int64(bit))
}

func shapeOf(v *tileir.Value) []int { return v.Type.(*tileir.TileType).Shape }

// like is the type of a value in another shape.
func like(v *tileir.Value, shape []int) *tileir.TileType {
	t := *v.Type.(*tileir.TileType)
	t.Shape = slices.Clone(shape)
	return &t
}

// computing are the categories of operations that may compute element by element.
var computing = map[string]bool{"float": true, "int": true, "bitwise": true, "convert": true}

// tying are the traits by which operands and results have one shape.
var tying = map[string]bool{"same_type": true, "same_shape": true, "result_is_i1_with_shape_of": true, "elementwise": true, "same_operands_and_result_shape": true}

// Elementwise reports whether each element of an operation's only result depends on the elements of its operands at the
// same place: the table says that they all have one shape.
func Elementwise(in *tileir.Info) bool {
	selects := in.Opcode == tileir.OpSelect || in.Opcode == tileir.OpOffset
	if !in.Pure || len(in.Regions) > 0 || len(in.Results) != 1 || !computing[in.Category] && !selects {
		return false
	}
	tied := map[string]bool{in.Results[0].Name: true}
	for range in.Operands { // a chain of traits is no longer than the operands
		for _, t := range in.Traits {
			if !tying[t.Name] {
				continue
			}
			if len(t.Args) == 0 {
				return true
			}
			if t.Name == "result_is_i1_with_shape_of" || slices.ContainsFunc(t.Args, func(a string) bool { return tied[a] }) {
				for _, a := range t.Args {
					tied[a] = true
				}
			}
		}
	}
	for _, o := range in.Operands {
		if !tied[o.Name] || o.Variadic {
			return false
		}
	}
	return true
}

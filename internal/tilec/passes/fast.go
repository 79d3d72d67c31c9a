package passes

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// Fast makes divisions cheaper at the price of their rounding, in kernels that ask for it: x / n, where n is the same for
// many elements, becomes x * (1 / n) with one reciprocal for all of them, and other divisions of f32 are approximate. It is
// for what [Run] left: divisions by powers of two are exact products already. Divisions with a rounding of their own stay,
// and those of f16, whose reciprocals are subnormal for numbers that are common.
func Fast(e *tileir.Entry) {
	s := &spreader{}
	s.block(e.Body, func(o *tileir.Op) {
		if o.Info.Opcode == tileir.OpDivF && o.Int("rounding_mode") == int64(tileir.RoundingNearestEven) {
			s.divide(o)
		}
		s.keep(o)
	})
	simplify(e)
}

// divide changes a division.
func (s *spreader) divide(o *tileir.Op) {
	t := o.Results[0].Type.(*tileir.TileType)
	small := broadcast(o.Operands[1])
	if splat(o.Operands[1]) != nil {
		small = o.Operands[1] // the assembler computes with constants
	}
	switch {
	case small != nil && t.Elem != tileir.F16:
		one := s.constant(tileir.FloatConstant(small.Type.(*tileir.TileType), 1), o.Loc)
		by := s.emit(o.Info, []*tileir.Value{one, small}, slices.Clone(o.Attrs), small.Type, o.Loc)
		o.Info, o.Operands[1] = tileir.LookupOpcode(tileir.OpMulF), s.widen(by, t.Shape, o.Loc)
	case t.Elem == tileir.F32:
		o.Attrs = slices.Clone(o.Attrs)
		o.Attrs[o.Info.AttrIndex("rounding_mode")] = tileir.RoundingApprox
	}
}

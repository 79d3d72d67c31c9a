package passes

import "github.com/cutile-go/cutile/tileir"

// reciprocal turns a division by a power of two into a product with its reciprocal: before they are rounded both are the
// same number, and so after it. A division takes many instructions, a product one.
func reciprocal(e *tileir.Entry) {
	if !has(e, tileir.OpDivF) {
		return
	}
	var w rewriter
	w.block(e.Body, func(o *tileir.Op) {
		if c := reciprocalOf(o); c != nil {
			o.Info, o.Operands[1] = tileir.LookupOpcode(tileir.OpMulF), w.constant(c, o.Loc) // the attributes are the same
		}
		w.keep(o)
	})
}

// formats gives the bits of the mantissa and of the exponent of each type that can be divided.
var formats = map[tileir.Elem]struct{ mantissa, exponent int }{
	tileir.F16: {10, 5}, tileir.BF16: {7, 8}, tileir.F32: {23, 8}, tileir.F64: {52, 11},
}

// reciprocalOf is the constant to multiply with in the place of a division: nil where there is none that is exact. A
// subnormal one would not do, as it may be flushed to zero; a division that is not rounded as IEEE 754 says stays one.
func reciprocalOf(o *tileir.Op) *tileir.Constant {
	if o.Info.Opcode != tileir.OpDivF || o.Int("rounding_mode") > int64(tileir.RoundingPositiveInf) {
		return nil
	}
	c := splat(o.Operands[1])
	if c == nil {
		return nil
	}
	f := formats[c.Type.Elem]
	bits, _ := c.Splat()
	mantissa, exponent, sign := bits&(1<<f.mantissa-1), bits>>f.mantissa&(1<<f.exponent-1), bits>>(f.mantissa+f.exponent)
	most := uint64(1<<f.exponent - 2) // twice the bias
	if mantissa != 0 || exponent == 0 || exponent >= most {
		return nil
	}
	bits = (sign<<f.exponent | (most - exponent)) << f.mantissa
	data := make([]byte, c.Type.Elem.Bits()/8)
	for i := range data {
		data[i] = byte(bits >> (8 * i))
	}
	return &tileir.Constant{Type: c.Type, Data: data}
}

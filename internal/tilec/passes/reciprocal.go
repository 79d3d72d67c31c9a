package passes

import (
	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/tileir"
)

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

// formats are those of the types that can be divided and compared.
var formats = func() map[tileir.Elem]*elem.Format {
	all := map[tileir.Elem]*elem.Format{}
	for _, e := range []tileir.Elem{tileir.F16, tileir.BF16, tileir.F32, tileir.F64} {
		all[e] = elem.ByIR(e.String()).Format
	}
	return all
}()

// reciprocalOf is the constant to multiply with in the place of a division: nil if there is none that is exact. A
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
	mantissa, exponent, sign := bits&(1<<f.Man-1), bits>>f.Man&(1<<f.Exp-1), bits>>(f.Man+f.Exp)
	most := uint64(1<<f.Exp - 2) // twice the bias
	if mantissa != 0 || exponent == 0 || exponent >= most {
		return nil
	}
	bits = (sign<<f.Exp | (most - exponent)) << f.Man
	data := make([]byte, c.Type.Elem.Bits()/8)
	for i := range data {
		data[i] = byte(bits >> (8 * i))
	}
	return &tileir.Constant{Type: c.Type, Data: data}
}

package passes_test

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile/internal/tilec/passes"
	"github.com/cutile-go/cutile/tileir"
)

// TestReciprocal: a division by a power of two becomes the product with its reciprocal where that is a normal number, and
// the reciprocal is right; every other division stays.
func TestReciprocal(t *testing.T) {
	nearest := tileir.RoundingNearestEven
	for _, c := range []struct {
		elem     tileir.Elem
		by       float64
		rounding tileir.Int
		product  bool
	}{
		{tileir.F32, 2, nearest, true}, {tileir.F32, 0.125, nearest, true}, {tileir.F32, -64, tileir.RoundingZero, true}, {tileir.F32, 1, nearest, true},
		{tileir.F32, 0x1p126, nearest, true}, {tileir.F32, 0x1p-126, nearest, true}, {tileir.F32, 0x1p127, nearest, false}, {tileir.F32, 0x1p-127, nearest, false},
		{tileir.F32, 3, nearest, false}, {tileir.F32, 0, nearest, false}, {tileir.F32, math.Inf(1), nearest, false}, {tileir.F32, math.NaN(), nearest, false},
		{tileir.F32, 6, nearest, false}, {tileir.F32, 2, tileir.RoundingApprox, false}, {tileir.F32, 2, tileir.RoundingFull, false},
		{tileir.F16, 8, nearest, true}, {tileir.F16, 0x1p15, nearest, false}, {tileir.F16, 0x1p14, nearest, true}, {tileir.BF16, 0x1p100, tileir.RoundingPositiveInf, true},
		{tileir.F64, -0x1p-1022, nearest, true}, {tileir.F64, 0x1p1023, nearest, false}, {tileir.F64, 10, nearest, false},
	} {
		b := tileir.NewBuilder()
		typ := tileir.Tile(c.elem)
		e := b.Entry("k", []tileir.Type{typ}, func(params []*tileir.Value) {
			b.PrintTko("%f", []*tileir.Value{b.DivF(params[0], b.Constant(tileir.FloatConstant(typ, c.by)), c.rounding)})
		})
		m, err := b.Build(tileir.V13_4)
		if err != nil {
			t.Fatal(err)
		}
		passes.Run(t.Context(), e)
		if err := tileir.Verify(m, tileir.V13_4); err != nil {
			t.Errorf("%v / %v: %v", c.elem, c.by, err)
		}
		var op *tileir.Op
		for _, o := range e.Body.Ops {
			if o.Info.Category == "float" {
				op = o
			}
		}
		if got := op.Info.Opcode == tileir.OpMulF; got != c.product {
			t.Errorf("%v / %v, rounding %d: a product: %v, want %v", c.elem, c.by, c.rounding, got, c.product)
		}
		if !c.product {
			continue
		}
		by, _ := op.Operands[1].Def.Attr("value").(*tileir.Constant).Splat()
		if want := tileir.FloatBits(c.elem, 1/c.by); by != want || op.Int("rounding_mode") != int64(c.rounding) {
			t.Errorf("%v / %v is multiplied by %#x, want %#x", c.elem, c.by, by, want)
		}
	}
}

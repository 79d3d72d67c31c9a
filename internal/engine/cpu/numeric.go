package cpu

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/tileir"
)

// numeric says how an element type is computed with: the loops, and the conversions to and from what they take.
type numeric struct {
	loops         kernels
	widen, narrow kernel // nil if the loops take the elements as they are
	wide          int    // bytes of an element in the loops
	splats        map[key]splatLoops
}

// numericOf chooses the arithmetic for an operation on elements of a type.
func numericOf(op *tileir.Op, e tileir.Elem, k *key) (numeric, bool) {
	switch {
	case e == tileir.I1:
		return boolArithmetic(op), true
	case e.IsInt() && e != tileir.I4:
		return numeric{loops: integers[e.Bytes()], wide: e.Bytes(), splats: splatIntegers[e.Bytes()]}, true
	case e == tileir.F32:
		n := numeric{loops: floats32, wide: 4, splats: splatFloats32}
		if op.Info.AttrIndex("flush_to_zero") >= 0 && op.Int("flush_to_zero") != 0 {
			n.widen, n.narrow = unary(flush32), unary(flush32)
		}
		return n, true
	case e == tileir.F64:
		return numeric{loops: floats64, wide: 8, splats: splatFloats64}, true
	case e == tileir.F16 || e == tileir.BF16:
		return halfArithmetic(e, k), true
	}
	return numeric{}, false
}

// boolArithmetic treats i1 as a number of one bit: signed operations see 0 and -1.
func boolArithmetic(op *tileir.Op) numeric {
	n := numeric{loops: integers[1], wide: 1}
	switch op.Info.Opcode {
	case tileir.OpAndI, tileir.OpOrI, tileir.OpXOrI:
		return n
	}
	n.narrow = unary(lowBit)
	unsigned := op.Info.Opcode == tileir.OpMulhiI || op.Info.AttrIndex("signedness") >= 0 && op.Int("signedness") == 0
	if !unsigned {
		n.widen = unary(neg[int8])
	}
	return n
}

// halfArithmetic computes 16-bit floats in float32. For one rounding in all, float32 rounds to the nearest where that
// cannot land on a tie by accident: it has more than twice the precision, and where it loses bits of subnormal bf16
// they are too far below a tie. It cannot be so sure of the sum of a product and a number, nor in other modes, and
// rounds to odd.
func halfArithmetic(e tileir.Elem, k *key) numeric {
	n := numeric{loops: floats32, widen: widening[e], wide: 4, narrow: narrowing(e, tileir.RoundingNearestEven)}
	if _, ok := roundedOps[k.op]; !ok {
		return n
	}
	mode := k.a
	switch {
	case mode == tileir.RoundingNearestEven && k.op != tileir.OpFma:
		return n
	case mode == tileir.RoundingNegativeInf:
		k.a = toOddDown
	default:
		k.a = toOdd
	}
	n.narrow = narrowing(e, mode)
	return n
}

func lowBit(d, a []uint8) {
	a = a[:len(d)]
	for i := range d {
		d[i] = a[i] & 1
	}
}

// loopElementwise compiles operations whose operands have one element type and whose result has it too, or is i1.
func loopElementwise(c *compiler, op *tileir.Op) (*elementwise, error) {
	return c.elementwise(op)
}

func (c *compiler) elementwise(op *tileir.Op) (*elementwise, error) {
	t, k := tileType(op.Operands[0]), keyOf(op)
	num, ok := numericOf(op, t.Elem, &k)
	if !ok || t.Pointer {
		return nil, unsupported(op, t, "it has no arithmetic for this element type")
	}
	run, ok := num.loops[k]
	if !ok {
		return nil, unsupported(op, t, "it does not implement these attributes")
	}
	e := c.newElementwise(op, run, op.Operands...)
	e.splats = num.splats[k]
	for i := range op.Operands {
		e.in[i].convert, e.in[i].wide = num.widen, num.wide
	}
	if tileType(op.Results[0]).Elem == t.Elem || k.op != tileir.OpCmpI && k.op != tileir.OpCmpF {
		e.out.convert = num.narrow
	}
	if (k.op == tileir.OpDivI || k.op == tileir.OpRemI) && t.Rank() == 0 && !c.lanes {
		e.check = zeroChecks[num.wide]
	}
	return e, nil
}

// newElementwise makes the operation without conversions; operands and result take their places.
func (c *compiler) newElementwise(op *tileir.Op, run kernel, operands ...*tileir.Value) *elementwise {
	r := op.Results[0]
	pl, t := c.plan.places[r], tileType(r)
	e := &elementwise{op: op, run: run, args: len(operands), n: t.Size()}
	e.out = operand{off: pl.off, size: elemBytes(t), wide: elemBytes(t)}
	e.lanes = c.lanes && !pl.splat
	if pl.splat {
		e.n = 1
	}
	for i, v := range operands {
		p, size := c.plan.places[v], elemBytes(tileType(v))
		e.in[i] = operand{off: p.off, size: size, wide: size, splat: p.splat && (e.n > 1 || e.lanes)}
	}
	for i := len(operands); i < len(e.in); i++ {
		e.in[i] = e.in[0]
	}
	return e
}

// loopSelect compiles select, for elements of any type.
func loopSelect(c *compiler, op *tileir.Op) (*elementwise, error) {
	t := tileType(op.Results[0])
	return c.newElementwise(op, selects[elemBytes(t)], op.Operands...), nil
}

// moved is an address so many elements of a size farther.
func moved(address uint64, n, size int64) uint64 {
	if n > lane.FarBytes/size || n < -lane.FarBytes/size {
		return lane.Nowhere
	}
	return address + uint64(n*size)
}

// loopOffset compiles offset: addresses advance by elements.
func loopOffset(c *compiler, op *tileir.Op) (*elementwise, error) {
	t, by := tileType(op.Operands[0]), tileType(op.Operands[1])
	if !by.Elem.IsInt() || by.Elem == tileir.I4 {
		return nil, unsupported(op, by, "an offset must be an integer")
	}
	size := int64(t.Elem.Bytes())
	run := binary(func(d, a, b []int64) {
		a, b = a[:len(d)], b[:len(d)]
		for i := range d {
			d[i] = int64(moved(uint64(a[i]), b[i], size))
		}
	})
	if t.Elem.PerByte() > 1 {
		run = binary(offsetHalves)
	}
	e := c.newElementwise(op, run, op.Operands...)
	if by.Elem != tileir.I64 {
		e.in[1].convert, e.in[1].wide = extension(by.Elem, tileir.I64, true), 8
	}
	return e, nil
}

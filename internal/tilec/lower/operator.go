package lower

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir"
)

func (l *lowerer) unary(fr *frame, e *ast.UnaryExpr) value {
	v := l.eval(fr, e.X)
	defer l.here(fr, e.Pos())()
	t := l.typeOf(fr, e.X)
	switch x := v.(type) {
	case nonFinite:
		switch e.Op {
		case token.SUB:
			return goval.FromFloat(-float64(x))
		case token.ADD:
			return x
		}
	case constant.Value:
		return l.foldUnary(e, x, t)
	case *tile:
		word, ok := map[token.Token]string{token.SUB: "neg", token.NOT: "not", token.XOR: "not"}[e.Op]
		if e.Op == token.ADD {
			return x
		}
		if !ok {
			l.Fail(e.Pos(), "a kernel cannot use the operator %s", e.Op)
		}
		return l.operate(e.Pos(), word+" "+x.desc.Elem.Family(), []types.Type{x.typ}, x)
	case poison:
		panic(bailout{})
	}
	l.Fail(e.Pos(), "a kernel cannot use the operator %s here", e.Op)
	return nil
}

func (l *lowerer) foldUnary(e *ast.UnaryExpr, x constant.Value, t types.Type) value {
	d := l.tileDesc(t)
	switch {
	case d != nil && e.Op == token.XOR:
		return typeOf(d.Elem).Complement(constant.ToInt(x))
	case d != nil && e.Op == token.SUB:
		r, err := typeOf(d.Elem).Negate(x)
		return goval.Checked(&l.Reporter, e.Pos(), r, err)
	}
	return constant.UnaryOp(e.Op, x, 0)
}

func (l *lowerer) binaryExpr(fr *frame, e *ast.BinaryExpr) value {
	if (e.Op == token.EQL || e.Op == token.NEQ) && l.ofInterfaces(fr, e) {
		return l.equalInterfaces(fr, e)
	}
	x := l.eval(fr, e.X)
	if e.Op == token.LAND || e.Op == token.LOR {
		return l.logical(fr, e.OpPos, e.Op, x, func() value { return l.eval(fr, e.Y) }, l.typeOf(fr, e))
	}
	y := l.eval(fr, e.Y)
	defer l.here(fr, e.OpPos)()
	switch e.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		t := l.typeOf(fr, e.X)
		if fr.pkg.Info.Types[e.X].Value != nil {
			t = l.typeOf(fr, e.Y)
		}
		return l.compare(e.OpPos, e.Op, x, y, t)
	}
	return l.binary(e.OpPos, e.Op, x, y, l.typeOf(fr, e))
}

// logical lowers && or || of x and what right gives, which is not evaluated where x decides. t is the type of the result.
func (l *lowerer) logical(fr *frame, pos token.Pos, op token.Token, x value, right func() value, t types.Type) value {
	if one, ok := x.(*tile); ok && len(one.desc.Shape) == 0 {
		return l.lazily(fr, pos, op, one, right, t)
	}
	if k, ok := x.(constant.Value); ok && constant.BoolVal(k) == (op == token.LOR) {
		return x
	}
	y := right()
	defer l.here(fr, pos)()
	return l.binary(pos, op, x, y, t)
}

// lazily lowers && and || of one truth value. Where the right side touches memory, can trap, branches or changes
// variables, it becomes a branch, as in Go; else both sides are computed, which is cheaper.
func (l *lowerer) lazily(fr *frame, pos token.Pos, op token.Token, x *tile, right func() value, t types.Type) value {
	n := len(l.cells)
	result := l.newCell("", t, nil)
	before, blk := l.snapshot(len(l.cells)), &tileir.Block{}
	var y value
	l.inBlock(blk, func() { l.scope(fr, func() flow { y = right(); return next }) })
	defer l.here(fr, pos)()
	plain := slices.EqualFunc(before, l.snapshot(len(before)), same)
	for _, o := range blk.Ops {
		plain = plain && o.Info.Pure && len(o.Regions) == 0 && !l.traps[o]
	}
	if many, ok := y.(*tile); plain || ok && len(many.desc.Shape) > 0 {
		for _, o := range blk.Ops {
			l.push(o)
		}
		l.trim(n, nil)
		return l.binary(pos, op, x, y, t)
	}
	result.v = y
	a := side{blk: blk, flow: next, after: l.snapshot(len(before))}
	l.restore(before)
	b := l.side(fr, before, func() flow { result.v = truth(op == token.LOR); return next })
	if op == token.LOR {
		a, b = b, a
	}
	l.join(pos, x, before, a, b)
	l.trim(n, nil)
	return result.v
}

// pair gives two operands one type; t is the Go type of the operation.
func (l *lowerer) pair(pos token.Pos, a, b value, t types.Type) (*tile, *tile) {
	if poisoned(a) || poisoned(b) {
		panic(bailout{})
	}
	x, xTile := a.(*tile)
	y, yTile := b.(*tile)
	switch {
	case xTile && !yTile:
		y = l.as(pos, b, x.typ)
	case yTile && !xTile:
		x = l.as(pos, a, y.typ)
	case !xTile && !yTile:
		x, y = l.as(pos, a, t), l.as(pos, b, t)
	}
	if x.desc.Shape == nil || y.desc.Shape == nil {
		l.Fail(pos, "a kernel cannot use this operator here")
	}
	if !x.desc.Same(y.desc) {
		what := "tiles"
		if x.desc.Elem.IR == tileir.I1 {
			what = "masks"
		}
		e := l.Mistake(pos, "the %s differ: %s and %s%s", what, typeText(x.desc), typeText(y.desc), spreading(x.desc, y.desc))
		e.OfTypes, e.SameShape = len(x.desc.Shape) == len(y.desc.Shape), true // other extents do not change the rank
		panic(e)
	}
	return x, y
}

// spreading says how the one truth value of two masks becomes a mask; "" for others.
func spreading(x, y *describe.Desc) string {
	if len(x.Shape) > 0 {
		x, y = y, x
	}
	if x.Elem.IR != tileir.I1 || y.Elem.IR != tileir.I1 || len(x.Shape) > 0 {
		return ""
	}
	extents := make([]string, len(y.Shape))
	for i, n := range y.Shape {
		extents[i] = fmt.Sprintf("tile.D%d", n)
	}
	return fmt.Sprintf(": tile.BoolTile%d[%s](…) of the one truth value spreads it", len(extents), strings.Join(extents, ", "))
}

// binary lowers an operator other than a comparison.
func (l *lowerer) binary(pos token.Pos, op token.Token, a, b value, t types.Type) value {
	if isConst(a) && isConst(b) {
		return l.fold(pos, op, a, b, t)
	}
	if op == token.LAND || op == token.LOR {
		if v, ok := shortCircuit(op, a, b); ok {
			return v
		}
	}
	if op == token.SHL || op == token.SHR {
		return l.shift(pos, op, a, b, t)
	}
	x, y := l.pair(pos, a, b, t)
	if isConst(b) && (op == token.QUO || op == token.REM) && x.desc.Elem.IR.IsInt() {
		l.Must(!isZero(b), pos, "division by zero")
	}
	return l.operate(pos, op.String()+" "+x.desc.Elem.Family(), []types.Type{x.typ}, x, y)
}

// shift lowers << and >>. The count has a type of its own; all bits are shifted out by one that is not less than the width.
func (l *lowerer) shift(pos token.Pos, op token.Token, a, b value, t types.Type) value {
	if poisoned(a) || poisoned(b) {
		panic(bailout{})
	}
	x := l.as(pos, a, t)
	y, dynamic := b.(*tile)
	if x.desc.Elem.Family() == "int" {
		if dynamic {
			return l.operate(pos, op.String()+" count", []types.Type{x.typ, y.typ}, x, y)
		}
		n, width := l.shiftCount(pos, b), uint(x.desc.Elem.IR.Bits())
		switch {
		case n >= width && (op == token.SHL || !x.desc.Elem.Signed()):
			return l.constant(pos, number(0), x.typ)
		case n >= width:
			n = width - 1
		}
		b = number(int(n))
	}
	return l.operate(pos, op.String()+" "+x.desc.Elem.Family(), []types.Type{x.typ}, x, l.as(pos, b, x.typ))
}

// shortCircuit answers && and || where one side is known.
func shortCircuit(op token.Token, a, b value) (value, bool) {
	for i, v := range []value{a, b} {
		k, ok := v.(constant.Value)
		if !ok {
			continue
		}
		other := []value{b, a}[i]
		if constant.BoolVal(k) == (op == token.LAND) {
			return other, true
		}
		if x, ok := other.(*tile); ok && len(x.desc.Shape) > 0 {
			return nil, false // the result is a mask
		}
		return k, true
	}
	return nil, false
}

func (l *lowerer) compare(pos token.Pos, op token.Token, a, b value, t types.Type) value {
	if isInterface(t) { // of fields and elements
		u, x := l.heldBy(pos, a)
		v, y := l.heldBy(pos, b)
		return l.compareHeld(pos, op, x, y, u, v)
	}
	if isConst(a) && isConst(b) {
		return truth(l.compareFold(pos, op, a, b, t))
	}
	if op == token.EQL || op == token.NEQ {
		if eq := l.equal(pos, a, b, t); eq != nil && op == token.NEQ {
			return l.negated(pos, eq)
		} else if eq != nil {
			return eq
		}
	}
	x, y := l.pair(pos, a, b, t)
	if x.desc.Pointer || x.desc.Kind != describe.TileKind { // what views and pointers are made of
		l.Fail(pos, "a kernel cannot compare tensors or pointers to their elements")
	}
	return l.operate(pos, op.String()+" "+x.desc.Elem.Family(), []types.Type{x.typ}, x, y)
}

// operate calls the function that is declared for an operator.
func (l *lowerer) operate(pos token.Pos, name string, ts []types.Type, args ...value) value {
	r, ok := l.w.Operators[name]
	if !ok {
		word, family, _ := strings.Cut(name, " ")
		l.Fail(pos, "tiles of %ss have no operator %s", family, word)
	}
	return l.call(pos, l.language(pos, r, ts), args)[0]
}

// language is an instance of a function that the compiler itself calls.
func (l *lowerer) language(pos token.Pos, r world.Operator, ts []types.Type) *funcVal {
	fn := l.w.Lookup(r.Path, r.Name)
	if fn == nil {
		panic("BUG: lower: " + r.Path + "." + r.Name + " is not in the world")
	}
	obj := fn.Pkg.Info.Defs[fn.Decl.Name].(*types.Func)
	env := l.w.Instance(obj, obj.Type().(*types.Signature).TypeParams(), ts)
	return &funcVal{name: r.Name, typ: fn.Decl.Type, body: fn.Decl.Body, dir: decl.Checked(fn.Dir), env: env, pkg: fn.Pkg}
}

// convertKnown converts the element of a variable whose value is known.
func (l *lowerer) convertKnown(v value, from, to types.Type) value {
	if d, t := l.numberDesc(from), l.numberDesc(to); d != nil && t != nil {
		return goval.Convert(v, typeOf(d.Elem), typeOf(t.Elem))
	}
	return v
}

// convert is a conversion: of the element, then of the shape.
func (l *lowerer) convert(pos token.Pos, v value, to types.Type) value {
	d := l.tileDesc(to)
	switch x := v.(type) {
	case poison:
		panic(bailout{})
	case constant.Value:
		if d == nil {
			return v
		}
		if len(d.Shape) > 0 {
			return l.constant(pos, v, to)
		}
		return l.inType(pos, x, to)
	case nonFinite:
		if d != nil && len(d.Shape) > 0 {
			return l.constant(pos, v, to)
		} else if d != nil {
			r, err := typeOf(d.Elem).Hold(x)
			return goval.Checked(&l.Reporter, pos, r, err)
		}
	case *tile:
		if d == nil || x.desc.Shape == nil {
			return v
		}
		name := "convert same"
		if x.desc.Elem != d.Elem {
			name = "convert " + x.desc.Elem.Family() + " " + d.Elem.Family()
		} else if d.Same(x.desc) {
			return &tile{v: x.v, desc: d, typ: to, min: x.min, div: x.div, meta: x.meta}
		}
		return l.operate(pos, name, []types.Type{to, x.typ}, x)
	case *structVal:
		if !types.IsInterface(to) {
			return &structVal{to, x.fields}
		}
	case *listVal:
		return l.coerce(pos, x, to)
	}
	return v
}

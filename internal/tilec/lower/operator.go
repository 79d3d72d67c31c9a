package lower

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/tilec/decl"
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
	l.inBlock(blk, func() { l.scope(&fr.inlined, func() flow { y = right(); return next }) })
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
	b := l.side(&fr.inlined, before, func() flow { result.v = truth(op == token.LOR); return next })
	if op == token.LOR {
		a, b = b, a
	}
	l.join(pos, x, before, a, b)
	l.trim(n, nil)
	return result.v
}

// language is an instance of a function that the compiler itself calls.
func (l *lowerer) language(pos token.Pos, r world.Operator, ts []types.Type) *funcVal {
	fn := l.w.Lookup(r.Path, r.Name)
	if fn == nil {
		panic("BUG: lower: " + r.Path + "." + r.Name + " is not in the world")
	}
	obj := fn.Pkg.Info.Defs[fn.Decl.Name].(*types.Func)
	env := l.w.Instance(obj, obj.Type().(*types.Signature).TypeParams(), ts)
	return &funcVal{w: l.w.World, name: r.Name, typ: fn.Decl.Type, body: fn.Decl.Body, dir: decl.Checked(fn.Dir), env: env, pkg: fn.Pkg}
}

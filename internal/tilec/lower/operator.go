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
	"github.com/cutile-go/cutile/internal/tilec/emit"
	"github.com/cutile-go/cutile/tileir"
)

// unary lowers +x, -x, !x and ^x.
func (l *lowerer) unary(fr *frame, e *ast.UnaryExpr) emit.Value {
	v := l.eval(fr, e.X)
	defer l.here(fr, e.Pos())()
	t := l.typeOf(fr, e.X)
	switch x := v.(type) {
	// Infinities and NaN have a sign only.
	case emit.NonFinite:
		switch e.Op {
		case token.SUB:
			return goval.FromFloat(-float64(x))
		case token.ADD:
			return x
		}
	case constant.Value:
		return l.foldUnary(e, x, t)
	case *emit.Tile:
		// Operators on tiles are functions of the language with these names.
		word, ok := map[token.Token]string{token.SUB: "neg", token.NOT: "not", token.XOR: "not"}[e.Op]
		if e.Op == token.ADD {
			return x
		}
		if !ok {
			l.Fail(e.Pos(), "a kernel cannot use the operator %s", e.Op)
		}
		return l.Operate(e.Pos(), word+" "+x.Desc.Elem.Family(), []types.Type{x.Type}, x)
	case emit.Poison:
		panic(emit.Bailout{})
	}
	l.Fail(e.Pos(), "a kernel cannot use the operator %s here", e.Op)
	return nil
}

// foldUnary computes an operator on a known value as a variable of type t would.
func (l *lowerer) foldUnary(e *ast.UnaryExpr, x constant.Value, t types.Type) emit.Value {
	d := l.TileDesc(t)
	switch {
	case d != nil && e.Op == token.XOR:
		// In Go the complement of an unsigned constant has the bits of its type.
		return emit.TypeOf(d.Elem).Complement(constant.ToInt(x))
	case d != nil && e.Op == token.SUB:
		r, err := emit.TypeOf(d.Elem).Negate(x)
		return goval.Checked(&l.Reporter, e.Pos(), r, err)
	}
	return constant.UnaryOp(e.Op, x, 0)
}

// binaryExpr lowers x op y.
func (l *lowerer) binaryExpr(fr *frame, e *ast.BinaryExpr) emit.Value {
	if (e.Op == token.EQL || e.Op == token.NEQ) && l.ofInterfaces(fr, e) {
		return l.equalInterfaces(fr, e)
	}
	x := l.eval(fr, e.X)
	if e.Op == token.LAND || e.Op == token.LOR {
		return l.logical(fr, e.OpPos, e.Op, x, func() emit.Value { return l.eval(fr, e.Y) }, l.typeOf(fr, e))
	}
	y := l.eval(fr, e.Y)
	defer l.here(fr, e.OpPos)()
	switch e.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		t := l.typeOf(fr, e.X)
		// The type of an untyped constant does not count: the other operand has the type of the
		// comparison.
		if fr.pkg.Info.Types[e.X].Value != nil {
			t = l.typeOf(fr, e.Y)
		}
		return l.Compare(e.OpPos, e.Op, x, y, t)
	}
	return l.Binary(e.OpPos, e.Op, x, y, l.typeOf(fr, e))
}

// logical lowers x && y or x || y, where right gives y. It does not evaluate y if x is known and
// decides. t is the type of the result.
func (l *lowerer) logical(fr *frame, pos token.Pos, op token.Token, x emit.Value, right func() emit.Value, t types.Type) emit.Value {
	if one, ok := x.(*emit.Tile); ok && len(one.Desc.Shape) == 0 {
		return l.lazily(fr, pos, op, one, right, t)
	}
	// The right side is not evaluated, so mistakes in it do not count.
	if k, ok := x.(constant.Value); ok && constant.BoolVal(k) == (op == token.LOR) {
		return x
	}
	y := right()
	defer l.here(fr, pos)()
	return l.Binary(pos, op, x, y, t)
}

// lazily lowers && and || of a single truth value. If the right side touches memory, can trap,
// branches or changes variables, it becomes a branch, as Go evaluates it only if x does not decide.
// Otherwise nobody can tell, and both sides are computed, which is cheaper than a branch.
func (l *lowerer) lazily(fr *frame, pos token.Pos, op token.Token, x *emit.Tile, right func() emit.Value, t types.Type) emit.Value {
	n := len(l.Cells)
	// If it becomes a branch, the result is a variable that both sides set.
	result := l.NewCell("", t, nil)
	before, blk := l.Snapshot(len(l.Cells)), &tileir.Block{}
	var y emit.Value
	// The right side goes to a block of its own, so that it can be either put into the current
	// block or into a side of an if.
	l.InBlock(blk, func() { l.Scope(&fr.Inlined, func() emit.Flow { y = right(); return emit.Next }) })
	defer l.here(fr, pos)()
	// It is plain if no variable changed and no operation can fail, touch memory or branch.
	plain := slices.EqualFunc(before, l.Snapshot(len(before)), emit.Same)
	for _, o := range blk.Ops {
		plain = plain && o.Info.Pure && len(o.Regions) == 0 && !l.Traps[o]
	}
	// If the result is a mask, no branch can choose it: both sides are computed.
	if many, ok := y.(*emit.Tile); plain || ok && len(many.Desc.Shape) > 0 {
		for _, o := range blk.Ops {
			l.Push(o)
		}
		l.Trim(n, nil)
		return l.Binary(pos, op, x, y, t)
	}
	result.V = y
	a := emit.Side{Block: blk, Flow: emit.Next, After: l.Snapshot(len(before))}
	l.Restore(before)
	// On the other side x has decided.
	b := l.Side(&fr.Inlined, before, func() emit.Flow { result.V = emit.Truth(op == token.LOR); return emit.Next })
	if op == token.LOR {
		a, b = b, a
	}
	l.Join(pos, x, before, a, b)
	l.Trim(n, nil)
	return result.V
}

// language gives an instance of a function of the language that the compiler itself calls.
func (l *lowerer) language(pos token.Pos, r world.Symbol, ts []types.Type) *funcVal {
	fn := l.World.Lookup(r.Path, r.Name)
	if fn == nil {
		panic("BUG: lower: " + r.Path + "." + r.Name + " is not in the world")
	}
	// The function's type arguments are the types of the operands.
	obj := fn.Pkg.Info.Defs[fn.Decl.Name].(*types.Func)
	env := l.World.Instance(obj, obj.Type().(*types.Signature).TypeParams(), ts)
	return &funcVal{w: l.World.World, name: r.Name, typ: fn.Decl.Type, body: fn.Decl.Body, dir: decl.Checked(fn.Dir), env: env, pkg: fn.Pkg}
}

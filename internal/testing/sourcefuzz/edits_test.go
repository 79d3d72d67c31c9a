package sourcefuzz_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sort"
	"strings"

	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/tilec/describe"
)

// A kind of edit changes expressions, types or statements; nil where the program has no place for it.
type kind struct {
	name   string
	weight int
	make   func(*tree) []edit
}

// kinds are all of them.
var kinds = []kind{
	{"operator", 6, (*tree).operator},
	{"assignment operator", 2, (*tree).assignOperator},
	{"sign", 2, (*tree).sign},
	{"number", 6, (*tree).number},
	{"number for expression", 3, (*tree).constantFor},
	{"variable", 6, (*tree).variable},
	{"expression", 8, (*tree).expression},
	{"wrapped expression", 8, (*tree).wrapped},
	{"function", 6, (*tree).function},
	{"method", 5, (*tree).method},
	{"arguments", 4, (*tree).arguments},
	{"type", 5, (*tree).typeName},
	{"dimension", 5, (*tree).dimension},
	{"deletion", 4, (*tree).deletion},
	{"repetition", 4, (*tree).repetition},
	{"move", 5, (*tree).move},
	{"wrapped statement", 9, (*tree).wrappedStmt},
	{"exit", 8, (*tree).exit},
	{"condition", 3, (*tree).otherCondition},
	{"loop", 4, (*tree).loop},
	{"assignment", 8, (*tree).assignment},
	{"declaration", 5, (*tree).declaration},
	{"directive", 1, (*tree).directive},
}

var operators = [][]token.Token{
	{token.ADD, token.SUB, token.MUL, token.QUO, token.REM, token.AND, token.OR, token.XOR, token.AND_NOT, token.SHL, token.SHR},
	{token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ},
	{token.LAND, token.LOR},
}

// operator exchanges a binary operator, mostly for one of its class.
func (t *tree) operator() []edit {
	e, ok := choose[*ast.BinaryExpr](t, nil)
	if !ok {
		return nil
	}
	class := pick(t.rng, operators)
	for _, c := range operators {
		if slices.Contains(c, e.Op) && !t.one(6) {
			class = c
		}
	}
	at := t.off(e.OpPos)
	return []edit{{at, at + len(e.Op.String()), pick(t.rng, class).String()}}
}

func (t *tree) assignOperator() []edit {
	s, ok := choose(t, func(s *ast.AssignStmt) bool { return s.Tok != token.DEFINE && len(s.Lhs) == 1 })
	if !ok {
		return nil
	}
	at := t.off(s.TokPos)
	return []edit{{at, at + len(s.Tok.String()), pick(t.rng, operators[0]).String() + "="}}
}

func (t *tree) sign() []edit {
	e := t.expr(func(_ ast.Expr, typ types.Type) bool { return basic(typ) != 0 })
	if e == nil {
		return nil
	}
	return t.replace(e, "%s(%s)", pick(t.rng, []string{"-", "!", "^", "+", "&", "*"}), t.src(e))
}

// basic is what Go can compute with a type: integers, floats or truth values; 0 for nothing.
func basic(t types.Type) types.BasicInfo {
	if t == nil {
		return 0
	}
	if tp, ok := t.(*types.TypeParam); ok {
		t = tp.Constraint()
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return 0
	}
	return b.Info() & (types.IsInteger | types.IsFloat | types.IsBoolean)
}

var numbers = []string{"0", "1", "2", "3", "4", "7", "15", "16", "17", "31", "64", "100", "127", "255", "1000", "4096", "65536", "1 << 31",
	"1<<62", "-1", "-2", "-128", "0.5", "1.5", "1e-3", "1e10", "1e38", "1e300", "-0.25", "math.MaxInt64", "math.NaN()", "math.Inf(1)"}

// number exchanges a literal.
func (t *tree) number() []edit {
	lit, ok := choose(t, func(l *ast.BasicLit) bool { return l.Kind == token.INT || l.Kind == token.FLOAT })
	if !ok {
		return nil
	}
	return t.replace(lit, "%s", pick(t.rng, numbers[:20+t.rng.IntN(len(numbers)-20)]))
}

func (t *tree) constantFor() []edit {
	e := t.expr(func(_ ast.Expr, typ types.Type) bool { return basic(typ) != 0 })
	switch {
	case e == nil:
		return nil
	case basic(t.info.Types[e].Type) == types.IsBoolean:
		return t.replace(e, "%s", pick(t.rng, []string{"true", "false", "(1 < 2)", "(len(\"\") == 0)"}))
	}
	return t.replace(e, "%s", pick(t.rng, numbers))
}

// variable names another variable, mostly of the same type.
func (t *tree) variable() []edit {
	id, ok := choose(t, func(id *ast.Ident) bool { v, ok := t.info.Uses[id].(*types.Var); return ok && !v.IsField() })
	if !ok {
		return nil
	}
	any := t.one(5)
	vs := t.visible(id.Pos(), func(typ types.Type) bool {
		return any || types.Identical(typ, t.info.Uses[id].Type())
	})
	if len(vs) == 0 {
		return nil
	}
	return t.replace(id, "%s", pick(t.rng, vs).Name())
}

// expression puts an expression of the same type in the place of another.
func (t *tree) expression() []edit {
	e := t.expr(func(ast.Expr, types.Type) bool { return true })
	if e == nil {
		return nil
	}
	text := t.another(t.info.Types[e].Type, e.Pos())
	if text == "" {
		return nil
	}
	return t.replace(e, "%s", text)
}

// wraps are forms that keep the type; %[1]s is the expression, %[2]s its type, %[3]s another expression, %[4]s an index,
// %[5]s a condition.
var wraps = []string{
	"(%[1]s)", "func() %[2]s { return %[1]s }()", "[]%[2]s{%[1]s, %[3]s}[%[4]s]", "[2]%[2]s{%[3]s, %[1]s}[%[4]s]", "struct{ a, b %[2]s }{%[3]s, %[1]s}.b",
	"%[2]s(%[1]s)", "(%[1]s + %[3]s)", "(%[1]s - %[3]s)", "(%[1]s * %[3]s)", "(%[1]s / %[3]s)", "(%[1]s %% %[3]s)", "(%[1]s && %[3]s)", "(%[1]s || %[3]s)",
	"max(%[1]s, %[3]s)", "min(%[3]s, %[1]s)", "func(v %[2]s) %[2]s { return v }(%[1]s)",
	"func() (r %[2]s) { if %[5]s { return %[3]s }; r = %[1]s; return }()",
	"func() (r %[2]s) { for i := range %[4]s { if %[5]s { return %[3]s }; if i > 2 { break }; r = %[1]s }; return }()",
	"func() %[2]s { p := new(%[2]s); *p = %[1]s; q := &p; if %[5]s { **q = %[3]s }; return *p }()",
	"func() %[2]s { var s []%[2]s; s = append(s, %[1]s); t := append(s, %[3]s); t[0] = t[%[4]s]; return s[0] }()",
	"func() %[2]s { a := [2]%[2]s{%[1]s, %[3]s}; for i, v := range a { a[1-i] = v }; return a[%[4]s] }()",
	"func() %[2]s { v := %[1]s; f := func() { v = %[3]s }; if %[5]s { f() }; return v }()",
	"func() %[2]s { switch v := any(%[1]s).(type) { case %[2]s: return v; default: return %[3]s } }()",
	"func() %[2]s { a, b := %[1]s, %[3]s; for %[5]s { a, b = b, a; if a == b { continue } }; return a }()",
}

func (t *tree) wrapped() []edit {
	e := t.expr(func(ast.Expr, types.Type) bool { return true })
	if e == nil {
		return nil
	}
	typ := t.info.Types[e].Type
	other := t.another(typ, e.Pos())
	if other == "" {
		other = t.src(e)
	}
	return t.replace(e, pick(t.rng, wraps)+"%[6]s", t.src(e), t.spelled(typ), other, t.index(e.Pos()), t.condition(e.Pos()), "")
}

// index is an expression of type int for a place.
func (t *tree) index(pos token.Pos) string {
	if t.one(2) {
		return pick(t.rng, []string{"0", "1", "2", "3"})
	}
	if s := t.another(types.Typ[types.Int], pos); s != "" {
		return s
	}
	return "1"
}

// condition is a condition for a place; masks are among those.
func (t *tree) condition(pos token.Pos) string {
	ints := t.visible(pos, func(typ types.Type) bool { return basic(typ) != 0 })
	switch n := t.rng.IntN(10); {
	case n < 5 && len(ints) > 0:
		v := pick(t.rng, ints)
		if basic(v.Type()) == types.IsBoolean {
			return v.Name()
		}
		return fmt.Sprintf("%s %s %s", v.Name(), pick(t.rng, operators[1]), pick(t.rng, []string{"0", "1", "3", v.Name()}))
	case n < 7:
		if s := t.another(types.Typ[types.Bool], pos); s != "" {
			return s
		}
	case n < 8:
		return pick(t.rng, []string{"true", "false", "1 < 2"})
	}
	if q := t.tileName("BlockID"); q != "" {
		return fmt.Sprintf("%s(%d) %s 1", q, t.rng.IntN(3), pick(t.rng, operators[1]))
	}
	return "true"
}

// languageFuncs are the functions of package tile by the number of their parameters.
func languageFuncs(params int) (out []string) {
	p, err := source.Load(describe.TilePath)
	if err != nil {
		panic(err)
	}
	for name, d := range p.Decls {
		if f := d.Func(); f != nil && ast.IsExported(name) && f.Type.Params.NumFields() == params {
			out = append(out, name)
		}
	}
	sort.Strings(out)
	return out
}

// function calls another function of package tile with the same arguments.
func (t *tree) function() []edit {
	isTile := func(e ast.Expr) *ast.Ident {
		switch x := e.(type) {
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		}
		id, ok := e.(*ast.Ident)
		if sel, isSel := e.(*ast.SelectorExpr); isSel {
			id, ok = sel.Sel, true
		}
		if ok {
			if f, isFunc := t.info.Uses[id].(*types.Func); isFunc && f.Pkg().Path() == describe.TilePath && f.Signature().Recv() == nil {
				return id
			}
		}
		return nil
	}
	c, ok := choose(t, func(c *ast.CallExpr) bool { return isTile(c.Fun) != nil })
	if !ok {
		return nil
	}
	return t.replace(isTile(c.Fun), "%s", pick(t.rng, languageFuncs(len(c.Args))))
}

// method calls another method with the same number of arguments.
func (t *tree) method() []edit {
	s, ok := choose(t, func(s *ast.SelectorExpr) bool {
		sel := t.info.Selections[s]
		return sel != nil && sel.Kind() == types.MethodVal && sel.Obj().Pkg().Path() == describe.TilePath
	})
	if !ok {
		return nil
	}
	recv := source.TypeName(&ast.Ident{Name: typeName(t.info.Selections[s].Recv())})
	p, _ := source.Load(describe.TilePath)
	var names []string
	for name := range p.Methods[recv] {
		if ast.IsExported(name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	sort.Strings(names)
	return t.replace(s.Sel, "%s", pick(t.rng, names))
}

func typeName(t types.Type) string {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// arguments drops, doubles or exchanges arguments.
func (t *tree) arguments() []edit {
	c, ok := choose(t, func(c *ast.CallExpr) bool { return len(c.Args) > 0 })
	if !ok {
		return nil
	}
	args := make([]string, len(c.Args))
	for i, a := range c.Args {
		args[i] = t.src(a)
	}
	i := t.rng.IntN(len(args))
	switch t.rng.IntN(3) {
	case 0:
		args = slices.Delete(args, i, i+1)
	case 1:
		args = slices.Insert(args, i, args[i])
	default:
		j := t.rng.IntN(len(args))
		args[i], args[j] = args[j], args[i]
	}
	return []edit{{t.off(c.Args[0].Pos()), t.off(c.Args[len(c.Args)-1].End()), strings.Join(args, ", ")}}
}

// dimension exchanges an extent or a type parameter.
func (t *tree) dimension() []edit {
	isDim := func(typ types.Type) bool {
		return typ != nil && types.IsInterface(typ) && strings.HasSuffix(typ.String(), "/tile.Dim") || strings.HasPrefix(typeName(typ), "D")
	}
	id, ok := choose(t, func(id *ast.Ident) bool {
		tn, ok := t.info.Uses[id].(*types.TypeName)
		if !ok {
			return false
		}
		if tp, ok := tn.Type().(*types.TypeParam); ok {
			return isDim(tp.Constraint())
		}
		return isDim(tn.Type())
	})
	if !ok {
		return nil
	}
	if t.one(2) {
		for _, n := range t.nodes {
			other, ok := n.(*ast.Ident)
			if tn, isType := t.info.Uses[other].(*types.TypeName); ok && isType && t.one(3) && isDim(tn.Type()) && t.movable(other, id.Pos()) {
				return t.replace(id, "%s", tn.Name())
			}
		}
	}
	var at ast.Node = id
	for _, n := range t.nodes {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel == id {
			at = sel
		}
	}
	name := t.tileName(fmt.Sprintf("D%d", 1<<t.rng.IntN(9)))
	if name == "" {
		return nil
	}
	return t.replace(at, "%s", name)
}

// typeName exchanges the element or rank in a name such as F32T1, or an element.
func (t *tree) typeName() []edit {
	elements := []string{"F32", "F16", "BF16", "F64", "I32", "I64", "I8", "I16", "U8", "U32", "F8E4M3", "Bool", "TF32"}
	plain := []string{"int", "int32", "int64", "uint8", "float32", "float64", "bool", "uint", "int8", "string"}
	id, ok := choose(t, func(id *ast.Ident) bool {
		_, isType := t.info.Uses[id].(*types.TypeName)
		return isType && (slices.Contains(plain, id.Name) || strings.Contains(id.Name, "T"))
	})
	if !ok {
		return nil
	}
	elem, rank, tiled := strings.Cut(id.Name, "T")
	switch {
	case !tiled:
		return t.replace(id, "%s", pick(t.rng, plain))
	case t.one(4):
		return t.replace(id, "%sT%d", elem, t.rng.IntN(5))
	}
	return t.replace(id, "%sT%s", pick(t.rng, elements), rank)
}

package vet

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/printer"
	"go/token"
	"go/types"
	"strings"

	"github.com/cutile-go/cutile/dtype"
)

// smallFloats are the float types of package dtype by their names in Go, which are integers there: their bits.
var smallFloats = func() map[string]dtype.Type {
	m := map[string]dtype.Type{}
	for _, t := range append(dtype.Types(), dtype.F4E2M1FN) {
		if g := t.GoType(); t.IsFloat() && strings.HasSuffix(g.PkgPath(), "/dtype") {
			m[g.Name()] = t
		}
	}
	return m
}()

// bits reports numbers that become the bits of a float of package dtype, in composite literals and conversions: 2 is then
// 1.2e-07. Numbers in hexadecimal, octal or binary digits are meant as bits, and 0 is 0. In device code such
// constants are numbers.
func (c *checker) bits() {
	device := c.deviceCode()
	for _, f := range c.pass.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				return !device[c.pass.TypesInfo.Defs[n.Name]]
			case *ast.FuncLit:
				return !c.mentionsTiles(c.pass.TypesInfo.TypeOf(n))
			case *ast.GenDecl:
				return n.Tok != token.CONST // kernels may use constants
			case *ast.CompositeLit:
				c.bitsInLiteral(n)
			case *ast.CallExpr:
				c.bitsInConversion(n)
			}
			return true
		})
	}
}

// bitsInLiteral reports the elements of a slice, an array or a map that are numbers.
func (c *checker) bitsInLiteral(lit *ast.CompositeLit) {
	var typ dtype.Type
	var numbers []string
	var first ast.Expr
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			e = kv.Value
		}
		if t, ok := c.numberAsBits(e); ok {
			if first == nil {
				first, typ = e, t
			}
			numbers = append(numbers, c.text(e))
		}
	}
	if first == nil {
		return
	}
	name := typ.GoType().Name()
	instead := fmt.Sprintf("dtype.%sFromFloat32(%s)", name, numbers[0])
	if elem, ok := c.elemOf(lit); ok && elem == typ && len(numbers) == len(lit.Elts) {
		instead = fmt.Sprintf("dtype.Floats[dtype.%s]([]float32{%s})", name, few(numbers))
	}
	c.report(first.Pos(), "%s is taken as the bits of a dtype.%s, which mean %s: write %s for numbers, or %s for these bits",
		numbers[0], name, c.meant(typ, first), instead, c.hex(first))
}

// bitsInConversion reports dtype.Float16(2).
func (c *checker) bitsInConversion(call *ast.CallExpr) {
	fun, ok := c.pass.TypesInfo.Types[call.Fun]
	if !ok || !fun.IsType() || len(call.Args) != 1 {
		return
	}
	typ, ok := smallFloat(fun.Type)
	if !ok || !c.isNumber(call.Args[0]) {
		return
	}
	e := call.Args[0]
	c.report(e.Pos(), "%s is taken as the bits of a dtype.%s, which mean %s: write dtype.%[2]sFromFloat32(%[1]s) for the number, or %[4]s for these bits",
		c.text(e), typ.GoType().Name(), c.meant(typ, e), c.hex(e))
}

// numberAsBits reports whether an expression is a number that becomes a float of package dtype, and which.
func (c *checker) numberAsBits(e ast.Expr) (dtype.Type, bool) {
	typ, ok := smallFloat(c.pass.TypesInfo.TypeOf(e))
	return typ, ok && c.isNumber(e)
}

// smallFloat gives the float type of package dtype that a type of Go is.
func smallFloat(t types.Type) (dtype.Type, bool) {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil || n.Obj().Pkg().Path() != dtypePath {
		return dtype.Invalid, false
	}
	typ, ok := smallFloats[n.Obj().Name()]
	return typ, ok
}

// isNumber reports whether an expression is a number other than 0 in decimal digits: with or without a sign.
func (c *checker) isNumber(e ast.Expr) bool {
	e = ast.Unparen(e)
	if u, ok := e.(*ast.UnaryExpr); ok && (u.Op == token.SUB || u.Op == token.ADD) {
		e = ast.Unparen(u.X)
	}
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.INT && lit.Kind != token.FLOAT {
		return false
	}
	value := constant.MakeFromLiteral(lit.Value, lit.Kind, 0)
	decimal := len(lit.Value) < 2 || lit.Value[0] != '0' || lit.Value[1] == '.'
	return decimal && constant.Sign(value) != 0
}

// code gives the bits that a number becomes.
func (c *checker) code(e ast.Expr) uint64 {
	bits, _ := constant.Uint64Val(constant.ToInt(c.pass.TypesInfo.Types[e].Value))
	return bits
}

// meant is the number that the bits mean.
func (c *checker) meant(t dtype.Type, e ast.Expr) string {
	return fmt.Sprintf("%.3g", t.FloatFromBits(c.code(e)))
}

func (c *checker) hex(e ast.Expr) string { return fmt.Sprintf("%#x", c.code(e)) }

// elemOf gives the element type of a literal of a slice.
func (c *checker) elemOf(lit *ast.CompositeLit) (dtype.Type, bool) {
	if s, ok := c.pass.TypesInfo.TypeOf(lit).Underlying().(*types.Slice); ok {
		return smallFloat(s.Elem())
	}
	return dtype.Invalid, false
}

// few lists numbers, and not all of many.
func few(numbers []string) string {
	if len(numbers) > 4 {
		return strings.Join(numbers[:3], ", ") + ", …"
	}
	return strings.Join(numbers, ", ")
}

// text is an expression as it is written.
func (c *checker) text(e ast.Expr) string {
	var b strings.Builder
	printer.Fprint(&b, c.pass.Fset, e)
	return b.String()
}

// deviceCode finds the functions of the package that run on a device: those over tiles, and what they call.
func (c *checker) deviceCode() map[types.Object]bool {
	device := map[types.Object]bool{}
	bodies := map[types.Object]*ast.FuncDecl{}
	var todo []*ast.FuncDecl
	for _, f := range c.pass.Files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				obj := c.pass.TypesInfo.Defs[fn.Name]
				bodies[obj] = fn
				if c.mentionsTiles(obj.Type()) {
					device[obj] = true
					todo = append(todo, fn)
				}
			}
		}
	}
	for len(todo) > 0 {
		fn := todo[0]
		todo = todo[1:]
		ast.Inspect(fn, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			used := c.pass.TypesInfo.Uses[id]
			if f, ok := used.(*types.Func); ok {
				used = f.Origin()
			}
			if body := bodies[used]; body != nil && !device[used] {
				device[used] = true
				todo = append(todo, body)
			}
			return true
		})
	}
	return device
}

// mentionsTiles reports whether a function has parameters, results, a receiver or type parameters of package tile.
func (c *checker) mentionsTiles(t types.Type) bool {
	text := types.TypeString(t, (*types.Package).Path)
	return strings.Contains(text, tilePath+".") || strings.Contains(text, tilePath+"/")
}

package dump

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/internal/tilec/lower"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/tileir"
)

// maxExpr is the greatest length of an expression in the list, in runes.
const maxExpr = 48

// instance is a function with its type arguments.
type instance struct {
	title string
	pkg   *world.Pkg
	env   *world.Env
	decl  *ast.FuncDecl
}

// lister lists the types in a kernel and in the user's functions that it calls.
type lister struct {
	w     *describe.World
	wide  bool
	out   io.Writer
	queue []instance
	seen  map[string]bool

	cur    instance
	tw     *tabwriter.Writer
	shapes map[types.Object][]int // of variables that hold masks: to Go they are just bool
}

// types prints what each parameter, variable and expression is, to Go and to Tile IR.
func (d *dumper) types(w io.Writer) error {
	return d.kernel.Inspect(d.facts, func(in *lower.Input) error {
		l := &lister{w: in.World, wide: in.Wide, out: w, seen: map[string]bool{}}
		l.enqueue(instance{in.Kernel.Name, in.Kernel.Pkg, in.Kernel.Env, in.Kernel.Decl.Decl})
		for _, a := range in.Args {
			if a.Func != nil {
				l.enqueue(instance{a.Func.Name, a.Func.Pkg, a.Func.Env, a.Func.Decl.Decl})
			}
		}
		for i := 0; i < len(l.queue); i++ {
			l.cur = l.queue[i]
			if i > 0 {
				fmt.Fprintln(w)
			}
			l.head()
			if i == 0 {
				d.params(w)
			}
			l.body()
		}
		return nil
	})
}

func (l *lister) enqueue(f instance) {
	if !l.seen[f.title] {
		l.seen[f.title] = true
		l.queue = append(l.queue, f)
	}
}

// head prints the function and its type arguments.
func (l *lister) head() {
	pos := source.Fset.Position(l.cur.decl.Pos())
	fmt.Fprintf(l.out, "func %s  // %s:%d\n", l.cur.title, pos.Filename, pos.Line)
	obj, ok := l.cur.pkg.Info.Defs[l.cur.decl.Name].(*types.Func)
	if !ok {
		return
	}
	sig := obj.Type().(*types.Signature)
	for _, tps := range []*types.TypeParamList{sig.RecvTypeParams(), sig.TypeParams()} {
		for i := range tps.Len() {
			fmt.Fprintf(l.out, "  %s = %s\n", tps.At(i).Obj().Name(), typeName(l.cur.env.Get(tps.At(i))))
		}
	}
}

// kindNames are the kinds of parameter, as people call them.
var kindNames = map[compile.Kind]string{
	compile.Scalar: "scalar", compile.In: "in", compile.Out: "out", compile.InOut: "inout", compile.Persistent: "persistent", compile.Ptr: "ptr", compile.Func: "func", compile.None: "none",
}

// params prints what a launch passes, with the facts.
func (d *dumper) params(w io.Writer) {
	if len(d.kernel.Params()) == 0 {
		return
	}
	fmt.Fprintf(w, "\nparameters, what they take, what is promised\n")
	var b strings.Builder
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for i, p := range d.kernel.Params() {
		takes, promised := "", ""
		switch f := d.facts.Args[i]; {
		case p.Kind == compile.Scalar:
			takes = p.Elem.String()
		case p.Kind.View():
			takes = fmt.Sprintf("rank-%d tensor of %v in tiles of %s", len(p.Tile), p.Elem, describe.ShapeText(p.Tile))
			promised = f.Words(&p)
		case p.Kind == compile.Ptr:
			takes, promised = "tensor of "+p.Elem.String(), f.Words(&p)
		case p.Kind == compile.Func:
			takes = f.Func.Name()
		}
		fmt.Fprintf(tw, "  %d:%d\t%s\t%s\t%s\t%s\n", p.Pos.Line, p.Pos.Column, p.Name, kindNames[p.Kind], takes, promised)
	}
	tw.Flush()
	toolbox.PrintTrimmed(w, b.String())
}

// body prints the variables and expressions of the current function, in the order of the source.
func (l *lister) body() {
	var b strings.Builder
	l.tw = tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	l.shapes = map[types.Object][]int{}
	ast.Inspect(l.cur.decl.Type, l.visit)
	if l.cur.decl.Recv != nil {
		ast.Inspect(l.cur.decl.Recv, l.visit)
	}
	ast.Inspect(l.cur.decl.Body, l.visit)
	l.tw.Flush()
	if b.Len() > 0 {
		fmt.Fprintf(l.out, "\nposition, variable or expression, Go type, Tile IR type\n")
		toolbox.PrintTrimmed(l.out, b.String())
	}
}

func (l *lister) visit(n ast.Node) bool {
	info := l.cur.pkg.Info
	switch n := n.(type) {
	case *ast.AssignStmt:
		l.noteMasks(n)
	case *ast.Ident:
		if v, ok := info.Defs[n].(*types.Var); ok {
			l.row(n.Pos(), n.Name, v.Type(), l.shapes[v])
		}
		if f, ok := info.Uses[n].(*types.Func); ok {
			l.called(n, f)
		}
	case *ast.SelectorExpr:
		if sel := info.Selections[n]; sel != nil && sel.Kind() == types.MethodVal {
			l.method(sel)
		}
	}
	switch e := n.(type) {
	case *ast.CallExpr, *ast.BinaryExpr, *ast.UnaryExpr, *ast.IndexExpr, *ast.SelectorExpr, *ast.CompositeLit:
		tv := info.Types[e.(ast.Expr)]
		if tv.IsValue() && tv.Value == nil {
			l.row(place(e), exprText(e.(ast.Expr)), tv.Type, l.mask(e.(ast.Expr)))
		}
	}
	return true
}

// place is the position that the compiler gives an expression: for an operation, that of the operator.
func place(n ast.Node) token.Pos {
	if b, ok := n.(*ast.BinaryExpr); ok {
		return b.OpPos
	}
	return n.Pos()
}

// row prints one line, for what has a meaning on a device. mask is the shape of a mask that is just bool to Go.
func (l *lister) row(pos token.Pos, text string, t types.Type, mask []int) {
	t = l.w.Subst(types.Default(t), l.cur.env)
	ir := l.meaning(t)
	if len(mask) > 0 {
		ir = (&tileir.TileType{Elem: tileir.I1, Shape: mask}).String()
	}
	if ir == "" {
		return
	}
	p := source.Fset.Position(pos)
	fmt.Fprintf(l.tw, "  %d:%d\t%s\t%s\t%s\n", p.Line, p.Column, text, typeName(t), ir)
}

// meaning is what a type is to Tile IR, "" where it is nothing by itself.
func (l *lister) meaning(t types.Type) string {
	if f := l.w.ParamFunc(t); f != nil {
		of := l.w.Desc(t.(*types.Named).TypeArgs().At(0))
		if of == nil || of.Elem.IR == tileir.NoElem {
			return ""
		}
		if len(of.Shape) == 0 {
			return (&tileir.TileType{Elem: of.Elem.IR, Pointer: true}).String()
		}
		return "view of " + of.Tile().String()
	}
	d := l.w.Desc(t)
	switch {
	case d == nil:
		return ""
	case d.Kind == describe.TokenKind:
		return tileir.Token.String()
	case d.Index && l.wide:
		return (&tileir.TileType{Elem: tileir.I64}).String()
	case d.Kind == describe.TileKind && d.Elem.IR != tileir.NoElem && d.Shape != nil:
		return d.Tile().String()
	}
	return ""
}

// called enqueues a function of the user's.
func (l *lister) called(id *ast.Ident, f *types.Func) {
	sig := f.Type().(*types.Signature)
	if sig.Recv() != nil {
		return // see method
	}
	fn := l.w.FuncOf(f)
	if fn == nil || fn.Pkg.Src.Lang {
		return
	}
	var args []types.Type
	if inst, ok := l.cur.pkg.Info.Instances[id]; ok {
		for i := range inst.TypeArgs.Len() {
			args = append(args, l.w.Subst(inst.TypeArgs.At(i), l.cur.env))
		}
	}
	l.enqueueFunc(fn, fn.Pkg.Types.Name()+"."+f.Name()+argsText(args), f.Origin(), f.Origin().Type().(*types.Signature).TypeParams(), args)
}

// method enqueues a method of a type of the user's.
func (l *lister) method(sel *types.Selection) {
	f := sel.Obj().(*types.Func).Origin()
	fn := l.w.FuncOf(f)
	recv, ok := types.Unalias(l.w.Subst(sel.Recv(), l.cur.env)).(*types.Named)
	if fn == nil || fn.Pkg.Src.Lang || !ok || len(sel.Index()) > 1 {
		return
	}
	var args []types.Type
	for i := range recv.TypeArgs().Len() {
		args = append(args, recv.TypeArgs().At(i))
	}
	l.enqueueFunc(fn, typeName(recv)+"."+f.Name(), f, f.Type().(*types.Signature).RecvTypeParams(), args)
}

func (l *lister) enqueueFunc(fn *world.Func, title string, key any, tps *types.TypeParamList, args []types.Type) {
	if fn.Decl.Body != nil {
		l.enqueue(instance{title, fn.Pkg, l.w.Instance(key, tps, args), fn.Decl})
	}
}

// typeName is a type without the paths of packages.
func typeName(t types.Type) string {
	if t == nil {
		return "?"
	}
	return types.TypeString(t, func(*types.Package) string { return "" })
}

func argsText(args []types.Type) string {
	if len(args) == 0 {
		return ""
	}
	var names []string
	for _, a := range args {
		names = append(names, typeName(a))
	}
	return "[" + strings.Join(names, ", ") + "]"
}

// exprText is an expression on one line, shortened.
func exprText(e ast.Expr) string {
	s := strings.Join(strings.Fields(types.ExprString(e)), " ")
	if utf8.RuneCountInString(s) > maxExpr {
		s = string([]rune(s)[:maxExpr-1]) + "…"
	}
	return s
}

package lower

import (
	"go/ast"
	"go/types"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/internal/tilec/emit"
	"github.com/cutile-go/cutile/tileir"
)

// funcVal is a function as a value: a declared function, a literal, or a method with its receiver.
type funcVal struct {
	w     *world.World
	name  string
	typ   *ast.FuncType
	body  *ast.BlockStmt
	dir   *decl.Directive
	recv  *ast.FieldList
	self  emit.Value
	frame *frame // the variables around a literal
	env   *world.Env
	pkg   *world.Pkg
}

// frame is a function that is being inlined.
type frame struct {
	emit.Inlined
	parent  *frame
	vars    variables
	env     *world.Env
	pkg     *world.Pkg
	sig     []types.Type // the types of the results
	named   []*emit.Cell // the results that have names
	exits   *exits
	results []*emit.Cell // the results, if there is an exit cell
	inside  []around
	blk     *tileir.Block // the block that the body is lowered into
	kernel  bool
}

// around is a loop or switch that is being lowered.
type around struct {
	s  ast.Stmt
	ir bool // it is a loop of Tile IR, not an unrolled one
}

// Name implements [emit.Function].
func (fv *funcVal) Name() string { return fv.name }

// Directive implements [words.Declared].
func (fv *funcVal) Directive() *decl.Directive { return fv.dir }

// TypeArgs implements [words.Declared].
func (fv *funcVal) TypeArgs() map[string]types.Type { return fv.env.Names() }

// Receiver implements [words.Declared].
func (fv *funcVal) Receiver() (name string, t types.Type, ok bool) {
	if fv.recv == nil {
		return "", nil, false
	}
	for _, id := range fv.recv.List[0].Names {
		return id.Name, fv.w.Subst(fv.pkg.Info.Defs[id].Type(), fv.env), true
	}
	// A receiver without a name still takes an argument.
	return "_", nil, true
}

// Params implements [emit.Function].
func (fv *funcVal) Params() (names []string, ts []types.Type) {
	n := fv.typ.Params.NumFields() + 1 // with room for a receiver
	names = make([]string, 0, n)
	for _, f := range fv.typ.Params.List {
		for _, id := range f.Names {
			names = append(names, id.Name)
		}
		// A parameter without a name still takes an argument.
		if len(f.Names) == 0 {
			names = append(names, "_")
		}
	}
	return names, fv.fieldTypes(fv.typ.Params, make([]types.Type, 0, n))
}

// Results implements [emit.Function].
func (fv *funcVal) Results() []types.Type {
	if fv.typ.Results == nil {
		return nil
	}
	return fv.fieldTypes(fv.typ.Results, make([]types.Type, 0, fv.typ.Results.NumFields()))
}

// fieldTypes appends the types of parameters or results.
func (fv *funcVal) fieldTypes(list *ast.FieldList, ts []types.Type) []types.Type {
	for _, f := range list.List {
		t := fv.fieldType(f)
		for range max(1, len(f.Names)) {
			ts = append(ts, t)
		}
	}
	return ts
}

// fieldType gives the type of a parameter or result. A variadic parameter is a slice.
func (fv *funcVal) fieldType(f *ast.Field) types.Type {
	if e, ok := f.Type.(*ast.Ellipsis); ok {
		return types.NewSlice(fv.w.Subst(fv.pkg.Info.Types[e.Elt].Type, fv.env))
	}
	return fv.w.Subst(fv.pkg.Info.Types[f.Type].Type, fv.env)
}

// Reach implements [emit.Function].
func (fv *funcVal) Reach(visit func(emit.Value), reach func(*emit.Cell)) {
	// A method value holds its receiver, and a literal the variables around it.
	visit(fv.self)
	if fv.frame != nil {
		for _, c := range fv.frame.vars {
			reach(c)
		}
	}
}

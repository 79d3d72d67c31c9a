package eval

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// funcVal is a function with its type arguments, and with its receiver or the variables around it.
type funcVal struct {
	name string
	decl *world.Func // nil for a function literal
	typ  *ast.FuncType
	body *ast.BlockStmt
	recv *ast.FieldList
	self emit.Value
	env  *world.Env
	pkg  *world.Pkg
	up   *frame // the variables around a function literal
	pos  token.Pos
}

// Describe implements [emit.Described].
func (fv *funcVal) Describe() string { return "the function " + fv.name }

// SameForm implements [emit.Former]: a function is static, so it must be the same one.
func (fv *funcVal) SameForm(_ *emit.Emitter, b emit.Value) bool {
	f, ok := b.(*funcVal)
	return ok && fv.body == f.body && fv.up == f.up && fv.env == f.env
}

// names lists the names of the parameters, with the receiver first if there is one. A parameter
// without a name is "_".
func (fv *funcVal) names() (out []string) {
	lists := []*ast.FieldList{fv.typ.Params}
	if fv.recv != nil {
		lists = []*ast.FieldList{fv.recv, fv.typ.Params}
	}
	for _, l := range lists {
		for _, f := range l.List {
			if len(f.Names) == 0 {
				out = append(out, "_")
			}
			for _, id := range f.Names {
				out = append(out, id.Name)
			}
		}
	}
	return out
}

// function makes the value of a function.
func (ev *evaluator) function(f *world.Function) *funcVal {
	if f.Lit != nil {
		up := &frame{vars: map[types.Object]*emit.Cell{}, env: f.Env, pkg: f.Pkg}
		return &funcVal{name: f.Name, env: f.Env, pkg: f.Pkg, typ: f.Lit.Type, body: f.Lit.Body, up: up, pos: f.Lit.Pos()}
	}
	d := f.Decl.Decl
	return &funcVal{name: f.Name, decl: f.Decl, env: f.Env, pkg: f.Pkg, typ: d.Type, body: d.Body, recv: d.Recv, pos: d.Pos()}
}

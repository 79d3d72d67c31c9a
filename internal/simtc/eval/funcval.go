package eval

import (
	"go/ast"
	"go/token"

	"github.com/cutile-go/cutile/internal/front/world"
)

// funcVal is a function with its type arguments, and its receiver or the variables around it.
type funcVal struct {
	name string
	decl *world.Func // nil for a literal
	typ  *ast.FuncType
	body *ast.BlockStmt
	recv *ast.FieldList
	self value
	env  *world.Env
	pkg  *world.Pkg
	up   *frame // of a literal
	pos  token.Pos
}

func (fv *funcVal) describe() string { return "the function " + fv.name }

func (fv *funcVal) sameForm(_ *emitter, b value) bool {
	f, ok := b.(*funcVal)
	return ok && fv.body == f.body && fv.up == f.up && fv.env == f.env
}

// names lists the parameters, with the receiver first where there is one: "_" for those without a name.
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

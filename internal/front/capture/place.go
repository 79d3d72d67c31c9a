package capture

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"

	"github.com/cutile-go/cutile/internal/front/source"
)

// LiteralAt finds the literal that starts at a position in a package's source, for a tool that reads a program and does not
// run it. It refuses what [What.Find] refuses, where that is certain: the Go runtime knows the line of a literal and not its
// column. The code of a literal of several lines may start at its second one, so that it may be alone there.
func (what What) LiteralAt(pkg string, at token.Position) (Ref, error) {
	p, err := source.Load(pkg)
	if err != nil {
		return Ref{}, err
	}
	short := fmt.Sprintf("%s:%d", path.Base(at.Filename), at.Line)
	if p == nil {
		return Ref{}, unregistered("the function literal at "+short, pkg)
	}
	found, ok := literalAt(p, at)
	if !ok {
		return Ref{}, Errorf("no function literal of registered source is at %s: embed every file of the package, and keep the literal out of functions init", short)
	}
	from, to := source.Fset.Position(found.Lit.Pos()), source.Fset.Position(found.Lit.End())
	if to.Line > from.Line {
		return found, nil
	}
	n := 0
	for _, r := range unique(p) {
		if source.Fset.Position(r.Decl.Node.Pos()).Filename == from.Filename {
			starting, _ := literalsOn(r, found.Lit.Type.Params.NumFields(), found.Lit.Type.Results.NumFields(), from.Line)
			n += len(starting)
		}
	}
	if n > 1 {
		return Ref{}, several(n, short)
	}
	return found, nil
}

// literalAt finds the literal at a position in the file: a comment such as //line moves nothing.
func literalAt(p *source.Package, at token.Position) (found Ref, ok bool) {
	for _, r := range unique(p) {
		ast.Inspect(r.Decl.Node, func(n ast.Node) bool {
			if lit, is := n.(*ast.FuncLit); is {
				if pos := source.Fset.PositionFor(lit.Pos(), false); pos.Filename == at.Filename && pos.Line == at.Line && pos.Column == at.Column {
					found, ok = r, true
					found.Lit = lit
				}
			}
			return !ok
		})
	}
	return found, ok
}

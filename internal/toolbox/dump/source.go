package dump

import (
	"fmt"
	"go/ast"
	"go/token"
	"io"
	"slices"

	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/tilec/lower"
)

// source prints the declarations that the kernel reaches, those of the language aside: the kernel's package first.
func (d *dumper) source(w io.Writer) error {
	return d.kernel.Inspect(d.facts, func(in *lower.Input) error {
		pkgs := []*world.Pkg{in.Kernel.Pkg}
		for _, p := range slices.Backward(in.World.Order) {
			if !p.Src.Lang && p != in.Kernel.Pkg {
				pkgs = append(pkgs, p)
			}
		}
		for i, p := range pkgs {
			if i > 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprintf(w, "// package %s, %q\n", p.Types.Name(), p.Types.Path())
			for _, decl := range captured(p) {
				printDecl(w, decl)
			}
		}
		return nil
	})
}

// captured lists the declarations of a package that were checked, in the order of the source.
func captured(p *world.Pkg) (out []*source.Decl) {
	seen := map[ast.Node]bool{}
	add := func(d *source.Decl) {
		if !seen[d.Node] && isDefined(p, d.Node) {
			seen[d.Node] = true
			out = append(out, d)
		}
	}
	for _, d := range p.Src.Decls {
		add(d)
	}
	for _, methods := range p.Src.Methods {
		for _, d := range methods {
			add(d)
		}
	}
	slices.SortFunc(out, func(a, b *source.Decl) int { return int(a.Node.Pos() - b.Node.Pos()) })
	return out
}

// isDefined reports whether the checker saw a declaration.
func isDefined(p *world.Pkg, n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		return p.Info.Defs[n.Name] != nil
	case *ast.TypeSpec:
		return p.Info.Defs[n.Name] != nil
	case *ast.GenDecl:
		for _, s := range n.Specs {
			if v, ok := s.(*ast.ValueSpec); ok && p.Info.Defs[v.Names[0]] != nil {
				return true
			}
		}
	}
	return false
}

// printDecl prints the lines of a declaration with its comment.
func printDecl(w io.Writer, d *source.Decl) {
	from, to := source.Fset.Position(start(d)), source.Fset.Position(d.Node.End())
	fmt.Fprintf(w, "\n// %s:%d\n", from.Filename, from.Line)
	for line := from.Line; line <= to.Line; line++ {
		fmt.Fprintln(w, source.Line(token.Position{Filename: from.Filename, Line: line}))
	}
}

// start is where a declaration's comment starts, or itself.
func start(d *source.Decl) token.Pos {
	var doc *ast.CommentGroup
	switch n := d.Decl.(type) {
	case *ast.FuncDecl:
		doc = n.Doc
	case *ast.GenDecl:
		doc = n.Doc
	}
	if doc != nil {
		return doc.Pos()
	}
	return d.Node.Pos()
}

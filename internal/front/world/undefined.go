package world

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"github.com/cutile-go/cutile/internal/front/source"
)

// undefined says why the checker does not find a name; "" if nothing more is known.
func (p *Pkg) undefined(e *types.Error) string {
	if strings.Contains(e.Msg, " has no field or method ") {
		return p.method(e)
	}
	name, ok := strings.CutPrefix(e.Msg, "undefined: ")
	if !ok {
		return ""
	}
	byName, dot := source.Imports(p.file(e))
	local, of, ok := strings.Cut(name, ".")
	if !ok {
		for _, path := range dot {
			if why := outside(path, name, name); why != "" {
				return why
			}
		}
		return withColon(e.Msg, p.Src.Missing(name))
	}
	path := byName[local]
	if decls := p.lang.Std[path]; decls != "" {
		return p.lang.lacks(path, of)
	}
	if why := outside(path, of, name); why != "" {
		return why
	}
	if src, err := source.Load(path); err == nil && src != nil {
		return withColon(e.Msg, src.Missing(of))
	}
	return ""
}

// file is the file of a mistake; one without imports where it is not known.
func (p *Pkg) file(e *types.Error) *ast.File {
	for _, f := range p.Src.Files {
		if f.FileStart <= e.Pos && e.Pos < f.FileEnd {
			return f
		}
	}
	return &ast.File{}
}

func withColon(msg, why string) string {
	if why == "" {
		return ""
	}
	return msg + ": " + why
}

// outside says that a name of a package of the language is not for compiled code.
func outside(path, name, written string) string {
	if src, err := source.Load(path); err != nil || src == nil || !src.Outside(name) {
		return ""
	}
	return written + " is for the program that calls the function: use it there, and pass the result as an argument"
}

// method is [outside] for a method that the checker does not find.
func (p *Pkg) method(e *types.Error) (why string) {
	ast.Inspect(p.file(e), func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || sel.Sel.Pos() != e.Pos {
			return n != nil && why == ""
		}
		t := types.Unalias(p.Info.Types[sel.X].Type)
		if ptr, ok := t.(*types.Pointer); ok {
			t = types.Unalias(ptr.Elem())
		}
		if named, ok := t.(*types.Named); ok && named.Obj().Pkg() != nil {
			obj := named.Obj()
			why = outside(obj.Pkg().Path(), obj.Name()+"."+sel.Sel.Name, fmt.Sprintf("method %s of %s.%s", sel.Sel.Name, obj.Pkg().Name(), obj.Name()))
		}
		return false
	})
	return why
}

// lacks says that a package of the standard library has a name in Go, but not in compiled code.
func (lang *Language) lacks(path, name string) string {
	var has []string
	for line := range strings.Lines(lang.Std[path]) {
		_, rest, _ := strings.Cut(line, " ")
		has = append(has, rest[:strings.IndexAny(rest, " (")])
	}
	text := fmt.Sprintf("%s.%s cannot be used in %s", source.BaseName(path), name, lang.Code)
	if instead := lang.Instead[path+"."+name]; instead != "" {
		return text + instead
	}
	if n := len(has) - 1; 0 < n && n < 10 {
		text += fmt.Sprintf(": of package %s there are only %s and %s", path, strings.Join(has[:n], ", "), has[n])
	}
	return text
}

// program is the package that the program calls and compiled code cannot.
const program = "github.com/cutile-go/cutile"

// Unregistered says why the names of a package cannot be used. Packages of the standard library cannot be registered.
func (w *World) Unregistered(p *types.Package, name string) string {
	lang := w.sweep.lang
	if of := source.Target(p.Path()); of != p.Path() {
		return fmt.Sprintf("package %s is an alias of %s, which has no registered source", p.Path(), of)
	}
	if p.Path() == program {
		return fmt.Sprintf("package %s is for the program that %s: use it there, and pass the result as an argument", p.Name(), lang.Caller)
	}
	if first, _, _ := strings.Cut(p.Path(), "/"); !strings.Contains(first, ".") {
		instead, ok := lang.Instead[p.Path()+"."+name]
		if !ok {
			instead = lang.Instead[p.Path()]
		}
		if instead == "" {
			instead = ": " + lang.Library
		}
		return fmt.Sprintf("package %s has no registered source%s", p.Path(), instead)
	}
	return fmt.Sprintf("package %s has no registered source: add to it a call of cutile.Module with its embedded files", p.Path())
}

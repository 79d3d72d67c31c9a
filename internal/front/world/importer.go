package world

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"strings"

	"github.com/cutile-go/cutile/internal/front/source"
)

// stdOf is the source of the mentioned part of a package of the standard library.
func stdOf(path, decls string, names map[string]bool) string {
	var b strings.Builder
	b.WriteString("package " + source.BaseName(path) + "\n")
	for line := range strings.Lines(decls) {
		_, rest, _ := strings.Cut(line, " ")
		if end := strings.IndexAny(rest, " ("); names[rest[:end]] {
			b.WriteString(line)
		}
	}
	return b.String()
}

// Import gives the packages of the world, and what the language takes from the standard library. Every other import
// fails, which is an error only where a kernel uses it.
func (w *World) Import(path string) (*types.Package, error) {
	if p := w.Pkgs[path]; p != nil {
		return p.Types, nil
	}
	if p := w.std[path]; p != nil {
		return p, nil
	}
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if of := source.Target(path); of != path {
		return w.alias(path, of)
	}
	if src, err := source.Load(path); err == nil && src != nil { // registered, but nothing of it is reached
		p := types.NewPackage(path, src.Name)
		p.MarkComplete()
		w.std[path] = p
		return p, nil
	}
	decls := w.sweep.lang.Std[path]
	if decls == "" {
		return nil, fmt.Errorf("package %s has no source that can be used in %s", path, w.sweep.lang.Code)
	}
	f, err := parser.ParseFile(source.Fset, path+".go", stdOf(path, decls, w.sweep.std[path]), parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	conf := types.Config{IgnoreFuncBodies: true}
	w.std[path], err = conf.Check(path, source.Fset, []*ast.File{f}, nil)
	return w.std[path], err
}

// alias is a package that has the objects of another one.
func (w *World) alias(path, of string) (*types.Package, error) {
	from, err := w.Import(of)
	if err != nil {
		return nil, fmt.Errorf("package %s, an alias: %w", path, err)
	}
	p := types.NewPackage(path, source.BaseName(path))
	for _, name := range from.Scope().Names() {
		p.Scope().Insert(from.Scope().Lookup(name))
	}
	p.MarkComplete()
	w.std[path] = p
	return p, nil
}

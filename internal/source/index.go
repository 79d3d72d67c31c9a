package source

import (
	"go/ast"
	"go/token"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/directive"
)

// index files the declarations of one file under their names.
func (p *Package) index(f *ast.File) error {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if err := p.function(f, d); err != nil {
				return err
			}
		case *ast.GenDecl:
			p.group(f, d)
		}
	}
	return nil
}

func (p *Package) decl(f *ast.File, name string, node ast.Node, decl ast.Decl) *Decl {
	d := &Decl{Name: name, Pkg: p, File: f, Node: node, Decl: decl}
	d.uses = sync.OnceValue(func() *Uses { return usesOf(f, node) })
	return d
}

func (p *Package) function(f *ast.File, fn *ast.FuncDecl) error {
	name := fn.Name.Name
	d := p.decl(f, name, fn, fn)
	if fn.Recv != nil && len(fn.Recv.List) == 1 {
		recv := TypeName(fn.Recv.List[0].Type)
		if p.Methods[recv] == nil {
			p.Methods[recv] = map[string]*Decl{}
		}
		p.Methods[recv][name] = d
		return nil
	}
	if name == "init" || name == "_" {
		return nil
	}
	p.Decls[name] = d
	if !directive.Has(fn.Doc, directive.Operator) && !directive.Has(fn.Doc, directive.Param) {
		return nil
	}
	ds, err := d.Directives()
	for _, dir := range ds {
		switch dir.Word {
		case directive.Operator:
			p.Operators[strings.Join(dir.Words, " ")] = name
		case directive.Param:
			if r := fn.Type.Results; r != nil && len(r.List) == 1 {
				p.Params[TypeName(r.List[0].Type)] = d
			}
		}
	}
	return err
}

func (p *Package) group(f *ast.File, g *ast.GenDecl) {
	if g.Tok == token.IMPORT {
		return
	}
	var whole *Decl
	for _, spec := range g.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			doc := s.Doc
			if doc == nil && !g.Lparen.IsValid() {
				doc = g.Doc
			}
			one := &ast.GenDecl{Doc: doc, Tok: g.Tok, TokPos: s.Pos(), Specs: []ast.Spec{s}}
			p.Decls[s.Name.Name] = p.decl(f, s.Name.Name, s, one)
			p.typeDirective(s.Name.Name, doc)
		case *ast.ValueSpec: // groups with iota stay whole
			for _, n := range s.Names {
				if whole == nil {
					whole = p.decl(f, n.Name, g, g)
				}
				p.Decls[n.Name] = whole
			}
		}
	}
}

// typeDirective notes what must be known of a type before anything is checked.
func (p *Package) typeDirective(name string, doc *ast.CommentGroup) {
	if doc == nil {
		return
	}
	for _, c := range doc.List {
		text, ok := strings.CutPrefix(c.Text, directive.Prefix+"type ")
		if !ok {
			continue
		}
		if strings.HasPrefix(text, "extent(") {
			p.Extents = append(p.Extents, name)
		}
		if _, zero, ok := strings.Cut(text, " zero("); ok {
			p.Zeros[name] = strings.TrimSuffix(zero, ")")
		}
	}
}

// TypeName is the name of a type without pointers, packages and type arguments.
func TypeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return TypeName(e.X)
	case *ast.ParenExpr:
		return TypeName(e.X)
	case *ast.IndexExpr:
		return TypeName(e.X)
	case *ast.IndexListExpr:
		return TypeName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// Imports gives the import paths of a file by the names that it uses for them; "." collects the dot imports.
func Imports(f *ast.File) (byName map[string]string, dot []string) {
	byName = map[string]string{}
	for _, s := range f.Imports {
		p := strings.Trim(s.Path.Value, "\"`")
		switch {
		case s.Name == nil:
			byName[BaseName(p)] = p
		case s.Name.Name == ".":
			dot = append(dot, p)
		default:
			byName[s.Name.Name] = p
		}
	}
	return byName, dot
}

// BaseName guesses a package's name from its path: the last element, or the one before a major version. A registered
// package says its own name.
func BaseName(importPath string) string {
	if p, err := Load(importPath); err == nil && p != nil && p.Path == importPath { // an alias may have a name of its own
		return p.Name
	}
	elems := strings.Split(importPath, "/")
	last := elems[len(elems)-1]
	if len(elems) > 1 && len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
		last = elems[len(elems)-2]
	}
	if i := strings.Index(last, ".v"); i > 0 {
		last = last[:i]
	}
	return strings.TrimPrefix(last, "go-")
}

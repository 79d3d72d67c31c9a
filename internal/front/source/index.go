package source

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/cutile-go/cutile/internal/front/directive"
)

// index files the declarations of a text that was parsed whole under their names.
func (p *Package) index(t *text) {
	p.Name = t.file.Name.Name
	p.Files = append(p.Files, t.file)
	for _, d := range t.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			p.function(t, d)
		case *ast.GenDecl:
			p.group(t, d)
		}
	}
}

func (p *Package) decl(t *text, name string, node ast.Node, decl ast.Decl) *Decl {
	at := Fset.Position(node.Pos()) // by line and column, as the syntax may be that of a fragment
	return &Decl{Name: name, Pkg: p, File: t.header(), Node: node, Decl: decl, text: t, from: int32(at.Column), line: int32(at.Line)}
}

func (p *Package) function(t *text, fn *ast.FuncDecl) {
	name := fn.Name.Name
	d := p.decl(t, name, fn, fn)
	if fn.Recv != nil && len(fn.Recv.List) == 1 {
		p.method(TypeName(fn.Recv.List[0].Type), d)
		return
	}
	if name == "init" || name == "_" {
		return
	}
	p.Decls[name] = d
	p.announce(d, fn.Doc)
}

func (p *Package) method(recv string, d *Decl) {
	if p.Methods[recv] == nil {
		p.Methods[recv] = map[string]*Decl{}
	}
	p.Methods[recv][d.Name] = d
}

func (p *Package) group(t *text, g *ast.GenDecl) {
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
			d := p.decl(t, s.Name.Name, s, one)
			p.Decls[s.Name.Name] = d
			p.announce(d, doc)
		case *ast.ValueSpec: // groups with iota stay whole
			for _, n := range s.Names {
				if whole == nil {
					whole = p.decl(t, n.Name, g, g)
				}
				p.Decls[n.Name] = whole
			}
		}
	}
}

// announce notes what must be known of a declaration before it is reached.
func (p *Package) announce(d *Decl, doc *ast.CommentGroup) {
	if doc == nil {
		return
	}
	for _, c := range doc.List {
		if text, ok := strings.CutPrefix(c.Text, directive.Prefix); ok {
			p.announceOne(d, text, func() *ast.FieldList { return d.Func().Type.Results })
		}
	}
}

// announceOne takes the text after a directive's prefix; results are those of the function that it belongs to.
func (p *Package) announceOne(d *Decl, line string, results func() *ast.FieldList) {
	word, text, _ := strings.Cut(line, " ")
	switch directive.Word(word) {
	case directive.Operator:
		p.Operators[strings.Join(strings.Fields(text), " ")] = d.Name
	case directive.Param:
		if r := results(); r != nil && len(r.List) == 1 {
			p.Params[TypeName(r.List[0].Type)] = d
		}
	case directive.Type:
		p.Types[d.Name] = text
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

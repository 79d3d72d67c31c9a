package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"sort"
	"strings"

	"github.com/cutile-go/cutile/internal/diag"
	"github.com/cutile-go/cutile/internal/source"
)

// sweep finds the declarations that a kernel reaches, by name. It works without types and may keep too much; what is
// kept needlessly costs time, never correctness.
type sweep struct {
	pkgs    map[string]*source.Package
	kept    map[*source.Package]map[*source.Decl]bool
	types   map[*source.Package]map[string]bool // kept types, whose methods may be wanted
	methods map[string]bool                     // names after a dot
	tokens  map[string]bool
	work    []*source.Decl
	err     error
}

func newSweep() *sweep {
	return &sweep{
		pkgs: map[string]*source.Package{}, kept: map[*source.Package]map[*source.Decl]bool{},
		types: map[*source.Package]map[string]bool{}, methods: map[string]bool{},
		tokens: map[string]bool{"convert": true, "const": true},
	}
}

func (s *sweep) run(roots []Root) error {
	for _, path := range []string{DtypePath, OpPath, TilePath} {
		if p := s.pkg(path); p != nil {
			for _, name := range p.Extents {
				s.name(p, name)
			}
		}
	}
	for _, path := range []string{OpPath, TilePath} {
		s.operators(s.pkgs[path])
	}
	s.name(s.pkgs[OpPath], "MaskOf") // the lowering asks for it
	for _, r := range roots {
		p := s.pkg(r.Path)
		if s.err != nil {
			return s.err
		}
		if p == nil {
			return unregistered(r.Path)
		}
		if p.Decls[r.Name] == nil {
			return &diag.Error{Stage: diag.Capture, Msg: fmt.Sprintf(
				"%s is not declared at package level in the registered source of package %s: embed every file of the package", r.Name, r.Path)}
		}
		s.name(p, r.Name)
	}
	for len(s.work) > 0 && s.err == nil {
		d := s.work[len(s.work)-1]
		s.work = s.work[:len(s.work)-1]
		s.follow(d)
	}
	return s.err
}

func unregistered(path string) error {
	return &diag.Error{Stage: diag.Capture, Msg: fmt.Sprintf(
		"package %s has no registered source: add to it\n\t//go:embed *.go\n\tvar source embed.FS\n\tvar _ = cutile.Module(source)", path)}
}

// pkg gives a package that is registered, with its source: nil where it is not.
func (s *sweep) pkg(path string) *source.Package {
	path = source.Target(path)
	if p, ok := s.pkgs[path]; ok {
		return p
	}
	p, err := source.Load(path)
	if err != nil {
		s.err = err
	}
	s.pkgs[path] = p
	if p != nil {
		s.kept[p] = map[*source.Decl]bool{}
		s.types[p] = map[string]bool{}
	}
	return p
}

// name keeps a declaration of a package.
func (s *sweep) name(p *source.Package, name string) {
	d := p.Decls[name]
	if d == nil || s.kept[p][d] {
		return
	}
	s.keep(p, d)
	if _, ok := d.Node.(*ast.TypeSpec); !ok {
		return
	}
	s.types[p][name] = true
	if f := p.Zeros[name]; f != "" {
		s.name(p, f)
	}
	if f := p.Params[name]; f != nil {
		s.keep(p, f)
	}
	for m, d := range p.Methods[name] {
		if s.methods[m] {
			s.keep(p, d)
		}
	}
}

func (s *sweep) keep(p *source.Package, d *source.Decl) {
	if !s.kept[p][d] {
		d.Parse()
		s.kept[p][d] = true
		s.work = append(s.work, d)
	}
}

// follow keeps what a declaration mentions.
func (s *sweep) follow(d *source.Decl) {
	u := d.Uses()
	for n := range u.Names {
		s.name(d.Pkg, n)
		for _, path := range u.Dot {
			if p := s.pkg(path); p != nil {
				s.name(p, n)
			}
		}
		if n == "min" || n == "max" {
			s.token(n)
		}
	}
	for path, names := range u.Imported {
		if p := s.pkg(path); p != nil {
			for n := range names {
				s.name(p, n)
			}
		}
	}
	for m := range u.Selected {
		s.method(m)
	}
	for t := range u.Tokens {
		s.token(t)
	}
}

// method keeps the methods of this name of every type that is kept.
func (s *sweep) method(m string) {
	if s.methods[m] {
		return
	}
	s.methods[m] = true
	for p, names := range s.types {
		for t := range names {
			if d := p.Methods[t][m]; d != nil {
				s.keep(p, d)
			}
		}
	}
}

// token keeps the functions that are declared for an operator.
func (s *sweep) token(t string) {
	if s.tokens[t] {
		return
	}
	s.tokens[t] = true
	for _, path := range []string{OpPath, TilePath} {
		s.operators(s.pkgs[path])
	}
}

func (s *sweep) operators(p *source.Package) {
	for op, name := range p.Operators {
		if word, _, _ := strings.Cut(op, " "); s.tokens[word] {
			s.name(p, name)
		}
	}
}

// order sorts the packages so that imported ones come first.
func (s *sweep) order() (out []*source.Package) {
	var paths []string
	for path, p := range s.pkgs {
		if p != nil && len(s.kept[p]) > 0 {
			paths = append(paths, path)
		}
	}
	sort.Strings(paths)
	seen := map[string]bool{}
	var visit func(path string)
	visit = func(path string) {
		path = source.Target(path)
		if seen[path] {
			return
		}
		seen[path] = true
		p := s.pkgs[path]
		if p == nil || len(s.kept[p]) == 0 {
			return
		}
		for _, f := range p.Files {
			for _, imp := range f.Imports {
				visit(strings.Trim(imp.Path.Value, "\"`"))
			}
		}
		out = append(out, p)
	}
	for _, path := range paths {
		visit(path)
	}
	return out
}

// pruned makes files that hold only the kept declarations.
func pruned(keep map[*source.Decl]bool) []*ast.File {
	byFile := map[*ast.File][]ast.Decl{}
	for d := range keep {
		byFile[d.File] = append(byFile[d.File], d.Decl)
	}
	files := make([]*ast.File, 0, len(byFile))
	for f := range byFile {
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b *ast.File) int { return int(a.Package - b.Package) })
	for i, f := range files {
		decls := byFile[f]
		slices.SortFunc(decls, func(a, b ast.Decl) int { return int(a.Pos() - b.Pos()) })
		nf := &ast.File{Package: f.Package, Name: f.Name, Imports: f.Imports, FileStart: f.FileStart, FileEnd: f.FileEnd}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
				nf.Decls = append(nf.Decls, g)
			}
		}
		nf.Decls = append(nf.Decls, decls...)
		files[i] = nf
	}
	return files
}

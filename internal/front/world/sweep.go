package world

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"sort"
	"strings"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/source"
)

// sweep finds the declarations that a kernel reaches, by name. It works without types and may keep too much; what is
// kept needlessly costs time, never correctness.
type sweep struct {
	lang    *Language
	pkgs    map[string]*source.Package
	kept    map[*source.Decl]bool
	fresh   map[*source.Package][]*source.Decl  // kept, but not among parts yet
	types   map[*source.Package]map[string]bool // kept types, whose methods may be wanted
	methods map[string]bool                     // names after a dot
	std     map[string]map[string]bool          // names of packages of the standard library
	names   bool                                // follow plain names alone, as no type may get further methods
	work    []*source.Decl
	err     error
}

func newSweep(lang *Language) *sweep {
	return &sweep{
		lang: lang, pkgs: map[string]*source.Package{}, kept: map[*source.Decl]bool{}, fresh: map[*source.Package][]*source.Decl{},
		types: map[*source.Package]map[string]bool{}, methods: map[string]bool{}, std: map[string]map[string]bool{},
	}
}

func (s *sweep) run(roots []Symbol) error {
	for _, m := range s.lang.Methods {
		s.methods[m] = true
	}
	for _, path := range s.lang.Packages {
		p := s.pkg(path)
		if p == nil {
			continue
		}
		for name := range p.Types {
			if always, _ := s.lang.ofType(p, name); always {
				s.name(p, name)
			}
		}
		for _, op := range s.lang.Always {
			s.name(p, p.Operators[op])
		}
	}
	for _, r := range s.lang.Keep {
		s.imported(r.Path, r.Name)
	}
	for _, r := range roots {
		if s.lang.Std[r.Path] != "" { // a type of the standard library that the language stands in for
			s.imported(r.Path, r.Name)
			continue
		}
		p := s.pkg(r.Path)
		if s.err != nil {
			return s.err
		}
		if p == nil {
			return unregistered(r.Path)
		}
		if recv, m, ok := strings.Cut(r.Name, "."); ok && p.Methods[recv][m] != nil {
			s.name(p, recv)
			s.keep(p, p.Methods[recv][m])
			continue
		}
		if p.Decls[r.Name] == nil {
			return &diag.Error{Stage: diag.Capture, Msg: fmt.Sprintf(
				"%s is not declared at package level in the registered source of package %s: embed every file of the package", r.Name, r.Path)}
		}
		s.name(p, r.Name)
	}
	return s.drain()
}

// drain keeps what the kept declarations mention.
func (s *sweep) drain() error {
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

// pkg gives a package that is registered, with its source: nil if it is not.
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
		s.types[p] = map[string]bool{}
	}
	return p
}

// name keeps a declaration of a package.
func (s *sweep) name(p *source.Package, name string) {
	d := p.Decls[name]
	if d == nil || s.kept[d] {
		return
	}
	s.keep(p, d)
	if _, ok := d.Node.(*ast.TypeSpec); !ok {
		return
	}
	s.types[p][name] = true
	if _, f := s.lang.ofType(p, name); f != "" {
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
	if !s.kept[d] {
		d.Parse()
		s.kept[d] = true
		s.fresh[p] = append(s.fresh[p], d)
		s.work = append(s.work, d)
	}
}

// follow keeps what a declaration mentions.
func (s *sweep) follow(d *source.Decl) {
	u := d.Uses()
	for n := range u.Names {
		s.name(d.Pkg, n)
		for _, path := range u.Dot {
			s.imported(path, n)
		}
	}
	for path, names := range u.Imported {
		for n := range names {
			s.imported(path, n)
		}
	}
	if s.names {
		return
	}
	for m := range u.Selected {
		s.method(m)
	}
}

// imported keeps a declaration of a package that is imported.
func (s *sweep) imported(path, name string) {
	if s.lang.Std[path] != "" {
		if s.std[path] == nil {
			s.std[path] = map[string]bool{}
		}
		s.std[path][name] = true
		return
	}
	if p := s.pkg(path); p != nil {
		s.name(p, name)
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

// part is what is kept of a package, in the order of its files.
type part struct {
	src   *source.Package
	decls []*source.Decl
}

// parts gives what was kept since the last time, imported packages first.
func (s *sweep) parts() (out []*part) {
	var paths []string
	for p := range s.fresh {
		paths = append(paths, p.Path)
	}
	sort.Strings(paths)
	var visit func(path string)
	visit = func(path string) {
		p := s.pkgs[source.Target(path)]
		decls := s.fresh[p]
		if len(decls) == 0 {
			return
		}
		delete(s.fresh, p)
		slices.SortFunc(decls, source.Compare)
		for _, d := range decls {
			for path := range d.Uses().Imported {
				visit(path)
			}
			for _, path := range d.Uses().Dot {
				visit(path)
			}
		}
		out = append(out, &part{src: p, decls: decls})
	}
	for _, path := range paths {
		visit(path)
	}
	return out
}

// files makes files that hold only the kept declarations, and the imports that these mention.
func (p *part) files() (files []*ast.File) {
	for i := 0; i < len(p.decls); {
		f := p.decls[i].File
		nf := &ast.File{Package: f.Package, Name: f.Name, FileStart: f.FileStart, FileEnd: f.FileEnd}
		mentioned := map[string]bool{}
		var decls []ast.Decl
		for ; i < len(p.decls) && p.decls[i].File == f; i++ {
			u := p.decls[i].Uses()
			for path := range u.Imported {
				mentioned[path] = true
			}
			for _, path := range u.Dot {
				mentioned[path] = true
			}
			decls = append(decls, p.decls[i].Decl)
		}
		for _, spec := range f.Imports {
			if mentioned[strings.Trim(spec.Path.Value, "\"`")] {
				nf.Imports = append(nf.Imports, spec)
				nf.Decls = append(nf.Decls, &ast.GenDecl{TokPos: spec.Pos(), Tok: token.IMPORT, Specs: []ast.Spec{spec}})
			}
		}
		nf.Decls = append(nf.Decls, decls...)
		files = append(files, nf)
	}
	return files
}

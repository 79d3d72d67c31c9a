// Package source parses the Go source that is registered in langsrc and indexes its declarations by name. A package is
// read once, when a kernel first reaches it.
package source

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/diag"
	"github.com/cutile-go/cutile/internal/directive"
	"github.com/cutile-go/cutile/internal/langsrc"
)

// Fset places the syntax of every package.
var Fset = token.NewFileSet()

// Package is the parsed source of a package.
type Package struct {
	Path      string
	Name      string
	Lang      bool
	Files     []*ast.File
	Decls     map[string]*Decl            // functions, types, constants and variables
	Methods   map[string]map[string]*Decl // by receiver type, by name
	Operators map[string]string           // operator, such as "+ float", to function
	Params    map[string]*Decl            // by the type that a //cutile:param function makes
	Extents   []string                    // types that stand for an extent
	Zeros     map[string]string           // by type, the function that makes its zero value
	text      map[string][]byte
}

// Decl is one declaration.
type Decl struct {
	Name string
	Pkg  *Package
	File *ast.File
	Node ast.Node // a function, a type's spec, or a whole group of constants or variables
	Decl ast.Decl // the same as a declaration of its own
	uses func() *Uses

	parse func() // of a declaration that is parsed when it is reached
	once  sync.Once
	recv  string // of such a method: the type
}

// Func is the declaration as a function, nil where it is none.
func (d *Decl) Func() *ast.FuncDecl {
	d.Parse()
	f, _ := d.Node.(*ast.FuncDecl)
	return f
}

// Uses are the names that a declaration mentions.
func (d *Decl) Uses() *Uses { return d.uses() }

var packages struct {
	sync.Mutex
	byPath map[string]*entry
	loaded []*Package
}

type entry struct {
	once sync.Once
	pkg  *Package
	err  error
}

// Target is the path of the package whose source stands for an import path: another one for an alias.
func Target(importPath string) string { return langsrc.Target(importPath) }

// Load gives a registered package, that behind an alias: nil where the path is not registered.
func Load(importPath string) (*Package, error) {
	importPath = Target(importPath)
	src := langsrc.Lookup(importPath)
	if src == nil {
		return nil, nil
	}
	packages.Lock()
	if packages.byPath == nil {
		packages.byPath = map[string]*entry{}
	}
	key := fmt.Sprintf("%s %d", importPath, len(src.FS)) // a later registration adds files
	e := packages.byPath[key]
	if e == nil {
		e = &entry{}
		packages.byPath[key] = e
	}
	packages.Unlock()
	e.once.Do(func() {
		e.pkg, e.err = load(src)
		if e.err == nil {
			packages.Lock()
			packages.loaded = append(packages.loaded, e.pkg)
			packages.Unlock()
		}
	})
	return e.pkg, e.err
}

func load(src *langsrc.Source) (*Package, error) {
	p := &Package{
		Path: src.Path, Lang: src.Lang, Decls: map[string]*Decl{}, Methods: map[string]map[string]*Decl{},
		Operators: map[string]string{}, Params: map[string]*Decl{}, Zeros: map[string]string{}, text: map[string][]byte{},
	}
	for _, fsys := range src.FS {
		if err := p.read(src, fsys); err != nil {
			return nil, err
		}
	}
	if len(p.Files) == 0 {
		return nil, &diag.Error{Stage: diag.Capture, Msg: fmt.Sprintf(
			"package %s registered a file system without its Go files: embed them with //go:embed *.go", src.Path)}
	}
	for _, f := range p.Files {
		if err := p.index(f); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// read parses the files that belong to this build, several at once.
func (p *Package) read(src *langsrc.Source, fsys fs.FS) error {
	names, err := goFiles(src, fsys)
	if err != nil {
		return &diag.Error{Stage: diag.Capture, Msg: fmt.Sprintf("package %s: %v", src.Path, err)}
	}
	files := make([]*ast.File, len(names))
	errs := make([]error, len(names))
	late := make([][]*Decl, len(names)) // parsed when they are reached
	var wg sync.WaitGroup
	for i, name := range names {
		full := path.Join(src.Dir, name)
		if _, ok := p.text[full]; ok {
			continue
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return &diag.Error{Stage: diag.Capture, Msg: fmt.Sprintf("package %s: %v", src.Path, err)}
		}
		p.text[full] = text
		if src.Lang && isLazy(text) {
			wg.Go(func() { late[i] = cut(p, full, text) })
			continue
		}
		wg.Go(func() {
			files[i], errs[i] = parser.ParseFile(Fset, full, text, parser.SkipObjectResolution|parser.ParseComments)
			if src.Lang && errs[i] == nil {
				languageFiles.Store(Fset.File(files[i].FileStart), true)
			}
		})
	}
	wg.Wait()
	for _, ds := range late {
		for _, d := range ds {
			p.file(d)
		}
	}
	external := strings.HasSuffix(src.Path, "_test")
	for i, f := range files {
		if errs[i] != nil {
			return &diag.Error{Stage: diag.Capture, Msg: errs[i].Error()}
		}
		if f == nil || strings.HasSuffix(f.Name.Name, "_test") != external {
			continue
		}
		p.Name = f.Name.Name
		p.Files = append(p.Files, f)
	}
	return nil
}

// goFiles lists the Go files that the build of this program took.
func goFiles(src *langsrc.Source, fsys fs.FS) ([]string, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	ctx := build.Default
	ctx.OpenFile = func(name string) (io.ReadCloser, error) { return fsys.Open(path.Base(name)) }
	ctx.JoinPath = path.Join
	var names []string
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		if !src.Lang {
			if ok, err := ctx.MatchFile("", e.Name()); err != nil || !ok {
				continue
			}
		}
		names = append(names, e.Name())
	}
	return names, nil
}

// Line gives a line of source for a message: "" where it is not at hand.
func Line(pos token.Position) string {
	packages.Lock()
	defer packages.Unlock()
	for _, p := range packages.loaded {
		if text, ok := p.text[pos.Filename]; ok {
			lines := strings.Split(string(text), "\n")
			if pos.Line >= 1 && pos.Line <= len(lines) {
				return lines[pos.Line-1]
			}
		}
	}
	return ""
}

// Directives gives a declaration's directives.
func (d *Decl) Directives() ([]*directive.Directive, error) {
	ds, err := directive.Of(Fset, d.doc())
	return ds, err
}

func (d *Decl) doc() *ast.CommentGroup {
	switch n := d.Node.(type) {
	case *ast.FuncDecl:
		return n.Doc
	case *ast.TypeSpec:
		if n.Doc != nil {
			return n.Doc
		}
		return d.Decl.(*ast.GenDecl).Doc
	case *ast.GenDecl:
		return n.Doc
	}
	return nil
}

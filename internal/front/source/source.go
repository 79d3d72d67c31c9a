// Package source parses the Go source that is registered in langsrc and indexes its declarations by name. A package is
// read once, when a kernel first reaches it.
package source

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/directive"
	"github.com/cutile-go/cutile/internal/langsrc"
)

// Fset places the syntax of every package.
var Fset = token.NewFileSet()

// Package is the source of a package.
type Package struct {
	Path      string
	Name      string
	Lang      bool
	Files     []*ast.File                 // those that are parsed whole
	Decls     map[string]*Decl            // functions, types, constants and variables
	Methods   map[string]map[string]*Decl // by receiver type, by name
	Operators map[string]string           // operator, such as "+ float", to function
	Params    map[string]*Decl            // by the type that a //cutile:param function makes
	Types     map[string]string           // by type, what its //cutile:type directive says
	texts     []*text
}

// Decl is one declaration. Those of the language have their syntax after [Decl.Parse].
type Decl struct {
	Name string
	Pkg  *Package
	File *ast.File // the package clause and the imports, perhaps nothing else
	Node ast.Node  // a function, a type's spec, or a whole group of constants or variables
	Decl ast.Decl  // the same as a declaration of its own

	text     *text
	from, to int32 // where it is in the text; to only where it is parsed when it is reached
	line     int32
	once     sync.Once
	known    *known
}

// known is what was found out about a declaration.
type known struct {
	uses       *Uses
	once       sync.Once
	directives []*directive.Directive
}

// Func is the declaration as a function, nil if it is none.
func (d *Decl) Func() *ast.FuncDecl {
	d.Parse()
	f, _ := d.Node.(*ast.FuncDecl)
	return f
}

// Parse makes the declaration's syntax ready. It is called before anything else is asked of the declaration.
func (d *Decl) Parse() {
	if d.to > 0 {
		d.ready()
	}
}

func (d *Decl) ready() *known {
	d.once.Do(func() {
		if d.to > 0 {
			d.parse()
		}
		d.known = &known{uses: usesOf(d.text, d.Node)}
	})
	return d.known
}

// Uses are the names that a declaration mentions.
func (d *Decl) Uses() *Uses { return d.ready().uses }

// Directives gives a declaration's directives.
func (d *Decl) Directives() []*directive.Directive {
	k := d.ready()
	k.once.Do(func() { k.directives = directive.Of(Fset, d.doc()) })
	return k.directives
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

// Compare orders the declarations of a package as its files have them.
func Compare(a, b *Decl) int {
	return cmp.Or(cmp.Compare(a.text.order, b.text.order), cmp.Compare(a.line, b.line), cmp.Compare(a.from, b.from))
}

var packages struct {
	sync.Mutex
	byKey  map[packageKey]*entry
	loaded []*Package
}

// packageKey tells apart what one package was before and after files were added to it.
type packageKey struct {
	path    string
	systems int
}

type entry struct {
	once sync.Once
	pkg  *Package
	err  error
}

// Target is the path of the package whose source stands for an import path: another one for an alias.
func Target(importPath string) string { return langsrc.Target(importPath) }

// Load gives a registered package, that behind an alias: nil if the path is not registered.
func Load(importPath string) (*Package, error) {
	src := langsrc.Lookup(Target(importPath))
	if src == nil {
		return nil, nil
	}
	key := packageKey{src.Path, len(src.FS)}
	packages.Lock()
	if packages.byKey == nil {
		packages.byKey = map[packageKey]*entry{}
	}
	e := packages.byKey[key]
	if e == nil {
		e = &entry{}
		packages.byKey[key] = e
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
		Operators: map[string]string{}, Params: map[string]*Decl{}, Types: map[string]string{},
	}
	for _, fsys := range src.FS {
		if err := p.read(src, fsys); err != nil {
			return nil, err
		}
	}
	if p.Name == "" {
		return nil, &diag.Error{Stage: diag.Capture, Msg: fmt.Sprintf(
			"package %s registered a file system without its Go files: embed them with //go:embed *.go", src.Path)}
	}
	return p, nil
}

// Line gives a line of source for a message: "" where it is not at hand.
func Line(pos token.Position) string {
	packages.Lock()
	defer packages.Unlock()
	for _, p := range packages.loaded {
		for _, t := range p.texts {
			if t.name != pos.Filename {
				continue
			}
			lines := strings.Split(t.whole(), "\n")
			if pos.Line >= 1 && pos.Line <= len(lines) {
				return lines[pos.Line-1]
			}
		}
	}
	return ""
}

package vet

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing/fstest"

	"github.com/cutile-go/cutile/internal/langsrc"
)

// registered is the fact that a package registers its source, or that it stands for another one.
type registered struct {
	Of    string // the path of the other package: an alias has no files
	Dir   string // of the files
	Files []file // in the order of the package, as drivers want facts that are the same each time
}

type file struct{ Name, Text string }

func (*registered) AFact() {}

func (r *registered) String() string {
	if r.Of != "" {
		return "is an alias of " + r.Of
	}
	return fmt.Sprintf("registers %d files", len(r.Files))
}

// register makes the source known to the kernel compiler.
func (r *registered) register(path string) {
	if langsrc.Lookup(path) != nil {
		return
	}
	if r.Of != "" {
		langsrc.Alias(path, r.Of)
		return
	}
	files := fstest.MapFS{}
	for _, f := range r.Files {
		files[f.Name] = &fstest.MapFile{Data: []byte(f.Text)}
	}
	langsrc.Register(&langsrc.Source{Path: path, Dir: r.Dir, FS: []fs.FS{files}})
}

// registration finds what the package passes to cutile.Module, else to cutile.Alias: nil if there is no such call.
func (c *checker) registration() (*registered, error) {
	var patterns []string
	var alias *registered
	calls := false
	c.inspect(func(n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return
		}
		fn := c.callee(call)
		if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != rootPath {
			return
		}
		if of := c.pass.TypesInfo.Types[call.Args[0]].Value; fn.Name() == "Alias" && of != nil {
			alias = &registered{Of: constant.StringVal(of)}
		}
		if fn.Name() != "Module" {
			return
		}
		calls = true
		if id, ok := ast.Unparen(call.Args[0]).(*ast.Ident); ok {
			patterns = append(patterns, c.embedded(c.pass.TypesInfo.Uses[id])...)
		}
	})
	if !calls {
		return alias, nil
	}
	r := &registered{}
	for _, f := range c.pass.Files {
		full := c.pass.Fset.File(f.Package).Name()
		name := filepath.Base(full)
		if !strings.HasSuffix(name, ".go") || !matches(patterns, name) {
			continue
		}
		text, err := c.pass.ReadFile(full)
		if err != nil {
			return nil, err
		}
		r.Dir = filepath.ToSlash(filepath.Dir(full))
		r.Files = append(r.Files, file{name, string(text)})
	}
	return r, nil
}

// embedded gives the patterns of the //go:embed comment above a variable.
func (c *checker) embedded(v types.Object) (patterns []string) {
	if v == nil {
		return nil
	}
	for _, f := range c.pass.Files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				spec := s.(*ast.ValueSpec)
				for _, id := range spec.Names {
					if c.pass.TypesInfo.Defs[id] == v {
						patterns = append(patterns, embedPatterns(g.Doc)...)
						patterns = append(patterns, embedPatterns(spec.Doc)...)
					}
				}
			}
		}
	}
	return patterns
}

func embedPatterns(doc *ast.CommentGroup) (out []string) {
	if doc == nil {
		return nil
	}
	for _, line := range doc.List {
		list, ok := strings.CutPrefix(line.Text, "//go:embed ")
		if !ok {
			continue
		}
		for _, p := range strings.Fields(list) {
			if unquoted, err := strconv.Unquote(p); err == nil {
				p = unquoted
			}
			out = append(out, p)
		}
	}
	return out
}

// matches reports whether go:embed takes a file of the package's folder. A pattern of ours that cannot be read takes all.
func matches(patterns []string, name string) bool {
	for _, p := range patterns {
		p = strings.TrimPrefix(strings.TrimPrefix(p, "all:"), "./")
		if ok, err := path.Match(p, name); ok || err != nil || p == "." {
			return true
		}
	}
	return len(patterns) == 0
}

package source

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/langsrc"
)

// Missing says why a name of the package is not in its registered source: the file that declares it, if the package's
// folder is on this machine and has one that was not embedded, else the files that were.
func (p *Package) Missing(name string) string {
	var embedded []string
	for _, t := range p.texts {
		embedded = append(embedded, path.Base(t.name))
	}
	src := langsrc.Lookup(p.Path)
	if src == nil || src.Lang { // the language embeds all that it has
		return ""
	}
	files, _ := filepath.Glob(filepath.Join(filepath.FromSlash(src.Dir), "*.go"))
	for _, file := range files {
		if base := filepath.Base(file); !slices.Contains(embedded, base) && declares(file, name) {
			return fmt.Sprintf("it is declared in %s, which package %s does not embed: add the file to its go:embed line", base, p.Path)
		}
	}
	slices.Sort(embedded)
	return fmt.Sprintf("package %s embeds only %s", p.Path, strings.Join(slices.Compact(embedded), ", "))
}

// Outside reports whether a name of a package of the language is only for the program that calls compiled code.
func (p *Package) Outside(name string) bool {
	src := langsrc.Lookup(p.Path)
	return src != nil && slices.Contains(src.Outside, name)
}

// declares reports whether a file declares a name at package level.
func declares(file, name string) bool {
	text, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == name {
				return true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if slices.ContainsFunc(specNames(s), func(id *ast.Ident) bool { return id.Name == name }) {
					return true
				}
			}
		}
	}
	return false
}

func specNames(s ast.Spec) []*ast.Ident {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return []*ast.Ident{s.Name}
	case *ast.ValueSpec:
		return s.Names
	}
	return nil
}

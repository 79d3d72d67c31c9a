package graphdump

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// function is a function that builds a graph.
type function struct {
	dir     string // of its package
	path    string // the import path
	pkg     string // the package's name
	name    string // with type arguments
	results []result
}

// result is what a function may return.
type result uint8

const (
	oneValue result = iota
	someValues
	anError
)

// wanted describes the functions that can be shown.
const wanted = "func(g *graph.Graph) whose results are *graph.Value or []*graph.Value, and perhaps an error last"

// find finds a function of the package in a folder and checks its type.
func find(ctx context.Context, folder, name string) (*function, error) {
	base, err := baseName(name)
	if err != nil {
		return nil, err
	}
	p, err := load(ctx, folder)
	if err != nil {
		return nil, err
	}
	obj := p.Types.Scope().Lookup(base)
	if obj == nil {
		return nil, missing(p, base)
	}
	at := place(p, obj.Pos())
	tv, err := types.Eval(p.Fset, p.Types, token.NoPos, name)
	if err != nil {
		text := err.Error()
		var te types.Error
		if errors.As(err, &te) {
			text = te.Msg
		}
		return nil, fmt.Errorf("%s: %s: %s (a type argument is a type of Go itself or of package %s)", at, name, text, p.Name)
	}
	if s, ok := tv.Type.(*types.Signature); ok && s.TypeParams().Len() > 0 {
		return nil, fmt.Errorf("%s: %s takes type arguments: name it with them, such as '%s[float32]'", at, name, name)
	}
	f := &function{dir: filepath.Dir(p.GoFiles[0]), path: p.PkgPath, pkg: p.Name, name: name}
	var ok bool
	if f.results, ok = resultsOf(tv.Type); !ok {
		return nil, fmt.Errorf("%s: %s is %s, expected a %s: write a function of that type that calls it", at, name, typeText(tv.Type), wanted)
	}
	return f, nil
}

// baseName gives the name without type arguments.
func baseName(text string) (string, error) {
	e, err := parser.ParseExpr(text)
	if err == nil {
		switch x := e.(type) {
		case *ast.IndexExpr:
			e = x.X
		case *ast.IndexListExpr:
			e = x.X
		}
		if id, ok := e.(*ast.Ident); ok && id.Name != "_" {
			return id.Name, nil
		}
	}
	return "", toolbox.Usagef("%q is not the name of a function, such as Model or Model[float32]", text)
}

// load type-checks the package in a folder.
func load(ctx context.Context, folder string) (*packages.Package, error) {
	if st, err := os.Stat(folder); err != nil {
		return nil, err
	} else if !st.IsDir() {
		return nil, fmt.Errorf("%s is not a folder: name the folder of a Go package", folder)
	}
	pkgs, err := packages.Load(&packages.Config{
		Context: ctx, Dir: folder,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports,
	}, ".")
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("the package in %s cannot be read: %w", folder, err)
	case len(pkgs) == 0 || len(pkgs[0].Errors) == 0 && len(pkgs[0].GoFiles) == 0:
		return nil, goSays(ctx, folder)
	}
	p := pkgs[0]
	if len(p.Errors) == 0 {
		return p, nil
	}
	if len(p.GoFiles) == 0 {
		return nil, fmt.Errorf("there is no Go package in %s:\n%s", folder, errorText(p.Errors))
	}
	return nil, fmt.Errorf("package %s does not compile:\n%s", p.PkgPath, errorText(p.Errors))
}

// maxErrors is how many errors of a package are shown.
const maxErrors = 10

// errorText lists the errors of a package, one a line: those of the loader, which repeat others, only where there are no others.
func errorText(errs []packages.Error) string {
	found := slices.DeleteFunc(slices.Clone(errs), func(e packages.Error) bool { return e.Kind == packages.ListError })
	if len(found) == 0 {
		found = errs
	}
	var lines []string
	for _, e := range found[:min(len(found), maxErrors)] {
		text := e.Msg
		if e.Pos != "" && e.Pos != "-" {
			text = shortPlace(e.Pos) + ": " + text
		}
		lines = append(lines, "  "+strings.ReplaceAll(text, "\n", "\n  "))
	}
	if more := len(found) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", more))
	}
	return strings.Join(lines, "\n")
}

// goSays is the error of a folder for which the loader gives no package: what the go command says of it.
func goSays(ctx context.Context, folder string) error {
	_, errs, err := toolchain.Command{Path: "go", Args: []string{"list", "."}, Dir: folder}.Run(ctx)
	if text := strings.TrimSpace(string(errs)); err != nil && text != "" {
		return fmt.Errorf("go list in %s: %s", folder, text)
	}
	return fmt.Errorf("there is no Go package in %s", folder)
}

// shortPlace shortens the path in a position such as /a/b.go:1:2.
func shortPlace(pos string) string {
	file, rest := pos, ""
	for range 2 {
		if i := strings.LastIndexByte(file, ':'); i > 0 && strings.Trim(file[i+1:], "0123456789") == "" {
			file, rest = file[:i], file[i:]+rest
		}
	}
	if !filepath.IsAbs(file) {
		return pos
	}
	return toolbox.ShortPath(file) + rest
}

func place(p *packages.Package, pos token.Pos) string {
	at := p.Fset.Position(pos)
	return fmt.Sprintf("%s:%d:%d", toolbox.ShortPath(at.Filename), at.Line, at.Column)
}

// missing is the error of a name that the package does not have.
func missing(p *packages.Package, name string) error {
	text := fmt.Sprintf("package %s has no function %s", p.PkgPath, name)
	if file := elsewhere(p, name); file != "" {
		return fmt.Errorf("%s: %s declares it, but is a test or left out by its build constraints; move it to another file", text, toolbox.ShortPath(file))
	}
	var fit []string
	for _, n := range p.Types.Scope().Names() {
		if fn, ok := p.Types.Scope().Lookup(n).(*types.Func); ok {
			if _, ok := resultsOf(fn.Type()); ok {
				fit = append(fit, n)
			}
		}
	}
	if len(fit) == 0 {
		return fmt.Errorf("%s, and none that builds a graph: write a %s", text, wanted)
	}
	return fmt.Errorf("%s; those that build graphs are %s", text, names.List(fit))
}

// elsewhere finds a file of the folder that declares a function, but is not part of the package.
func elsewhere(p *packages.Package, name string) string {
	tests, _ := filepath.Glob(filepath.Join(filepath.Dir(p.GoFiles[0]), "*_test.go"))
	for _, file := range append(tests, p.IgnoredFiles...) {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == name {
				return file
			}
		}
	}
	return ""
}

// resultTypes are the types that results may have.
var resultTypes = map[string]result{
	"*" + toolbox.Path + "/graph.Value": oneValue, "[]*" + toolbox.Path + "/graph.Value": someValues, "error": anError,
}

// resultsOf tells what a function that builds a graph returns; ok is false for other functions.
func resultsOf(t types.Type) (results []result, ok bool) {
	s, isFunc := t.Underlying().(*types.Signature)
	if !isFunc || s.TypeParams().Len() > 0 || s.Params().Len() != 1 || types.TypeString(types.Unalias(s.Params().At(0).Type()), nil) != "*"+toolbox.Path+"/graph.Graph" {
		return nil, false
	}
	for i := range s.Results().Len() {
		r, known := resultTypes[types.TypeString(types.Unalias(s.Results().At(i).Type()), nil)]
		if !known || r == anError && i < s.Results().Len()-1 {
			return nil, false
		}
		results = append(results, r)
	}
	return results, len(results) > 0 && results[0] != anError
}

// typeText writes a type as it stands in source that imports the packages.
func typeText(t types.Type) string {
	return types.TypeString(t, func(p *types.Package) string { return p.Name() })
}

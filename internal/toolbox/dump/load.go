package dump

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/langsrc"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/tools/toolchain"

	_ "github.com/cutile-go/cutile/tile" // registers the language
)

// listed is what `go list` says of a package.
type listed struct {
	ImportPath string
	Dir        string
	Imports    []string
	GoFiles    []string
}

// loadPackage registers the package in a folder, and those that it reaches and that could register themselves, as the
// program that holds them would. It gives the import path.
func loadPackage(ctx context.Context, dir string) (string, error) {
	if st, err := os.Stat(dir); err != nil {
		return "", err
	} else if !st.IsDir() {
		return "", fmt.Errorf("%s is not a folder: name the folder of a Go package", dir)
	}
	pkgs, err := goList(ctx, dir)
	if err != nil {
		return "", err
	}
	own := pkgs[len(pkgs)-1] // dependencies come first
	for _, p := range pkgs {
		mayRegister := p.ImportPath == own.ImportPath || slices.Contains(p.Imports, toolbox.Path)
		if !mayRegister || langsrc.Lookup(p.ImportPath) != nil {
			continue
		}
		if of := aliasOf(p); of != "" {
			langsrc.Alias(p.ImportPath, of)
		} else {
			langsrc.Register(&langsrc.Source{Path: p.ImportPath, Dir: toolbox.ShortPath(p.Dir), FS: []fs.FS{os.DirFS(p.Dir)}})
		}
	}
	return own.ImportPath, nil
}

// aliasOf is what a package passes to cutile.Alias: "" where it does not call it, or calls cutile.Module too.
func aliasOf(p listed) (of string) {
	module := false
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			continue // the kernel compiler reports it, if it needs the package
		}
		byName, _ := source.Imports(f)
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 1 {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); !ok || byName[x.Name] != toolbox.Path {
				return true
			}
			module = module || sel.Sel.Name == "Module"
			if lit, ok := call.Args[0].(*ast.BasicLit); ok && sel.Sel.Name == "Alias" {
				of, _ = strconv.Unquote(lit.Value)
			}
			return true
		})
	}
	if module {
		return ""
	}
	return of
}

// goList asks the go command, which knows modules, workspaces and vendored packages. It compiles nothing.
func goList(ctx context.Context, dir string) ([]listed, error) {
	cmd := toolchain.Command{Path: "go", Args: []string{"list", "-deps", "-json=ImportPath,Dir,Imports,GoFiles", "."}, Dir: dir}
	out, stderr, err := cmd.Run(ctx)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("the go command, which finds the packages that %s imports, is not in the PATH: install Go", dir)
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("go list in %s: %w\n%s", dir, err, bytes.TrimSpace(stderr))
	}
	var pkgs []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("go list in %s: %w", dir, err)
		}
		pkgs = append(pkgs, p)
	}
	if len(pkgs) == 0 {
		return nil, fmt.Errorf("go list finds no package in %s", dir)
	}
	return pkgs, nil
}

// kernelsOf lists the functions of a package that look like kernels: with a parameter that a //cutile:param function of
// the language makes.
func kernelsOf(p *source.Package) (names []string, err error) {
	lang, err := source.Load(toolbox.Path + "/tile")
	if err != nil {
		return nil, err
	}
	for _, d := range p.Decls {
		fn := d.Func()
		if fn == nil {
			continue
		}
		for _, f := range fn.Type.Params.List {
			if _, view := lang.Params[source.TypeName(f.Type)]; view {
				names = append(names, signature(fn))
				break
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

// signature is a function's name with its type parameters, such as gemm[BM, BN, BK].
func signature(fn *ast.FuncDecl) string {
	var params []string
	if fn.Type.TypeParams != nil {
		for _, f := range fn.Type.TypeParams.List {
			for _, id := range f.Names {
				params = append(params, id.Name)
			}
		}
	}
	if len(params) == 0 {
		return fn.Name.Name
	}
	return fn.Name.Name + "[" + strings.Join(params, ", ") + "]"
}

// literal is the end of the name of a function literal, which has the line of its source.
var literal = regexp.MustCompile(`\.func\d+$`)

// parseKernel cuts "gemm[D128, D64]", or "main.gemm[D128, D64]" as messages have it, into the package, "" for none, the name and its type
// arguments.
func parseKernel(text string) (pkg, name string, args []string, err error) {
	e, err := parser.ParseExpr(text)
	if err != nil {
		return "", "", nil, toolbox.Usagef("%q is not a kernel, as in 'gemm[D128, D64, D32]': %v", text, err)
	}
	var list []ast.Expr
	switch x := e.(type) {
	case *ast.IndexExpr:
		e, list = x.X, []ast.Expr{x.Index}
	case *ast.IndexListExpr:
		e, list = x.X, x.Indices
	}
	for _, a := range list {
		args = append(args, types.ExprString(a))
	}
	switch x := e.(type) {
	case *ast.Ident:
		return "", x.Name, args, nil
	case *ast.SelectorExpr:
		if literal.MatchString(text) {
			return "", "", nil, toolbox.Usagef("%s is a function literal, which has no name: declare it as a function of its package", text)
		}
		if q, ok := x.X.(*ast.Ident); ok {
			return q.Name, x.Sel.Name, args, nil
		}
	}
	return "", "", nil, toolbox.Usagef("%q is not a kernel, as in 'gemm[D128, D64, D32]'", text)
}

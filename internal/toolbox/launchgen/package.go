// Package launchgen writes the functions that launch kernels, with parameters that the Go compiler checks.
package launchgen

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/toolbox"
)

// File is the file with the generated functions of a package.
const File = "cutile_launch.go"

// Options say where the functions go.
type Options struct {
	Folder string // write below it, at the packages' import paths, instead of beside the kernels
	Print  bool   // print what would be written

	Out   io.Writer // for the files' names, or what would be written
	Notes io.Writer // for what keeps a launch from working
}

// Generate writes the file of each package, named as for the go command; none is the one in the working folder.
func Generate(ctx context.Context, args []string, o *Options) error {
	if len(args) == 0 {
		args = []string{"."}
	}
	pkgs, err := packages.Load(&packages.Config{
		Context: ctx,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports |
			packages.NeedEmbedPatterns,
	}, args...)
	if err != nil {
		return err
	}
	if len(pkgs) == 0 {
		return noPackages(ctx, args)
	}
	var errs []error
	for _, p := range pkgs {
		errs = append(errs, o.generate(p))
	}
	return errors.Join(errs...)
}

// noPackages is the error of patterns for which the loader gives no package. It does so, without an error, also where the
// go command refuses the module, as when go.mod needs updates: what the go command says then is the reason.
func noPackages(ctx context.Context, patterns []string) error {
	out, err := exec.CommandContext(ctx, "go", append([]string{"list", "--"}, patterns...)...).CombinedOutput()
	if text := strings.TrimSpace(string(out)); err != nil && text != "" {
		return errors.New(text)
	}
	return fmt.Errorf("no packages match %s", strings.Join(patterns, " "))
}

// generate writes the file of one package. Errors of types, which the go command reports as well, are none of ours: calls
// of what is not generated yet are among them.
func (o *Options) generate(p *packages.Package) error {
	for _, e := range p.Errors {
		if e.Kind == packages.ParseError || len(p.Syntax) == 0 {
			return fmt.Errorf("%s: %v", p.PkgPath, e)
		}
	}
	code, n, err := launches(p)
	if err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("%s has no function with the directive //cutile:entry", p.PkgPath)
	}
	if o.Print {
		_, err := o.Out.Write(code)
		return err
	}
	dir := filepath.Dir(p.GoFiles[0])
	if o.Folder != "" {
		dir = filepath.Join(o.Folder, filepath.FromSlash(p.PkgPath))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	file := filepath.Join(dir, File)
	if err := os.WriteFile(file, code, 0o666); err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "%s: %s\n", toolbox.ShortPath(file), names.Plural(n, "kernel"))
	if o.Folder == "" && hasGenericEntry(p) && !embeds(p, File) {
		fmt.Fprintf(o.Notes, "note: no //go:embed line of package %s includes %s: without it, launches of generic kernels fail\n", p.Name, File)
	}
	return nil
}

func hasGenericEntry(p *packages.Package) bool {
	for _, f := range p.Syntax {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Type.TypeParams != nil && isEntry(fn.Doc) {
				return true
			}
		}
	}
	return false
}

// embeds reports whether a pattern of the package's //go:embed lines includes a file of its folder.
func embeds(p *packages.Package, name string) bool {
	return slices.ContainsFunc(p.EmbedPatterns, func(pattern string) bool {
		pattern = strings.TrimPrefix(filepath.Base(pattern), "all:") // it has the folder in front
		ok, err := filepath.Match(pattern, name)
		return ok && err == nil
	})
}

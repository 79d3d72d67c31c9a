package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/toolbox"
)

// genFile is the file with the generated functions of a package.
const genFile = "cutile_launch.go"

var genCommand = &command{
	name: "gen", args: "[PACKAGE ...]", short: "write launch functions that the Go compiler checks",
	long: `
Writes for each function with the directive //cutile:entry in its doc comment a function that launches it and one that
prepares the launch, with a parameter for each of the kernel's. They take tensors of the right element and numbers of the
right type, so that the Go compiler checks their calls:

  //cutile:entry
  func add[B tile.Dim](x, y tile.In[tile.F32T1[B]], z tile.Out[tile.F32T1[B]]) { … }

gives

  func launchAdd[B tile.Dim](ctx context.Context, on cutile.Target, x, y, z cutile.TensorOf[float32]) error
  func prepareAdd[B tile.Dim](…) (*cutile.Prepared, error)

and LaunchAdd for a kernel Add. They stand in the file ` + genFile + ` of the package. Packages are named as for the go command;
none is the one in the working folder, as //go:generate cutile gen wants it.

A generic kernel is found through the source of the function that launches it, so that the package embeds the new file, too:

  //go:embed *.go
  var source embed.FS
  var _ = cutile.Module(source)`,
	setup: func(fs *flag.FlagSet) action {
		o := &genOptions{}
		fs.StringVar(&o.dir, "o", "", "write below this `folder`, at the packages' import paths, instead of beside the kernels")
		fs.BoolVar(&o.print, "print", false, "print what would be written")
		return func(c *call, args []string) error { return gen(c, args, o) }
	},
}

type genOptions struct {
	dir   string
	print bool
}

func gen(c *call, args []string, o *genOptions) error {
	if len(args) == 0 {
		args = []string{"."}
	}
	pkgs, err := packages.Load(&packages.Config{
		Context: c.ctx,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports |
			packages.NeedEmbedPatterns,
	}, args...)
	if err != nil {
		return err
	}
	if len(pkgs) == 0 {
		return noPackages(c.ctx, args)
	}
	var errs []error
	for _, p := range pkgs {
		errs = append(errs, genPackage(c, p, o))
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

// genPackage writes the file of one package. Errors of types, which the go command reports as well, are none of ours: calls
// of what is not generated yet are among them.
func genPackage(c *call, p *packages.Package, o *genOptions) error {
	for _, e := range p.Errors {
		if e.Kind == packages.ParseError || len(p.Syntax) == 0 {
			return fmt.Errorf("%s: %v", p.PkgPath, e)
		}
	}
	code, n, err := genLaunches(p)
	if err != nil {
		return err
	}
	if n == 0 {
		return fmt.Errorf("%s has no function with the directive //cutile:entry", p.PkgPath)
	}
	if o.print {
		_, err := c.out.Write(code)
		return err
	}
	dir := filepath.Dir(p.GoFiles[0])
	if o.dir != "" {
		dir = filepath.Join(o.dir, filepath.FromSlash(p.PkgPath))
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
	}
	file := filepath.Join(dir, genFile)
	if err := os.WriteFile(file, code, 0o666); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "%s: %s\n", toolbox.ShortPath(file), names.Plural(n, "kernel"))
	if o.dir == "" && hasGenericEntry(p) && !embeds(p, genFile) {
		fmt.Fprintf(c.err, "note: no //go:embed of package %s takes %s in: without it the launches of generic kernels fail\n", p.Name, genFile)
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

// embeds reports whether a pattern of the package's //go:embed lines takes a file of its folder.
func embeds(p *packages.Package, name string) bool {
	return slices.ContainsFunc(p.EmbedPatterns, func(pattern string) bool {
		pattern = strings.TrimPrefix(filepath.Base(pattern), "all:") // it has the folder in front
		ok, err := filepath.Match(pattern, name)
		return ok && err == nil
	})
}

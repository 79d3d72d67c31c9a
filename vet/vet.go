// Package vet checks kernels before the program runs. It compiles every kernel of a package with the kernel compiler
// itself, in the instances that the package names, and reports the compiler's errors. A generic kernel without a named
// instance is compiled with several choices of type arguments; vet reports the mistakes that occur with every choice. A
// kernel that takes functions is compiled for each launch whose functions are known from the source, including
// literals. It also checks that the source of kernels is registered, and each file in which generic code names a kernel. As far as the source of a launch tells, it checks
// the kernel and its arguments, that there is a grid if the kernel has no Out, that no variable is passed twice and
// written, and the extents of cutile.Sized. Outside kernels it reports numbers in literals and conversions that become the
// bits of a float of package dtype, such as []dtype.Float16{1, 2}.
//
// vet checks kernels of package tile only. Functions of package cute are checked at their first call, or by
// cute.Compile.
//
// [Analyzer] works with every driver of golang.org/x/tools/go/analysis. The command cutile is such a driver:
//
//	cutile vet ./...
//	go vet -vettool=$(which cutile) ./...
package vet

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/langsrc"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	_ "github.com/cutile-go/cutile/tile" // registers the language
)

// The packages that programs with kernels import.
const (
	rootPath   = "github.com/cutile-go/cutile"
	devicePath = rootPath + "/device" // whose types root has as well
	tilePath   = rootPath + "/tile"
	dtypePath  = rootPath + "/dtype"
)

// Analyzer reports mistakes in tile kernels and in their launches.
var Analyzer = &analysis.Analyzer{
	Name:       "cutile",
	Doc:        "report mistakes in tile kernels and their launches\n\nThe kernels of a package are compiled as at run time, in the instances that the package names.",
	URL:        "https://pkg.go.dev/" + rootPath + "/vet",
	Run:        run,
	FactTypes:  []analysis.Fact{new(registered)},
	ResultType: reflect.TypeFor[struct{}](),
}

// running serialises drivers that analyse several packages at once: the registry belongs to the
// process.
var running sync.Mutex

// checker is the check of one package.
type checker struct {
	pass      *analysis.Pass
	said      map[string]bool
	own       *registered            // the package's own source, where it is registered
	variables map[*types.Var]*values // nil until a launch asks
}

func run(pass *analysis.Pass) (any, error) {
	if langsrc.Lookup(pass.Pkg.Path()) != nil && langsrc.Lookup(pass.Pkg.Path()).Lang {
		return struct{}{}, nil
	}
	if !imports(pass.Pkg, rootPath, tilePath) { // it can have no kernels, nor what they call
		if imports(pass.Pkg, dtypePath) {
			(&checker{pass: pass, said: map[string]bool{}}).bits()
		}
		return struct{}{}, nil
	}
	running.Lock()
	defer running.Unlock()
	c := &checker{pass: pass, said: map[string]bool{}}
	own, err := c.registration()
	if err != nil {
		return nil, err
	}
	c.own = own
	if own != nil {
		pass.ExportPackageFact(own)
		own.register(pass.Pkg.Path())
	}
	for _, f := range pass.AllPackageFacts() {
		if f.Package != pass.Pkg {
			f.Fact.(*registered).register(f.Package.Path())
		}
	}
	c.bits()
	kernels := c.kernels()
	if len(kernels) > 0 && (own == nil || own.Of != "") {
		c.report(kernels[0].pos, "package %s has kernels, but no registered source: add to it\n"+
			"\t//go:embed *.go\n\tvar source embed.FS\n\tvar _ = cutile.Module(source)", pass.Pkg.Name())
		return struct{}{}, nil
	}
	for _, k := range kernels {
		c.compile(k)
	}
	c.resized()
	c.launches()
	return struct{}{}, nil
}

// imports reports whether a package imports one of the paths itself.
func imports(p *types.Package, paths ...string) bool {
	return slices.ContainsFunc(p.Imports(), func(i *types.Package) bool { return slices.Contains(paths, i.Path()) })
}

func (c *checker) report(pos token.Pos, format string, args ...any) {
	msg := fmt.Sprintf(format, args...)
	if key := fmt.Sprint(pos, msg); !c.said[key] {
		c.said[key] = true
		c.pass.Report(analysis.Diagnostic{Pos: pos, Message: msg})
	}
}

// reportAll reports what the kernel compiler found, each mistake where it is. One in another package is shown at from.
func (c *checker) reportAll(from token.Pos, err error) {
	var list diag.List
	var one *diag.Error
	if !errors.As(err, &list) && errors.As(err, &one) {
		list = diag.List{one}
	}
	if list == nil {
		c.report(from, "%v", err)
		return
	}
	c.reportList(from, list)
}

func (c *checker) reportList(from token.Pos, list diag.List) {
	for _, e := range list {
		switch at := c.place(e.Pos); {
		case at.IsValid():
			c.report(at, "%s", e.Msg)
		case e.Pos.IsValid():
			c.report(from, "%s:%d:%d: %s", path.Base(e.Pos.Filename), e.Pos.Line, e.Pos.Column, e.Msg)
		default:
			c.report(from, "%s", e.Msg)
		}
	}
}

// place finds the position in the package that corresponds to one of the kernel compiler.
func (c *checker) place(p token.Position) token.Pos {
	for _, f := range c.pass.Files {
		file := c.pass.Fset.File(f.Package)
		if filepath.ToSlash(file.Name()) == p.Filename && p.Line >= 1 && p.Line <= file.LineCount() {
			return file.LineStart(p.Line) + token.Pos(p.Column-1)
		}
	}
	return token.NoPos
}

// kernel is an instance of a function that a launch can take.
type kernel struct {
	fn   *types.Func
	args []string // type arguments
	pos  token.Pos
	// tries are the choices of type arguments for a kernel of which the package names none.
	tries []attempt
	never bool // no choice gives a number for every extent that follows from others
}

// compile compiles a kernel that needs no function as an argument; the others are compiled where they are launched.
func (c *checker) compile(k kernel) {
	if k.tries != nil {
		c.compileChosen(k, k.tries)
		return
	}
	if list, ok := c.mistakes(k); ok {
		c.reportList(k.pos, list)
	}
}

func resolve(k kernel) (*compile.Kernel, error) {
	return compile.ResolveInstance(k.fn.Pkg().Path(), k.fn.Name(), k.args)
}

// spell writes type arguments with import paths.
func spell(list *types.TypeList) []string {
	var out []string
	for i := range list.Len() {
		out = append(out, spellType(list.At(i)))
	}
	return out
}

func spellType(t types.Type) string {
	return strings.ReplaceAll(types.TypeString(plain(t), (*types.Package).Path), ", ", ",")
}

// plain takes the aliases out of a type, also inside its type arguments.
func plain(t types.Type) types.Type {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.TypeArgs().Len() == 0 {
		return types.Unalias(t)
	}
	var args []types.Type
	for i := range n.TypeArgs().Len() {
		args = append(args, plain(n.TypeArgs().At(i)))
	}
	if same, err := types.Instantiate(nil, n.Origin(), args, false); err == nil {
		return same
	}
	return n
}

// inspect visits every node of the package.
func (c *checker) inspect(visit func(ast.Node)) {
	for _, f := range c.pass.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			if n != nil {
				visit(n)
			}
			return true
		})
	}
}

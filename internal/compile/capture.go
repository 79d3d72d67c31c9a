package compile

import (
	"fmt"
	"go/ast"
	"os"
	"path"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/cutile-go/cutile/internal/check"
	"github.com/cutile-go/cutile/internal/diag"
	"github.com/cutile-go/cutile/internal/langsrc"
	"github.com/cutile-go/cutile/internal/source"
)

// ref says where a function's source is.
type ref struct {
	root check.Root
	decl *source.Decl
	lit  *ast.FuncLit // a literal inside decl, else nil
}

// capture finds a function by what the run-time knows of it. A declared function is found by its name; a literal by
// file and line, as inlining gives it the name of the function that it ended up in.
func capture(v reflect.Value) (ref, error) {
	f := runtime.FuncForPC(v.Pointer())
	if f == nil {
		return ref{}, captureError("the run-time does not know this function")
	}
	pkg, name := splitFuncName(f.Name())
	file, line := f.FileLine(v.Pointer())
	switch {
	case strings.HasSuffix(name, "-fm"):
		return ref{}, captureError("%s is a method value: a kernel must be a function", strings.TrimSuffix(name, "-fm"))
	case strings.Contains(name, "."):
		if strings.Contains(name, ".func") || strings.Contains(name, ".gowrap") || strings.HasPrefix(name, "init.") || strings.HasPrefix(name, "glob..") {
			return literal(v.Type(), name, file, line, strings.Contains(f.Name(), "[...]"))
		}
		return ref{}, captureError("%s.%s is a method: a kernel must be a function", pkg, name)
	}
	p, err := source.Load(pkg)
	if err != nil {
		return ref{}, err
	}
	if p == nil {
		return ref{}, captureError("kernel %s is in package %s, which has no registered source: add to that package\n"+
			"\t//go:embed *.go\n\tvar source embed.FS\n\tvar _ = cutile.Module(source)", name, pkg)
	}
	d := p.Decls[name]
	if d == nil || d.Func() == nil {
		return ref{}, captureError("kernel %s is not in the registered source of package %s: embed every file of the package (was it found in %s?)",
			name, pkg, path.Base(file))
	}
	return ref{root: check.Root{Path: pkg, Name: name}, decl: d}, nil
}

func captureError(format string, args ...any) error {
	return &diag.Error{Stage: diag.Capture, Msg: fmt.Sprintf(format, args...)}
}

// splitFuncName cuts a run-time name into the package's path and the rest without type arguments.
func splitFuncName(full string) (pkg, name string) {
	base := full
	if i := strings.IndexByte(base, '['); i >= 0 {
		base = base[:i]
	}
	slash := strings.LastIndexByte(base, '/')
	dot := strings.IndexByte(full[slash+1:], '.') + slash + 1
	return strings.ReplaceAll(full[:dot], "%2e", "."), strings.ReplaceAll(full[dot+1:], "[...]", "")
}

// literal finds the function of registered source that a line belongs to: a literal that starts there, else, in generic
// code, a generic function that is named there, else the innermost literal around it, as the code of a small function
// starts at the first line of its body.
func literal(t reflect.Type, name, file string, line int, generic bool) (ref, error) {
	var starting, named, around []ref
	for _, src := range langsrc.All() {
		if src.Lang || !sameFile(src, file) {
			continue
		}
		p, err := source.Load(src.Path)
		if err != nil {
			return ref{}, err
		}
		for _, d := range unique(p) {
			if pos := source.Fset.Position(d.Node.Pos()); path.Base(pos.Filename) == path.Base(file) {
				s, a := literalsOn(d, t, line)
				starting, around = append(starting, s...), append(around, a...)
				named = append(named, namedOn(d, t, line)...)
			}
		}
	}
	found := starting
	then := [][]ref{around, named}
	if generic {
		then = [][]ref{named, around}
	}
	for _, others := range then {
		if len(found) == 0 {
			found = others
		}
	}
	at := fmt.Sprintf("%s:%d", path.Base(file), line)
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return ref{}, captureError("no function literal of registered source is at %s, and no generic function is named there (the run-time calls it %s): "+
			"embed every file of the package, and name a kernel on the line of its type arguments", at, name)
	}
	return ref{}, captureError("%d functions that it may be are at %s: put each on a line of its own", len(found), at)
}

// sameFile reports whether a file may belong to a registered package: by folder, where both are known.
func sameFile(src *langsrc.Source, file string) bool {
	return src.Dir == "" || path.Dir(strings.ReplaceAll(file, "\\", "/")) == src.Dir
}

// unique lists the declarations of a package once each, methods included.
func unique(p *source.Package) (out []*source.Decl) {
	seen := map[ast.Node]bool{}
	add := func(d *source.Decl) {
		if !seen[d.Node] {
			seen[d.Node] = true
			out = append(out, d)
		}
	}
	for _, d := range p.Decls {
		add(d)
	}
	return out
}

// literalsOn gives the literals with the parameters of t that start on a line, and the innermost one around it.
func literalsOn(d *source.Decl, t reflect.Type, line int) (starting, around []ref) {
	ast.Inspect(d.Node, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if !ok || lit.Type.Params.NumFields() != t.NumIn() || lit.Type.Results.NumFields() != t.NumOut() {
			return true
		}
		r := ref{root: check.Root{Path: d.Pkg.Path, Name: d.Name}, decl: d, lit: lit}
		from, to := source.Fset.Position(lit.Pos()).Line, source.Fset.Position(lit.End()).Line
		switch {
		case from == line:
			starting = append(starting, r)
		case from < line && line <= to:
			around = []ref{r} // inner ones come later
		}
		return true
	})
	return starting, around
}

// internalError turns a panic of the compiler into an error that says so.
func internalError(k *Kernel, r any) error {
	msg := fmt.Sprintf("BUG: compiling %s: %v", k.name, r)
	if strings.HasPrefix(fmt.Sprint(r), "BUG: ") {
		msg = fmt.Sprintf("%v (compiling %s)", r, k.name)
	}
	if strings.Contains(os.Getenv("CUTILE_DEBUG"), "backtrace") {
		msg += "\n" + string(debug.Stack())
	}
	return &diag.Error{Pos: k.pos, Stage: diag.Lower, Msg: msg + " (CUTILE_DEBUG=backtrace shows the stack)"}
}

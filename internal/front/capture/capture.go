// Package capture finds the source of a function value: its declaration, or the literal, in the registered source of its
// package, and binds it to the types of a world.
package capture

import (
	"fmt"
	"go/ast"
	"path"
	"reflect"
	"runtime"
	"strings"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/langsrc"
)

// Ref says where a function's source is.
type Ref struct {
	Root world.Symbol
	Recv string // the receiver's type, of a method
	Decl *source.Decl
	Lit  *ast.FuncLit // a literal inside Decl, else nil
}

// Node is the function's syntax.
func (r Ref) Node() ast.Node {
	if r.Lit != nil {
		return r.Lit
	}
	return r.Decl.Node
}

// What says which functions a level of the language takes, in its messages.
type What struct {
	Noun    string // "a kernel"
	Methods bool   // method expressions such as T.run, whose first parameter is the receiver
}

// Find finds a function by what the Go runtime knows of it. A declared function is found by its name; a literal by
// file and line, as inlining gives it the name of the function that it ended up in.
func (what What) Find(v reflect.Value) (Ref, error) {
	f := runtime.FuncForPC(v.Pointer())
	if f == nil {
		return Ref{}, Errorf("the Go runtime does not know this function")
	}
	pkg, name := splitFuncName(f.Name())
	file, line := f.FileLine(v.Pointer())
	switch {
	case strings.HasSuffix(name, "-fm"):
		return Ref{}, Errorf("%s is a method value: %s must be a function", strings.TrimSuffix(name, "-fm"), what.Noun)
	case strings.Contains(name, "."):
		if strings.Contains(name, ".func") || strings.Contains(name, ".gowrap") || strings.HasPrefix(name, "init.") || strings.HasPrefix(name, "glob..") {
			return what.literal(v.Type(), name, file, line, strings.Contains(f.Name(), "[...]"))
		}
		if what.Methods {
			return method(pkg, name)
		}
		return Ref{}, Errorf("%s.%s is a method: %s must be a function", pkg, name, what.Noun)
	}
	p, err := source.Load(pkg)
	if err != nil {
		return Ref{}, err
	}
	if p == nil {
		return Ref{}, unregistered(what.named(name), pkg)
	}
	d := p.Decls[name]
	if d == nil || d.Func() == nil {
		return Ref{}, Errorf("%s is not in the registered source of package %s: embed every file of the package (was it found in %s?)",
			what.named(name), pkg, path.Base(file))
	}
	return Ref{Root: world.Symbol{Path: pkg, Name: name}, Decl: d}, nil
}

// named names a function of the level: "kernel add".
func (what What) named(name string) string {
	_, noun, _ := strings.Cut(what.Noun, " ")
	return noun + " " + name
}

// Errorf is a mistake of the stage capture, without a position.
func Errorf(format string, args ...any) error {
	return &diag.Error{Stage: diag.Capture, Msg: fmt.Sprintf(format, args...)}
}

// splitFuncName cuts the Go runtime's name of a function into the package's path and the rest without type arguments.
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
func (what What) literal(t reflect.Type, name, file string, line int, generic bool) (Ref, error) {
	var starting, named, around []Ref
	for _, src := range langsrc.All() {
		if src.Lang || !sameFile(src, file) {
			continue
		}
		p, err := source.Load(src.Path)
		if err != nil {
			return Ref{}, err
		}
		for _, r := range unique(p) {
			if pos := source.Fset.Position(r.Decl.Node.Pos()); path.Base(pos.Filename) == path.Base(file) {
				s, a := literalsOn(r, t.NumIn(), t.NumOut(), line)
				starting, around = append(starting, s...), append(around, a...)
				named = append(named, namedOn(r.Decl, t, line)...)
			}
		}
	}
	found := starting
	then := [][]Ref{around, named}
	if generic {
		then = [][]Ref{named, around}
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
		return Ref{}, Errorf("no function literal of registered source is at %s, and no generic function is named there (the Go runtime calls it %s): "+
			"embed every file of the package, and name a kernel on the line of its type arguments", at, name)
	}
	return Ref{}, several(len(found), at)
}

// several is the error of a line with several functions that the Go runtime cannot tell apart.
func several(n int, at string) error {
	return Errorf("the Go runtime identifies this function only by its line, and %d functions with the same number of parameters are at %s: "+
		"put each function literal, and each generic function that generic code names, on a line of its own", n, at)
}

// sameFile reports whether a file may belong to a registered package: by folder, where both are known.
func sameFile(src *langsrc.Source, file string) bool {
	return src.Dir == "" || path.Dir(strings.ReplaceAll(file, "\\", "/")) == src.Dir
}

// unique lists the declarations of a package once each, methods included.
func unique(p *source.Package) (out []Ref) {
	seen := map[ast.Node]bool{}
	for _, d := range p.Decls {
		if !seen[d.Node] {
			seen[d.Node] = true
			out = append(out, Ref{Root: world.Symbol{Path: p.Path, Name: d.Name}, Decl: d})
		}
	}
	for recv, methods := range p.Methods {
		for name, d := range methods {
			out = append(out, Ref{Root: world.Symbol{Path: p.Path, Name: recv + "." + name}, Decl: d})
		}
	}
	return out
}

// literalsOn gives the literals with the given numbers of parameters and results that start on a line, and the innermost
// one around it.
func literalsOn(in Ref, params, results, line int) (starting, around []Ref) {
	ast.Inspect(in.Decl.Node, func(n ast.Node) bool {
		lit, ok := n.(*ast.FuncLit)
		if !ok || lit.Type.Params.NumFields() != params || lit.Type.Results.NumFields() != results {
			return true
		}
		r := in
		r.Lit = lit
		from, to := source.Fset.Position(lit.Pos()).Line, source.Fset.Position(lit.End()).Line
		switch {
		case from == line:
			starting = append(starting, r)
		case from < line && line <= to:
			around = []Ref{r} // inner ones come later
		}
		return true
	})
	return starting, around
}

// method finds the declaration behind a method expression; name is "T.m" or "(*T).m".
func method(pkg, name string) (Ref, error) {
	recv, m, _ := strings.Cut(name, ".")
	recv = strings.Trim(recv, "(*)")
	p, err := source.Load(pkg)
	if err != nil {
		return Ref{}, err
	}
	if p == nil {
		return Ref{}, unregistered("kernel "+recv+"."+m, pkg)
	}
	d := p.Methods[recv][m]
	if d == nil || d.Func() == nil {
		return Ref{}, Errorf("method %s.%s is not in the registered source of package %s: embed every file of the package", recv, m, pkg)
	}
	return Ref{Root: world.Symbol{Path: pkg, Name: recv + "." + m}, Recv: recv, Decl: d}, nil
}

func unregistered(what, pkg string) error {
	return Errorf("%s is in package %s, which has no registered source: add to that package\n"+
		"\t//go:embed *.go\n\tvar source embed.FS\n\tvar _ = cutile.Module(source)", what, pkg)
}

package graph

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"

	"github.com/cutile-go/cutile/internal/graph/ir"
)

// fail notes a mistake: where the program made it, and in the call of which function. It returns the value that stands for it.
func (g *Graph) fail(err error) *Value {
	root, c := g.root(), called(true)
	where, function := c.where, inWords(c.function)
	if root.label != "" {
		where = root.label
	}
	if c.inner != c.function {
		function += ": in " + inWords(c.inner)
	}
	root.mistakes = append(root.mistakes, brief(fmt.Errorf("%s: graph: %s: %w", where, function, err)))
	return &Value{g: g}
}

// where gives the label, or where the program is.
func (g *Graph) where() string {
	if label := g.root().label; label != "" {
		return label
	}
	return called(false).where
}

// value makes the value of a node that has just been added, with those that it is made of.
func (g *Graph) value(n *ir.Node, err error) *Value {
	g.place()
	if err != nil {
		return g.fail(err)
	}
	return &Value{g, n}
}

// place notes where the program asked for the nodes that were added since the last time.
func (g *Graph) place() {
	if g.placed == len(g.ir.Nodes) {
		return
	}
	where := g.where()
	for _, n := range g.ir.Nodes[g.placed:] {
		n.Where = where
	}
	g.placed = len(g.ir.Nodes)
}

// call is a call of a function of this package.
type call struct {
	where    string // the file and line of the program
	function string // that the program called, such as MatMul or Complex.Mul
	inner    string // the exported function that noted a mistake: function itself, or one that it is made of
}

// called finds the call of this package that the program made: where, and with names also of which function.
func called(names bool) (c call) {
	frames := stack()
	for {
		f, more := frames.Next()
		name, inside := strings.CutPrefix(f.Function, thisPackage)
		if !inside || strings.HasSuffix(f.File, "_test.go") {
			c.where = fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
			return c
		}
		if names {
			if name = exported(name); name != "" {
				c.function, c.inner = name, cmp.Or(c.inner, name)
			}
		}
		if !more {
			c.where = "?"
			return c
		}
	}
}

// stack gives the calls in progress, from the function that calls called on.
func stack() *runtime.Frames {
	for size := 32; ; size *= 2 {
		pc := make([]uintptr, size)
		if n := runtime.Callers(3, pc); n < size {
			return runtime.CallersFrames(pc[:n])
		}
	}
}

const thisPackage = "github.com/cutile-go/cutile/graph."

// exported gives the name of a function, without that of a closure in it and without the type Graph; empty if it is not exported.
// symbol is its name in a program, such as (*Graph).Parameter, Complex.Mul-fm or MatMul.func1.
func exported(symbol string) string {
	symbol, _ = strings.CutSuffix(symbol, "-fm")
	symbol = strings.TrimPrefix(symbol, "(*Graph).")
	var parts []string
	for part := range strings.SplitSeq(symbol, ".") {
		part, _, _ = strings.Cut(part, "[")
		if part == "" || !unicode.IsUpper(rune(part[0])) {
			break
		}
		parts = append(parts, part)
	}
	if len(parts) == 1 && parts[0] == "Complex" { // an unexported method
		return ""
	}
	return strings.Join(parts, ".")
}

// words are the names that inWords would divide wrongly.
var words = strings.NewReplacer("MatMul", "Matmul", "NaN", "Nan")

// inWords gives a function's name as messages have it: in lower case, with _ between words, such as real_fft or complex_mul.
func inWords(name string) string {
	name = words.Replace(name)
	var b strings.Builder
	for i, r := range name {
		if r == '.' {
			b.WriteByte('_')
			continue
		}
		begins := i > 0 && unicode.IsUpper(r) && name[i-1] != '.'
		afterAcronym := i+1 < len(name) && unicode.IsLower(rune(name[i+1]))
		if begins && (!unicode.IsUpper(rune(name[i-1])) || afterAcronym) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

package loops

import (
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/index"
)

// String returns the kernel as a dump shows it: its axes, the expressions that it needs more than once, and the result.
func (k *Kernel) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s(", k.Name())
	for i, a := range k.Axes {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "a%d %s %d", i, a.Role, a.Extent)
	}
	b.WriteString(")\n")
	p := &printer{names: map[*Expr]string{}}
	users := k.users()
	k.Walk(func(e *Expr) {
		if users[e] > 1 && len(e.Args) > 0 {
			text := p.expr(e)
			p.names[e] = fmt.Sprintf("t%d", len(p.names))
			fmt.Fprintf(&b, "  %s = %s\n", p.names[e], text)
		}
	})
	op := "="
	if k.Fold != nil {
		op = k.Fold.Name + "="
	}
	fmt.Fprintf(&b, "  %v[%s] %s %s", k.Into, p.index(k.At), op, p.expr(k.Value))
	if len(k.Where) > 0 {
		fmt.Fprintf(&b, " if %s", p.conds(k.Where))
	}
	b.WriteByte('\n')
	return b.String()
}

// users counts the places where the kernel needs an expression.
func (k *Kernel) users() map[*Expr]int {
	users := map[*Expr]int{k.Value: 1}
	at := func(x index.Expr) {
		x.Atoms(func(a *index.Atom) {
			if a.Kind == index.ValueAtom {
				users[a.Value.(*Expr)]++
			}
		})
	}
	conds := func(where []index.Cond) {
		for _, c := range where {
			at(c.Index)
		}
	}
	at(k.At)
	conds(k.Where)
	k.Walk(func(e *Expr) {
		at(e.At)
		conds(e.Where)
		for _, a := range e.Args {
			users[a]++
		}
	})
	return users
}

// String returns the expression on one line.
func (e *Expr) String() string { return new(printer).expr(e) }

// printer writes expressions, by their names those that have one.
type printer struct{ names map[*Expr]string }

func (p *printer) expr(e *Expr) string {
	if name := p.names[e]; name != "" {
		return name
	}
	args := make([]string, len(e.Args))
	for i, a := range e.Args {
		args[i] = p.expr(a)
	}
	list := strings.Join(args, ", ")
	switch e.Kind {
	case Const:
		return constText(e.Elem, e.Bits)
	case Load:
		s := fmt.Sprintf("%v[%s]", e.Buffer, p.index(e.At))
		if len(e.Where) > 0 {
			s += " if " + p.conds(e.Where)
		}
		if list != "" {
			s += " else " + list
		}
		return s
	case Number:
		return fmt.Sprintf("%v(%s)", e.Elem, p.index(e.At))
	case Call:
		return fmt.Sprintf("%s(%s)", e.Func.Name, list)
	case Convert:
		return fmt.Sprintf("%v(%s)", e.Elem, list)
	case Bitcast:
		return fmt.Sprintf("bits_%v(%s)", e.Elem, list)
	case Guard:
		return fmt.Sprintf("(%s if %s else %s)", args[0], p.conds(e.Where), args[1])
	case Reduce, Scan:
		return fmt.Sprintf("%s%s(%s)", e.Fold.Name, axisText(e.Along), list)
	case ArgReduce:
		return fmt.Sprintf("%s%s(%s)", argName(e.First), axisText(e.Along), list)
	case ArgSort:
		return fmt.Sprintf("arg_sort%s(%s)", axisText(e.Along), list)
	}
	name := "dot"
	if e.Kind == Attention {
		name = "attention"
	}
	return fmt.Sprintf("%s%s(%s)", name, axisText(e.Along), list)
}

func (p *printer) index(e index.Expr) string {
	return e.Text(func(value any) string { return p.expr(value.(*Expr)) })
}

func (p *printer) conds(where []index.Cond) string {
	s := make([]string, len(where))
	for i, c := range where {
		s[i] = fmt.Sprintf("0 ≤ %s < %d", p.index(c.Index), c.N)
	}
	return strings.Join(s, " and ")
}

func argName(first ArgOrder) string {
	if first.Min {
		return "arg_min"
	}
	return "arg_max"
}

func axisText(axes []int) string {
	s := make([]string, len(axes))
	for i, a := range axes {
		s[i] = fmt.Sprintf("a%d", a)
	}
	return "<" + strings.Join(s, " ") + ">"
}

func constText(t dtype.Type, bits uint64) string {
	switch {
	case t == dtype.Bool:
		return fmt.Sprint(bits != 0)
	case t.IsFloat():
		return fmt.Sprintf("%g", t.FloatFromBits(bits))
	case t.IsSigned():
		shift := 64 - 8*t.Size()
		return fmt.Sprint(int64(bits<<shift) >> shift)
	}
	return fmt.Sprint(bits)
}

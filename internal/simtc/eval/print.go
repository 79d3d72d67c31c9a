package eval

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/layout"
	"github.com/cutile-go/cutile/internal/simt"
)

// print prints while the function is compiled; what is dynamic prints as ?.
func (ev *evaluator) print(args []value, spaced bool) {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = ev.display(a)
	}
	if spaced {
		ev.out = append(ev.out, strings.Join(parts, " ")+"\n")
		return
	}
	ev.out = append(ev.out, strings.Join(parts, ""))
}

// display is a value as text.
func (ev *evaluator) display(v value) string {
	switch v := v.(type) {
	case *iface:
		if c, ok := v.v.(constant.Value); ok {
			return constText(c, v.typ)
		}
		return ev.display(v.v)
	case *num:
		return "?"
	case constant.Value:
		return constText(v, nil)
	case nonFinite:
		return strconv.FormatFloat(float64(v), 'g', -1, 64)
	case shape:
		return v.String()
	case *layoutVal:
		return v.text()
	case *structVal:
		return "{" + ev.displayAll(v.fields) + "}"
	case *arrayVal:
		return "[" + ev.displayAll(v.elems) + "]"
	case *sliceVal:
		return "[" + ev.displayAll(ev.sliceElems(v)) + "]"
	case none:
		return "<nil>"
	case *tensor:
		return "tensor<" + v.elem.Name + ", " + string(v.space) + ", " + v.lay.text() + ">"
	case *coords:
		return "tensor<" + v.start.String() + " o " + v.lay.text() + ">"
	case *vec:
		return "[" + ev.displayAll(v.elems) + "]"
	case fmt.Stringer:
		return v.String()
	}
	return ev.describe(v)
}

func (ev *evaluator) displayAll(vs []value) string {
	parts := make([]string, len(vs))
	for i, v := range vs {
		parts[i] = ev.display(v)
	}
	return strings.Join(parts, " ")
}

// constText is a constant as fmt prints a value of its type.
func constText(c constant.Value, t types.Type) string {
	switch c.Kind() {
	case constant.String:
		return constant.StringVal(c)
	case constant.Bool:
		return strconv.FormatBool(constant.BoolVal(c))
	}
	if t != nil {
		if e := ElemOf(t); e != nil && e.Float {
			f, _ := constant.Float64Val(constant.ToFloat(c))
			bits := 64
			if e.Bits <= 32 {
				bits = 32
			}
			return strconv.FormatFloat(f, 'g', -1, bits)
		}
	}
	return c.ExactString()
}

// stdCall is a function of the standard library: of math on static numbers, or of fmt, which prints now.
func (ev *evaluator) stdCall(pos token.Pos, name string, args []value) []value {
	if pkg, fn, _ := strings.Cut(name, "."); pkg == "math" {
		return ev.mathCall(pos, fn, args)
	}
	text := ""
	switch name {
	case "fmt.Print", "fmt.Println":
		ev.print(ev.sliceElems(args[0]), name == "fmt.Println")
		return []value{constant.MakeInt64(0), none{}}
	case "fmt.Sprint":
		for _, a := range ev.sliceElems(args[0]) {
			text += ev.display(a)
		}
	default:
		format, ok := args[0].(constant.Value)
		ev.Must(ok, pos, "the format of %s must be known when the function is compiled", name)
		text = ev.sprintf(constant.StringVal(format), ev.sliceElems(args[1]))
	}
	if name == "fmt.Printf" {
		ev.out = append(ev.out, text)
		return []value{constant.MakeInt64(0), none{}}
	}
	return []value{constant.MakeString(text)}
}

// sprintf formats now: numbers by their verbs, all else as text.
func (ev *evaluator) sprintf(format string, args []value) string {
	in := make([]any, len(args))
	for i, a := range args {
		in[i] = ev.goValue(a)
	}
	return fmt.Sprintf(format, in...)
}

// shown prints its text for every verb.
type shown string

// Format writes the text.
func (s shown) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s)) }

func (ev *evaluator) goValue(v value) any {
	i, ok := v.(*iface)
	if !ok {
		return shown(ev.display(v))
	}
	c, ok := i.v.(constant.Value)
	if !ok {
		return shown(ev.display(v))
	}
	switch c.Kind() {
	case constant.String:
		return constant.StringVal(c)
	case constant.Bool:
		return constant.BoolVal(c)
	}
	if e := ElemOf(i.typ); e != nil && e.Float {
		return goval.Float(c)
	}
	n, _ := constant.Int64Val(constant.ToInt(c))
	return n
}

// printf writes the printing of values at run time. The format has Go's verbs.
func (ev *evaluator) printf(pos token.Pos, format string, args []value) {
	var c strings.Builder
	var ops []simt.Operand
	next := 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			c.WriteByte(format[i])
			continue
		}
		end := i + 1
		for end < len(format) && strings.IndexByte("+-# 0123456789.", format[end]) >= 0 {
			end++
		}
		ev.Must(end < len(format), pos, "the format %q ends within a verb", format)
		verb := format[end]
		if verb == '%' {
			c.WriteString("%%")
			i = end
			continue
		}
		ev.Must(next < len(args), pos, "the format %q wants more than %d values", format, len(args))
		ev.formatOne(pos, &c, &ops, format[i:end], verb, args[next])
		next++
		i = end
	}
	ev.Must(next == len(args), pos, "the format %q takes %d values, but %d are given", format, next, len(args))
	ev.b.Emit(simt.OpPrintf, nil, ops...).Text = c.String()
}

// formatOne writes a verb of C, and the operand for it; what is static is text.
func (ev *evaluator) formatOne(pos token.Pos, c *strings.Builder, ops *[]simt.Operand, flags string, verb byte, v value) {
	i, _ := v.(*iface)
	if i != nil {
		v = i.v
	}
	n, ok := v.(*num)
	if !ok {
		text := ""
		if leaves := ev.leaves(v); !hasDynamic(leaves) {
			text = ev.sprintf(flags+string(verb), []value{orValue(i, v)})
		} else {
			ev.formatParts(pos, c, ops, v)
			return
		}
		c.WriteString(strings.ReplaceAll(text, "%", "%%"))
		return
	}
	switch {
	case n.elem == boolElem:
		c.WriteString("%d")
		*ops = append(*ops, ev.b.Value(simt.B32, "selp.b32", simt.I(1), simt.I(0), n.op()))
	case n.elem.Float:
		ev.Must(strings.IndexByte("vfgeGE", verb) >= 0, pos, "%%%c does not fit a value of %s: use %%v, %%f, %%g or %%e", verb, n.elem.Name)
		if verb == 'v' {
			verb = 'g'
		}
		c.WriteString(flags + string(verb))
		*ops = append(*ops, ev.inReg(ev.convert(n, n.elem, f64Elem), f64Elem))
	default:
		ev.Must(strings.IndexByte("vdxXoc", verb) >= 0, pos, "%%%c does not fit a value of %s: use %%v, %%d or %%x", verb, n.elem.Name)
		if verb == 'v' {
			verb = 'd'
		}
		if verb == 'd' && !n.elem.Signed {
			verb = 'u'
		}
		if n.class() == simt.B64 {
			flags += "ll"
		}
		c.WriteString(flags + string(verb))
		*ops = append(*ops, n.op())
	}
}

func orValue(i *iface, v value) value {
	if i != nil {
		return i
	}
	return v
}

func hasDynamic(leaves []value) bool {
	for _, l := range leaves {
		if _, ok := l.(*num); ok {
			return true
		}
	}
	return false
}

// formatParts prints a tuple or layout whose leaves are partly dynamic, or the elements of a vector.
func (ev *evaluator) formatParts(pos token.Pos, c *strings.Builder, ops *[]simt.Operand, v value) {
	const hole = "\x00"
	var dynamic []*num
	for _, l := range ev.leaves(v) {
		if n, ok := l.(*num); ok {
			dynamic = append(dynamic, n)
		}
	}
	text := ""
	switch v := v.(type) {
	case shape:
		text = v.MapInts(holes).String()
	case *layoutVal:
		text = v.MapInts(holes).String()
	default:
		parts := make([]string, 0)
		for _, l := range ev.leaves(v) {
			if _, ok := l.(*num); ok {
				parts = append(parts, "?")
			} else {
				parts = append(parts, ev.display(l))
			}
		}
		text = "[" + strings.Join(parts, " ") + "]"
	}
	text = strings.ReplaceAll(text, "?", hole)
	for i, part := range strings.Split(text, hole) {
		if i > 0 && i-1 < len(dynamic) {
			ev.formatOne(pos, c, ops, "%", 'v', dynamic[i-1])
		}
		c.WriteString(strings.ReplaceAll(part, "%", "%%"))
	}
}

// holes forgets what is known of a symbolic integer.
func holes(n layout.Int) layout.Int {
	if _, ok := n.Static(); ok {
		return n
	}
	return layout.Sym(1, false, nil)
}

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
func (em *emitter) print(args []value, spaced bool) {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = em.display(a)
	}
	if spaced {
		em.write(strings.Join(parts, " ") + "\n")
		return
	}
	em.write(strings.Join(parts, ""))
}

// write adds to what was printed.
func (em *emitter) write(text string) { em.out = append(em.out, text) }

// printed is what was printed.
func (em *emitter) printed() string { return strings.Join(em.out, "") }

// display is a value as text.
func (em *emitter) display(v value) string {
	switch v := v.(type) {
	case *iface:
		if c, ok := v.v.(constant.Value); ok {
			return constText(c, v.typ)
		}
		return em.display(v.v)
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
		return "{" + em.displayAll(v.fields) + "}"
	case *arrayVal:
		return "[" + em.displayAll(v.elems) + "]"
	case *sliceVal:
		return "[" + em.displayAll(em.sliceElems(v)) + "]"
	case none:
		return "<nil>"
	case *tensor:
		return "tensor<" + v.elem.Name + ", " + string(v.space) + ", " + v.lay.text() + ">"
	case *coords:
		return "tensor<" + v.start.String() + " o " + v.lay.text() + ">"
	case *vec:
		return "[" + em.displayAll(v.elems) + "]"
	case fmt.Stringer:
		return v.String()
	}
	return em.describe(v)
}

func (em *emitter) displayAll(vs []value) string {
	parts := make([]string, len(vs))
	for i, v := range vs {
		parts[i] = em.display(v)
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

// sprintf formats now: numbers by their verbs, all else as text.
func (em *emitter) sprintf(format string, args []value) string {
	in := make([]any, len(args))
	for i, a := range args {
		in[i] = em.goValue(a)
	}
	return fmt.Sprintf(format, in...)
}

// shown prints its text for every verb.
type shown string

// Format writes the text.
func (s shown) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s)) }

func (em *emitter) goValue(v value) any {
	i, ok := v.(*iface)
	if !ok {
		return shown(em.display(v))
	}
	c, ok := i.v.(constant.Value)
	if !ok {
		return shown(em.display(v))
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
func (em *emitter) printf(pos token.Pos, format string, args []value) {
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
		em.Must(end < len(format), pos, "the format %q ends within a verb", format)
		verb := format[end]
		if verb == '%' {
			c.WriteString("%%")
			i = end
			continue
		}
		em.Must(next < len(args), pos, "the format %q wants more than %d values", format, len(args))
		em.formatOne(pos, &c, &ops, format[i:end], verb, args[next])
		next++
		i = end
	}
	em.Must(next == len(args), pos, "the format %q takes %d values, but %d are given", format, next, len(args))
	em.b.Emit(simt.OpPrintf, nil, ops...).Text = c.String()
}

// formatOne writes a verb of C, and the operand for it; what is static is text.
func (em *emitter) formatOne(pos token.Pos, c *strings.Builder, ops *[]simt.Operand, flags string, verb byte, v value) {
	i, _ := v.(*iface)
	if i != nil {
		v = i.v
	}
	n, ok := v.(*num)
	if !ok {
		text := ""
		if leaves := em.leaves(v); !hasDynamic(leaves) {
			text = em.sprintf(flags+string(verb), []value{orValue(i, v)})
		} else {
			em.formatParts(pos, c, ops, v)
			return
		}
		c.WriteString(strings.ReplaceAll(text, "%", "%%"))
		return
	}
	switch {
	case n.elem == boolElem:
		c.WriteString("%d")
		*ops = append(*ops, em.b.Value(simt.B32, "selp.b32", simt.I(1), simt.I(0), n.op()))
	case n.elem.Float:
		em.Must(strings.IndexByte("vfgeGE", verb) >= 0, pos, "%%%c does not fit a value of %s: use %%v, %%f, %%g or %%e", verb, n.elem.Name)
		if verb == 'v' {
			verb = 'g'
		}
		c.WriteString(flags + string(verb))
		*ops = append(*ops, em.inReg(em.convert(n, n.elem, f64Elem), f64Elem))
	default:
		em.Must(strings.IndexByte("vdxXoc", verb) >= 0, pos, "%%%c does not fit a value of %s: use %%v, %%d or %%x", verb, n.elem.Name)
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
func (em *emitter) formatParts(pos token.Pos, c *strings.Builder, ops *[]simt.Operand, v value) {
	const hole = "\x00"
	var dynamic []*num
	for _, l := range em.leaves(v) {
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
		for _, l := range em.leaves(v) {
			if _, ok := l.(*num); ok {
				parts = append(parts, "?")
			} else {
				parts = append(parts, em.display(l))
			}
		}
		text = "[" + strings.Join(parts, " ") + "]"
	}
	text = strings.ReplaceAll(text, "?", hole)
	for i, part := range strings.Split(text, hole) {
		if i > 0 && i-1 < len(dynamic) {
			em.formatOne(pos, c, ops, "%", 'v', dynamic[i-1])
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

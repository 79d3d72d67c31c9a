package emit

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

// Print prints values while the function is compiled. A dynamic number prints as ?. spaced is Go's
// println: it puts spaces between the values and ends the line.
func (em *Emitter) Print(args []Value, spaced bool) {
	parts := make([]string, len(args))
	for i, a := range args {
		parts[i] = em.Display(a)
	}
	if spaced {
		em.Write(strings.Join(parts, " ") + "\n")
		return
	}
	em.Write(strings.Join(parts, ""))
}

// Write adds text to what was printed.
func (em *Emitter) Write(text string) { em.out = append(em.out, text) }

// Printed gives everything that was printed while the program was compiled.
func (em *Emitter) Printed() string { return strings.Join(em.out, "") }

// Display gives a value as text, for printing while the function is compiled.
func (em *Emitter) Display(v Value) string { return em.displayAs(v, nil) }

// displayAs gives the text of a value of type t, which is nil if that is not known.
func (em *Emitter) displayAs(v Value, t types.Type) string {
	switch v := v.(type) {
	case *Iface:
		return em.displayAs(v.V, v.Type)
	case *Num:
		return "?"
	case constant.Value:
		return constText(v, t)
	case nonFinite:
		return strconv.FormatFloat(float64(v), 'g', -1, 64)
	case Shape:
		return v.String()
	case *Layout:
		return v.Text()
	case *Struct:
		return "{" + em.displayAll(v.Fields, func(i int) types.Type { return v.Type.Field(i).Type() }) + "}"
	case *Array:
		return "[" + em.displayAll(v.Elems, elemsOf(t)) + "]"
	case *Slice:
		return "[" + em.displayAll(em.SliceElems(v), elemsOf(t)) + "]"
	case None:
		return "<nil>"
	case *Tensor:
		return "tensor<" + v.Elem.Name + ", " + string(v.Space) + ", " + v.Layout.Text() + ">"
	case *Coords:
		return "tensor<" + v.Start.String() + " o " + v.Layout.Text() + ">"
	case *Vec:
		return "[" + em.displayAll(v.Elems, func(int) types.Type { return nil }) + "]"
	case fmt.Stringer:
		return v.String()
	}
	return em.Describe(v)
}

// displayAll gives the text of a list of values, whose types of tells.
func (em *Emitter) displayAll(vs []Value, of func(i int) types.Type) string {
	parts := make([]string, len(vs))
	for i, v := range vs {
		parts[i] = em.displayAs(v, of(i))
	}
	return strings.Join(parts, " ")
}

// elemsOf gives the type of the elements of an array or slice type, nil if t is neither.
func elemsOf(t types.Type) func(int) types.Type {
	var elem types.Type
	if t != nil {
		switch u := t.Underlying().(type) {
		case *types.Array:
			elem = u.Elem()
		case *types.Slice:
			elem = u.Elem()
		}
	}
	return func(int) types.Type { return elem }
}

// constText gives a constant as fmt prints a value of type t. t is nil for a constant without a
// type, which prints exactly.
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
			// fmt prints as few digits as tell the number from its neighbours, and these are fewer
			// for a short float.
			if e.Bits <= 32 {
				// A float of 16 or 8 bits prints like the float32 with its value.
				bits = 32
			}
			return strconv.FormatFloat(f, 'g', -1, bits)
		}
	}
	return c.ExactString()
}

// Sprintf formats values while the function is compiled: constants by their verbs, all other values
// as text.
func (em *Emitter) Sprintf(format string, args []Value) string {
	in := make([]any, len(args))
	for i, a := range args {
		in[i] = em.goValue(a)
	}
	return fmt.Sprintf(format, in...)
}

// shown is a text that prints itself for every verb. A dynamic number has no value yet that %d
// could format.
type shown string

// Format implements [fmt.Formatter].
func (s shown) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s)) }

// goValue gives a value as fmt takes it: a constant as a Go value of its kind, every other one as a
// text.
func (em *Emitter) goValue(v Value) any {
	i, ok := v.(*Iface)
	if !ok {
		return shown(em.Display(v))
	}
	// Only constants have a value to format.
	c, ok := i.V.(constant.Value)
	if !ok {
		return shown(em.Display(v))
	}
	switch c.Kind() {
	case constant.String:
		return constant.StringVal(c)
	case constant.Bool:
		return constant.BoolVal(c)
	}
	if e := ElemOf(i.Type); e != nil && e.Float {
		return goval.Float(c)
	}
	n, _ := constant.Int64Val(constant.ToInt(c))
	return n
}

// Printf writes an instruction that prints values at run time. The format has Go's verbs, and the
// instruction takes those of C's printf, which the device calls.
func (em *Emitter) Printf(pos token.Pos, format string, args []Value) {
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
		// Flags, a width and a precision may come before the letter of a verb.
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
	em.B.Emit(simt.OpPrintf, nil, ops...).Text = c.String()
}

// formatOne adds a verb of C and the operand for it. A static value becomes text of the format.
func (em *Emitter) formatOne(pos token.Pos, c *strings.Builder, ops *[]simt.Operand, flags string, verb byte, v Value) {
	i, _ := v.(*Iface)
	if i != nil {
		v = i.V
	}
	n, ok := v.(*Num)
	if !ok {
		text := ""
		if leaves := em.leaves(v); !hasDynamic(leaves) {
			text = em.Sprintf(flags+string(verb), []Value{orValue(i, v)})
		} else {
			em.formatParts(pos, c, ops, v)
			return
		}
		c.WriteString(strings.ReplaceAll(text, "%", "%%"))
		return
	}
	switch {
	case n.Elem == Bool:
		c.WriteString("%d")
		// C has no verb for truth values: they print as 0 and 1.
		*ops = append(*ops, em.B.Value(simt.B32, "selp.b32", simt.I(1), simt.I(0), n.Op()))
	case n.Elem.Float:
		em.Must(strings.IndexByte("vfgeGE", verb) >= 0, pos, "%%%c cannot format a value of type %s: use %%v, %%f, %%g or %%e", verb, n.Elem.Name)
		if verb == 'v' {
			verb = 'g'
		}
		c.WriteString(flags + string(verb))
		// C passes floats to printf as double.
		*ops = append(*ops, em.InReg(em.Convert(n, n.Elem, F64), F64))
	default:
		em.Must(strings.IndexByte("vdxXoc", verb) >= 0, pos, "%%%c cannot format a value of type %s: use %%v, %%d or %%x", verb, n.Elem.Name)
		if verb == 'v' {
			verb = 'd'
		}
		if verb == 'd' && !n.Elem.Signed {
			verb = 'u'
		}
		// C reads 32 bits for %d, and 64 for %lld.
		if n.Class() == simt.B64 {
			flags += "ll"
		}
		c.WriteString(flags + string(verb))
		*ops = append(*ops, n.Op())
	}
}

// orValue gives the interface that held a value, if there was one, since its type decides how the
// value prints.
func orValue(i *Iface, v Value) Value {
	if i != nil {
		return i
	}
	return v
}

// hasDynamic reports whether one of the leaves is dynamic.
func hasDynamic(leaves []Value) bool {
	for _, l := range leaves {
		if _, ok := l.(*Num); ok {
			return true
		}
	}
	return false
}

// formatParts prints a tuple or a layout with dynamic leaves, or the elements of a vector. It
// prints the value with a mark for each dynamic leaf, and puts a verb where a mark is.
func (em *Emitter) formatParts(pos token.Pos, c *strings.Builder, ops *[]simt.Operand, v Value) {
	const hole = "\x00"
	var dynamic []*Num
	for _, l := range em.leaves(v) {
		if n, ok := l.(*Num); ok {
			dynamic = append(dynamic, n)
		}
	}
	text := ""
	switch v := v.(type) {
	case Shape:
		text = v.MapInts(holes).String()
	case *Layout:
		text = v.MapInts(holes).String()
	default:
		parts := make([]string, 0)
		for _, l := range em.leaves(v) {
			if _, ok := l.(*Num); ok {
				parts = append(parts, "?")
			} else {
				parts = append(parts, em.Display(l))
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

// holes gives a symbolic integer of which nothing is known, so that it prints as ? and not with its
// divisor.
func holes(n layout.Int) layout.Int {
	if _, ok := n.Static(); ok {
		return n
	}
	return layout.Sym(1, false, nil)
}

package emit

import (
	"go/constant"
	"strings"
)

// Described is a value that describes itself in a message.
type Described interface{ Describe() string }

// Describe describes a value in a message.
func (em *Emitter) Describe(v Value) string {
	switch v := v.(type) {
	case *Num:
		if v.Elem == Bool {
			return "a dynamic truth value"
		}
		return "a dynamic " + v.Elem.Name
	case constant.Value:
		return "the static " + v.String()
	case nonFinite:
		return strings.ToLower(constant.MakeFloat64(0).String())
	case None:
		return "nil"
	case *Struct:
		return "a struct"
	case *Array:
		return "an array"
	case *Slice:
		return "a slice"
	case *Pointer:
		return "a pointer"
	case *Iface:
		return em.Describe(v.V)
	case Shape:
		return v.String()
	case *Layout:
		return "the layout " + v.Text()
	case Described:
		return v.Describe()
	}
	return "a value"
}

// Text gives a layout in CuTe's notation.
func (l *Layout) Text() string {
	if l.Composed != nil {
		return l.Composed.String()
	}
	return l.String()
}

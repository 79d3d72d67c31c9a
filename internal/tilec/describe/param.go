package describe

import (
	"go/types"

	"github.com/cutile-go/cutile/internal/front/directive"
	"github.com/cutile-go/cutile/tileir"
)

// ParamKind says what a type is as a parameter of a kernel.
type ParamKind uint8

// The kinds of parameter.
const (
	NoParam     ParamKind = iota
	TensorParam           // made by a //cutile:param function
	NoneParam
	FuncParam
	ScalarParam
	StructParam // its fields are parameters
	ArrayParam  // its elements are
)

// ParamOf says what a type is as a parameter.
func (w *World) ParamOf(t types.Type) ParamKind {
	d := w.Desc(t)
	switch {
	case w.ParamFunc(t) != nil:
		return TensorParam
	case d != nil && d.Kind == NoneKind:
		return NoneParam
	case d != nil && d.Elem.IR != tileir.NoElem && len(d.Shape) == 0 && !d.Pointer && !d.Kind.IsView():
		return ScalarParam
	case d != nil:
		return NoParam
	}
	switch t.Underlying().(type) {
	case *types.Signature:
		return FuncParam
	case *types.Struct:
		return StructParam
	case *types.Array:
		return ArrayParam
	}
	return NoParam
}

// Role is how a tensor becomes a parameter of this type: in, out, inout or ptr.
func (w *World) Role(t types.Type) string {
	for _, dir := range w.ParamFunc(t).Src.Directives() {
		if dir.Word == directive.Param {
			return dir.Words[0]
		}
	}
	panic("BUG: describe: a parameter without its directive")
}

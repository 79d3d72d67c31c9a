package tileir

import (
	"fmt"
	"slices"
)

// Listed is an entry of a file's tables that nothing refers to, or that comes before its first use: compilers list the source
// position of an operation that they removed, or a type ahead of time. It has no meaning for the program, but is kept so that a
// file that was read can be written unchanged.
type Listed struct {
	Before any // the [*Op] or [*Entry] whose own entries follow; nil at the end of the module
	Item   any // a [Type], a [Loc], a [String], or a [*Constant] without a type
}

// fault says what is wrong with an item, "" for nothing. A version that lacks its type leaves it out.
func (l *Listed) fault() string {
	switch item := l.Item.(type) {
	case Loc, String:
	case *Constant:
		if item == nil {
			return "a constant is listed that is nil"
		}
	case Type:
		if !whole(item) {
			return "a type is listed that is nil or lacks a part"
		}
	default:
		return fmt.Sprintf("a %T is listed: expected a type, a position, a text or a constant", item)
	}
	return ""
}

// Typed reports whether a value is not nil and has a type; parts of the type may still be missing.
func (v *Value) Typed() bool {
	if v == nil {
		return false
	}
	switch t := v.Type.(type) {
	case *TileType:
		return t != nil
	case *TensorViewType:
		return t != nil
	case *PartitionViewType:
		return t != nil
	case *StridedViewType:
		return t != nil
	case *GatherScatterViewType:
		return t != nil
	case *FuncType:
		return t != nil
	}
	return v.Type != nil
}

// whole reports whether a type and all that it is made of are there.
func whole(t Type) bool {
	elem := func(e Elem) bool { return e > NoElem && e < numElems }
	tensor := func(t *TensorViewType) bool { return t != nil && elem(t.Elem) }
	switch t := t.(type) {
	case TokenType:
		return true
	case ScalarType:
		return elem(t.Elem)
	case *TileType:
		return t != nil && elem(t.Elem)
	case *TensorViewType:
		return tensor(t)
	case *PartitionViewType:
		return t != nil && tensor(t.Tensor)
	case *StridedViewType:
		return t != nil && tensor(t.Tensor)
	case *GatherScatterViewType:
		return t != nil && tensor(t.Tensor)
	case *FuncType:
		partial := func(t Type) bool { return !whole(t) }
		return t != nil && !slices.ContainsFunc(t.Params, partial) && !slices.ContainsFunc(t.Results, partial)
	}
	return false
}

package world

import (
	"go/types"
	"slices"
)

// TypeText is a type for a message, with the names of packages as code writes them.
func TypeText(t types.Type) string { return types.TypeString(t, (*types.Package).Name) }

// Texts replaces the types among the arguments of a message by their texts.
func Texts(args []any) []any {
	out := slices.Clone(args)
	for i, a := range out {
		if t, ok := a.(types.Type); ok {
			out[i] = TypeText(t)
		}
	}
	return out
}

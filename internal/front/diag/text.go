package diag

import (
	"fmt"
	"go/types"
	"slices"
)

// TypeText is a type for a message, with the names of packages as code writes them.
func TypeText(t types.Type) string { return types.TypeString(t, (*types.Package).Name) }

// Textf is fmt.Sprintf for a message: types among the arguments are written as [TypeText] writes them.
func Textf(format string, args ...any) string {
	args = slices.Clone(args)
	for i, a := range args {
		if t, ok := a.(types.Type); ok {
			args[i] = TypeText(t)
		}
	}
	return fmt.Sprintf(format, args...)
}

package describe

import (
	"strings"

	"github.com/cutile-go/cutile/internal/front/directive"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/tilec/decl"
)

// The packages of the language.
const (
	root      = "github.com/cutile-go/cutile"
	DtypePath = root + "/dtype"
	TilePath  = root + "/tile"
	OpPath    = root + "/tile/op"
)

// Language is the language of tile kernels.
var Language = &world.Language{
	Packages: []string{OpPath, TilePath}, Always: []string{"convert same", "convert int int", "const"},
	Keep:   []world.Symbol{{Path: OpPath, Name: "MaskOf"}}, // the lowering asks for it
	Std:    map[string]string{"math": world.Math},
	Bodies: []directive.Word{decl.Op, directive.Intrinsic},
	Check:  decl.Check, Type: ofType,
	Implied: isExtent, Extend: extend,
	Code: "a kernel", Caller: "launches the kernel",
	Library: "of the standard library, a kernel can use only package math",
	Instead: map[string]string{
		"fmt": ": use tile.Print, which takes the same verbs", "fmt.Errorf": ": use tile.Assert to stop the kernel",
		"errors": ": use tile.Assert to stop the kernel", "math/rand": ": use tile.Uniform", "math/rand/v2": ": use tile.Uniform",
		"sort": ": use tile.Sort", "slices": ": use tile.Sort for the elements of a tile", "math/bits": ": use the operators of Go",
	},
}

// isExtent reports an extent that is a number.
func isExtent(r world.Symbol) bool {
	return r.Path == TilePath && len(r.Name) > 1 && r.Name[0] == 'D' && strings.Trim(r.Name[1:], "0123456789") == ""
}

// ofType reads off a type's directive, before the type is reached, that it is an extent which is a number, so that a kernel's
// other instances share its world, and the function that makes its zero value.
func ofType(text string) (extent bool, zero string) {
	n, ok := strings.CutPrefix(text, "extent(")
	_, zero, _ = strings.Cut(text, " zero(")
	return ok && strings.Trim(n, "0123456789)") == "", strings.TrimSuffix(zero, ")")
}

// Package spoken names operations in messages by what the user wrote: of a Go kernel by the operation of package tile, of
// anybody's Tile IR by the mnemonic.
package spoken

import (
	"strings"

	"github.com/cutile-go/cutile/tileir"
)

// inGo has the operations of Tile IR that touch memory by what makes them in a kernel.
var inGo = map[int]string{
	tileir.OpLoadViewTko: "Load", tileir.OpStoreViewTko: "Store", tileir.OpLoadPtrTko: "Gather", tileir.OpStorePtrTko: "Scatter",
	tileir.OpAtomicRMWTko: "atomic operation", tileir.OpAtomicCASTko: "CompareAndSwap", tileir.OpAtomicRedViewTko: "atomic operation",
}

// Op is the name of an operation for those who read a message about it.
func Op(o *tileir.Op) string {
	if name, ok := inGo[o.Info.Opcode]; ok && strings.HasSuffix(o.Loc.File, ".go") {
		return name
	}
	return o.Info.Mnemonic
}

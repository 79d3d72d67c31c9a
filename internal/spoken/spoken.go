// Package spoken names operations in messages by what the user wrote: of a Go kernel by the operation of package tile, of
// anybody's Tile IR by the mnemonic.
package spoken

import (
	"strings"

	"github.com/cutile-go/cutile/tileir"
)

// inGo has the operations of Tile IR that touch memory by what makes them in a kernel.
var inGo = map[string]string{
	"load_view_tko": "Load", "store_view_tko": "Store", "load_ptr_tko": "Gather", "store_ptr_tko": "Scatter",
	"atomic_rmw_tko": "atomic operation", "atomic_cas_tko": "CompareAndSwap", "atomic_red_view_tko": "atomic operation",
}

// Op is the name of an operation for those who read a message about it.
func Op(o *tileir.Op) string {
	if name, ok := inGo[o.Info.Mnemonic]; ok && strings.HasSuffix(o.Loc.File, ".go") {
		return name
	}
	return o.Info.Mnemonic
}

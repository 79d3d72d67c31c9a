// Package conformance is the suite that every engine must pass: kernels of the whole tile language with seeded arguments
// and a reference of their own in plain Go.
//
// A [Case] is a kernel, its arguments and what must come out. [Cases] lists them all. A [Runner] runs a case on one
// device in several [Way]s, which must agree bit by bit with each other and keep the bounds of the reference. The bound
// is zero wherever the language defines the result exactly.
//
// The test binary of this package runs anywhere. By default it uses the CPU; CUTILE_DEVICE=cuda makes it run the cases
// on a GPU, with cubins from the file that CUTILE_CUBINS names where no assembler is installed (see scripts/gpu.sh).
package conformance

import (
	"embed"
	"io/fs"

	"github.com/cutile-go/cutile/internal/langsrc"
)

//go:embed kernels_*.go
var source embed.FS

const path = "github.com/cutile-go/cutile/internal/testing/conformance"

func init() {
	langsrc.Register(&langsrc.Source{Path: path, Dir: "conformance", FS: []fs.FS{source}})
}

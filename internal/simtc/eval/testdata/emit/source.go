// Package emit has a small host function with a kernel for each construct. Each file declares one exported host function,
// and the text file beside it shows the instructions that the evaluator writes down.
package emit

import (
	"embed"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
)

//go:embed *.go
var source embed.FS

var _ = cutile.Module(source)

// warp launches one block of 32 threads.
func warp() cute.Launch { return cute.Launch{Block: cute.D3(32, 1, 1)} }

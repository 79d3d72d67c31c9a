// Package emit has a small kernel for each construct of the language. Each file declares one kernel, and the text file
// beside it shows what the compiler makes of that: as the lowering leaves it, and after the passes.
package emit

import (
	"embed"

	"github.com/cutile-go/cutile"
)

//go:embed *.go
var source embed.FS

var _ = cutile.Module(source)

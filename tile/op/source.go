package op

import (
	"embed"
	"io/fs"

	"github.com/cutile-go/cutile/internal/langsrc"
)

//go:embed *.go
var files embed.FS

func init() {
	langsrc.Register(&langsrc.Source{Path: "github.com/cutile-go/cutile/tile/op", Dir: "github.com/cutile-go/cutile/tile/op", FS: []fs.FS{files}, Lang: true})
}

package tile

import (
	"embed"
	"io/fs"

	"github.com/cutile-go/cutile/internal/langsrc"
)

//go:embed *.go
var files embed.FS

func init() {
	langsrc.Register(&langsrc.Source{Path: "github.com/cutile-go/cutile/tile", Dir: "github.com/cutile-go/cutile/tile", FS: []fs.FS{files}, Lang: true})
}

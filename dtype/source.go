package dtype

import (
	"embed"
	"io/fs"

	"github.com/cutile-go/cutile/internal/langsrc"
)

//go:embed half.go
var files embed.FS

func init() {
	langsrc.Register(&langsrc.Source{Path: "github.com/cutile-go/cutile/dtype", Dir: "github.com/cutile-go/cutile/dtype", FS: []fs.FS{files}, Lang: true})
}

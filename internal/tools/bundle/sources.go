package bundle

import (
	"io/fs"
	"path"
	"slices"

	"github.com/cutile-go/cutile/internal/langsrc"
)

// Sources are the Go files of packages, as they are in the program, for [Report.Files]. The names of those of another package than the
// first have the package's, too.
func Sources(paths ...string) map[string][]byte {
	files := map[string][]byte{}
	for i, p := range paths {
		src := langsrc.Lookup(p)
		if src == nil || src.Lang || slices.Contains(paths[:i], p) {
			continue
		}
		prefix := "source-"
		if i > 0 {
			prefix += path.Base(p) + "-"
		}
		for _, fsys := range src.FS {
			names, err := fs.Glob(fsys, "*.go")
			if err != nil {
				continue
			}
			for _, name := range names {
				if text, err := fs.ReadFile(fsys, name); err == nil { // what cannot be read, the compiler has not read either
					files[prefix+name] = text
				}
			}
		}
	}
	return files
}

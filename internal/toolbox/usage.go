// Package toolbox has what the tools of the command cutile share: the mistakes of a command line, and modules of Tile IR in
// files. The tools themselves are in the packages below it.
package toolbox

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/tileir"
)

// Path is the import path of package cutile.
const Path = "github.com/cutile-go/cutile"

// UsageError is a wrong command line.
type UsageError string

// Error implements the error interface.
func (e UsageError) Error() string { return string(e) }

// Usagef makes a [UsageError].
func Usagef(format string, args ...any) error { return UsageError(fmt.Sprintf(format, args...)) }

// Version reads the flag -version; "" is 0.
func Version(text string) (tileir.Version, error) {
	if text == "" {
		return 0, nil
	}
	v, err := tileir.ParseVersion(text)
	if err != nil {
		return 0, Usagef("-version: %q is not one of %v", text, tileir.Versions())
	}
	return v, nil
}

// CheckArch checks the flag -arch, which may be empty.
func CheckArch(text string) error {
	if text != "" && !IsArch(text) {
		return Usagef("-arch: %q is not one of %s", text, strings.Join(tileir.Archs(), ", "))
	}
	return nil
}

// IsArch reports whether a text names an architecture that tileiras knows; an a or f, as of sm_90a, does not matter.
func IsArch(text string) bool {
	base := strings.TrimSuffix(text, "a")
	if base == text {
		base = strings.TrimSuffix(text, "f")
	}
	return slices.Contains(tileir.Archs(), base)
}

// OldestFor is the oldest version from 13.2 on that has what a module uses; 13.1 has too many gaps to be a default.
func OldestFor(m *tileir.Module) tileir.Version {
	for _, v := range tileir.Versions() {
		if v >= tileir.V13_2 && tileir.Verify(m, v) == nil {
			return v
		}
	}
	return tileir.Newest
}

// ShortPath makes a path relative where it lies below the current folder, as the go command does in its messages.
func ShortPath(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(wd, path)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return filepath.ToSlash(rel)
}

// PrintTrimmed prints lines without the spaces that align empty columns.
func PrintTrimmed(w io.Writer, text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintln(w, strings.TrimRight(line, " \n"))
	}
}

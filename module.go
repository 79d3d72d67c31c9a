package cutile

import (
	"embed"
	"io/fs"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/langsrc"
)

// Module registers the source of the calling package, so that its kernels, and functions that kernels of other packages
// call, can be compiled at run time. A package embeds the files that declare them and calls Module once:
//
//	//go:embed *.go
//	var source embed.FS
//	var _ = cutile.Module(source)
//
// Nothing is read before a kernel needs it. If a file is missing, or Module was not called, the first launch reports it.
//
//go:noinline
func Module(source embed.FS) struct{} {
	var pc [1]uintptr
	runtime.Callers(2, pc[:])
	frame, _ := runtime.CallersFrames(pc[:]).Next()
	langsrc.Register(&langsrc.Source{Path: packageOf(frame.Function), Dir: filepath.Dir(frame.File), FS: []fs.FS{source}})
	return struct{}{}
}

// Alias declares that the calling package re-exports functions, types and constants of another package under the same names: in
// a kernel, its names refer to those of the package with the import path of. It is for a package without kernel source of its
// own; one that calls [Module] needs no Alias, as long as it re-exports functions as functions and types as aliases.
//
//	var _ = cutile.Alias("example.com/library/internal/activation")
//
//	type Range = activation.Range
//	var Relu = activation.Relu
//
// The other package must register its source. A wrong path is reported when a kernel needs the package.
//
//go:noinline
func Alias(of string) struct{} {
	var pc [1]uintptr
	runtime.Callers(2, pc[:])
	frame, _ := runtime.CallersFrames(pc[:]).Next()
	langsrc.Alias(packageOf(frame.Function), of)
	return struct{}{}
}

// packageOf cuts the import path from a function's name in the symbol table. There the bytes that would be ambiguous
// are spelled as %xx, among them the dots of the last path element.
func packageOf(function string) string {
	slash := strings.LastIndexByte(cutTypes(function), '/') + 1
	dot := strings.IndexByte(function[slash:], '.')
	if dot < 0 {
		return function
	}
	return unescape(function[:slash+dot])
}

// cutTypes drops type arguments, in which import paths may stand.
func cutTypes(function string) string {
	before, _, _ := strings.Cut(function, "[")
	return before
}

func unescape(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] == '%' && i+2 < len(path) {
			if n, err := strconv.ParseUint(path[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		b.WriteByte(path[i])
	}
	return b.String()
}

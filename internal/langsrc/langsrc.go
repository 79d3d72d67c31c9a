// Package langsrc is the registry of embedded Go source that the kernel compiler may read: the language's own packages
// and those that users register with cutile.Module. Nothing is parsed here.
package langsrc

import (
	"io/fs"
	"slices"
	"sync"

	_ "github.com/cutile-go/cutile/internal/platform" // refuses systems on which kernels would fail
)

// Source is the source of one package.
type Source struct {
	Path string  // import path, as reflection spells it; "main" for a command
	Dir  string  // where the files lay when they were compiled; for positions in messages
	FS   []fs.FS // hold the files at their roots
	Lang bool    // a package of the language: errors in it belong to its caller

	// Outside are the names of a package of the language that are not in FS, as only the program has them that calls what
	// is compiled: functions, types and so on, and methods as T.m.
	Outside []string
}

var registry struct {
	sync.RWMutex
	byPath  map[string]*Source
	aliases map[string]string // path to path
}

// Register adds a package. A second registration under the same path adds its files to the first, as a package and its
// tests may embed different ones.
func Register(s *Source) {
	registry.Lock()
	defer registry.Unlock()
	if registry.byPath == nil {
		registry.byPath = map[string]*Source{}
	}
	if old := registry.byPath[s.Path]; old != nil {
		merged := *old
		merged.FS = append(slices.Clone(old.FS), s.FS...)
		s = &merged
	}
	registry.byPath[s.Path] = s
}

// Alias says that a package without source of its own gives the names of another one under its path.
func Alias(path, of string) {
	registry.Lock()
	defer registry.Unlock()
	if registry.aliases == nil {
		registry.aliases = map[string]string{}
	}
	registry.aliases[path] = of
}

// Target is the path whose source stands for an import path: the path itself where it is registered, or no alias, or one
// of a circle.
func Target(path string) string {
	registry.RLock()
	defer registry.RUnlock()
	end := path
	for range len(registry.aliases) + 1 { // more steps than a chain without a circle has
		of, ok := registry.aliases[end]
		if !ok || registry.byPath[end] != nil {
			return end
		}
		end = of
	}
	return path
}

// Lookup finds a package by its import path; nil if it is not registered.
func Lookup(path string) *Source {
	registry.RLock()
	defer registry.RUnlock()
	return registry.byPath[path]
}

// All lists the registered packages in the order of their paths.
func All() []*Source {
	registry.RLock()
	defer registry.RUnlock()
	all := make([]*Source, 0, len(registry.byPath))
	for _, s := range registry.byPath {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *Source) int {
		if a.Path < b.Path {
			return -1
		}
		return 1
	})
	return all
}

package cutile

import (
	"errors"

	"github.com/cutile-go/cutile/internal/engine"
)

// Stats counts compilations in this process.
type Stats struct {
	Compiled int64 // kernels, each set of facts by itself
	Failed   int64 // attempts that gave an error
	// Hits counts how often Tile IR was found in the process's cache, or another launch was making it: once for each launch
	// that compiles nothing, and once more when a device loads a kernel.
	Hits int64

	Assembled int64 // runs of NVIDIA's assembler
	Found     int64 // machine code that was found in the cache folder instead
	// CacheErr is why the cache folder could not be used the last time, which costs time and nothing else.
	CacheErr error
}

// CompileStats gives the counts so far.
func CompileStats() Stats {
	c := codes.Stats()
	s := Stats{Compiled: c.Made, Failed: c.Failed, Hits: c.Hits}
	for _, k := range engine.Kinds() {
		if k.Exporter != nil {
			made, found, err := k.Exporter.Stats()
			s.Assembled, s.Found, s.CacheErr = s.Assembled+made, s.Found+found, errors.Join(s.CacheErr, err)
		}
	}
	return s
}

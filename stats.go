package cutile

import (
	"errors"

	"github.com/cutile-go/cutile/internal/engine"
)

// Stats counts compilations in this process.
type Stats struct {
	Compiled int64 // kernels, counted once for each set of facts
	Failed   int64 // attempts that failed
	// Hits counts cache hits for Tile IR in this process, including Tile IR that another launch was making: one for each launch
	// that compiles nothing, and one more when a device loads a kernel.
	Hits int64

	Assembled int64 // runs of NVIDIA's assembler
	Found     int64 // machine code found in the cache folder instead
	// CacheErr is the most recent reason why the cache folder could not be used, which only costs time.
	CacheErr error
}

// CompileStats returns the current counts.
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

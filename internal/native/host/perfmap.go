package host

import (
	"fmt"
	"os"
	"strings"
	"sync"
)

// perfMap is the file in which perf looks for the names of functions that no file on disk contains.
type perfMap struct {
	mu   sync.Mutex
	path string
	file *os.File
}

var profiled = perfMap{path: fmt.Sprintf("/tmp/perf-%d.map", os.Getpid())}

// add appends functions of code at an address. The first call replaces a file that an earlier process of the same number left.
func (p *perfMap) add(base uintptr, functions []Function) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.file == nil {
		os.Remove(p.path) // O_EXCL reports what is still there, such as another user's file
		f, err := os.OpenFile(p.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return fmt.Errorf("the names of functions for perf cannot be written: %w", err)
		}
		p.file = f
	}
	var b strings.Builder
	for _, f := range functions {
		fmt.Fprintf(&b, "%x %x %s\n", base+uintptr(f.Offset), f.Size, strings.Join(strings.Fields(f.Name), " "))
	}
	if _, err := p.file.WriteString(b.String()); err != nil {
		return fmt.Errorf("the names of functions for perf cannot be written: %w", err)
	}
	return nil
}

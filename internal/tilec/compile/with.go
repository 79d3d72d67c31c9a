package compile

import (
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/internal/tilec/passes"
	"github.com/cutile-go/cutile/tileir"
)

// With is the code with another module, which somebody has written, for the same launches. It has to have the same entry, and to write no
// memory that the code does not write, since launches refuse arguments whose memory overlaps according to that.
func (c *Code) With(m *tileir.Module) (*Code, error) {
	own := c.Module.Entries[0]
	if len(m.Entries) != 1 || m.Entries[0].Name != c.Entry {
		return nil, fmt.Errorf("want one entry with the name %s", c.Entry)
	}
	e := m.Entries[0]
	if got, want := paramTypes(e), paramTypes(own); got != want {
		return nil, fmt.Errorf("the entry's parameters are (%s): want (%s)", got, want)
	}
	before := passes.Written(own)
	for i, w := range passes.Written(e) {
		if w && !before[i] {
			return nil, fmt.Errorf("the entry writes memory through its parameter #%d, which the kernel only reads", i)
		}
	}
	return &Code{Kernel: c.Kernel, Module: m, Entry: c.Entry, Writes: c.Writes, Equal: c.Equal}, nil
}

// paramTypes lists the types of an entry's parameters.
func paramTypes(e *tileir.Entry) string {
	var types []string
	for _, p := range e.Params {
		types = append(types, p.Type.String())
	}
	return strings.Join(types, ", ")
}

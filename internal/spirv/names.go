package spirv

import (
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/spirv/grammar"
)

// codes are the codes of instructions by name.
type codes struct {
	ops, glsl map[string]uint32
}

// ofGrammar collects the names.
var ofGrammar = sync.OnceValue(func() codes {
	g := grammar.Get()
	c := codes{map[string]uint32{}, map[string]uint32{}}
	for _, op := range g.Ops {
		c.ops[op.Name] = op.Code
	}
	if set, ok := g.Set("GLSL.std.450"); ok {
		for _, op := range set.Ops {
			c.glsl[strings.TrimPrefix(op.Name, "Op")] = op.Code
		}
	}
	return c
})

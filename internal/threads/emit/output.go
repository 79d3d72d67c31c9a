package emit

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/tileir"
)

// assert looks at each element.
func (e *emitter) assert(op *tileir.Op) {
	v := op.Operands[0]
	message, _ := op.Attr("message").(tileir.String)
	seen := map[ir.Value]bool{}
	for _, x := range e.get(v, e.current(v)) {
		if !seen[x] {
			seen[x] = true
			e.Assert(x, fmt.Sprintf("assertion failed: %s", message))
		}
	}
}

func (e *emitter) print(op *tileir.Op) { e.refuse("printing is not there yet") }

package lower

import (
	"go/types"
	"testing"

	"github.com/cutile-go/cutile/internal/goval"
)

// TestBuiltins: each of Go's own functions is compiled, or its refusal says what to write in its place.
func TestBuiltins(t *testing.T) {
	for _, name := range types.Universe.Names() {
		if _, ok := types.Universe.Lookup(name).(*types.Builtin); !ok {
			continue
		}
		advice := goval.Instead(name, instead)
		if _, ok := builtins[name]; ok == (advice != "") {
			t.Errorf("%s: compiled is %v, and the advice of its refusal %q", name, ok, advice)
		}
	}
}

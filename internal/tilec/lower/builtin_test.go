package lower

import (
	"go/types"
	"testing"
)

// TestBuiltins: each of Go's own functions is compiled, or its refusal says what to write in its place.
func TestBuiltins(t *testing.T) {
	for _, name := range types.Universe.Names() {
		if _, ok := types.Universe.Lookup(name).(*types.Builtin); !ok {
			continue
		}
		if _, ok := builtins[name]; ok == (instead[name] != "") {
			t.Errorf("%s: compiled is %v, and the advice of its refusal %q", name, ok, instead[name])
		}
	}
}

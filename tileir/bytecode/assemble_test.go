package bytecode_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	. "github.com/cutile-go/cutile/tileir"
)

// notAssembled are the operations whose samples tileiras cannot compile, and why.
var notAssembled = map[string]string{
	"atomic_rmw_tko": "it fails on an addf of f16 at a constant address; TestTargets has one that compiles",
}

// TestAssembleEveryOperation gives the samples of each operation to tileiras, in the first and the last version that has
// it, for the one architecture that has every element type.
func TestAssembleEveryOperation(t *testing.T) {
	tool := testenv.Tool(t, "tileiras")
	for _, v := range Versions() {
		for _, in := range Infos() {
			if !in.InBody || v != in.Since && v != Newest || v != Newest && in.Mnemonic == "constant" {
				continue // constants are thousands, and the same in all versions
			}
			out, err := assemble(t, tool, samplesModule(in, v), v, "sm_107")
			if _, known := notAssembled[in.Mnemonic]; known != (err != nil) {
				t.Errorf("%s in %v: %v: %.300s", in.Mnemonic, v, err, out)
			}
		}
	}
}

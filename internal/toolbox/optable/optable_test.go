package optable

import (
	"testing"

	"github.com/cutile-go/cutile/tileir"
)

// TestCPURuns asks about an operation that no engine can have.
func TestCPURuns(t *testing.T) {
	if cpuRuns(&tileir.Info{Mnemonic: "levitate", Opcode: -1}) {
		t.Error("the CPU engine is said to run an operation that does not exist")
	}
	if !cpuRuns(tileir.Lookup("addf")) {
		t.Error("the CPU engine is said not to add")
	}
}

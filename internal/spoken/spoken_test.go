package spoken_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/spoken"
	"github.com/cutile-go/cutile/tileir"
)

// TestOp: each operation that touches memory has a name for users of package tile, and keeps its own for those of Tile IR.
func TestOp(t *testing.T) {
	n := 0
	for _, info := range tileir.Infos() {
		name := info.Mnemonic
		if !strings.HasPrefix(name, "load_") && !strings.HasPrefix(name, "store_") && !strings.HasPrefix(name, "atomic_") {
			continue
		}
		n++
		if got := spoken.Op(&tileir.Op{Info: info, Loc: tileir.Loc{File: "a.go"}}); strings.Contains(got, "_") {
			t.Errorf("%s of a Go kernel is called %s", name, got)
		}
		for _, file := range []string{"", "a.py"} {
			if got := spoken.Op(&tileir.Op{Info: info, Loc: tileir.Loc{File: file}}); got != name {
				t.Errorf("%s of %q is called %s", name, file, got)
			}
		}
	}
	if n < 7 {
		t.Errorf("only %d operations", n)
	}
}

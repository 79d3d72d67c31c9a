package cuda

import (
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/tools/store"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// TestOwnKeyVariables: code is kept apart by what debuggers are told, also where the bytecode is the same, and only if they are told something.
func TestOwnKeyVariables(t *testing.T) {
	m, err := text.Parse("cuda_tile.module @m {\n  entry @k(%x: tile<i32>) {\n    %y = addi %x, %x : tile<i32>\n    return\n  }\n}\n", text.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	e := m.Entries[0]
	ops := e.Body.Ops
	x, y := e.Params[0], ops[0].Results[0]
	holding := func(name string, line int, before *tileir.Op, v *tileir.Value) []tileir.Holding {
		return []tileir.Holding{{Variable: &tileir.Variable{Name: name, Loc: tileir.Loc{Line: line}}, Before: before, What: &tileir.VariablePart{Type: "int32", Value: v}}}
	}
	for _, asked := range []string{"", "variables"} {
		t.Setenv("CUTILE_DEBUG", asked)
		seen := map[store.Key]int{}
		for i, h := range [][]tileir.Holding{nil, holding("a", 1, ops[1], y), holding("b", 1, ops[1], y), holding("a", 2, ops[1], y), holding("a", 1, ops[1], x), holding("a", 1, ops[0], x)} {
			e.Holdings = h
			key := ownKey(nil, e, []simt.Arch{{}}, keptPTX, "")
			if other, ok := seen[key]; ok == (asked != "") && i > 0 {
				t.Errorf("CUTILE_DEBUG=%s: the keys of %d and %d are the same: %v", asked, other, i, ok)
			}
			seen[key] = i
		}
	}
}

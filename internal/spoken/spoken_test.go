package spoken_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/spoken"
	"github.com/cutile-go/cutile/tileir"
)

// TestOp: each operation of a Go kernel, but for what the compiler adds itself, has a name that users of package tile know, and keeps its own
// for those of Tile IR.
func TestOp(t *testing.T) {
	// What no user wrote: the module's parts and ends of blocks, tokens, views, constants, pointers, and promises; loops and branches have
	// Go's words.
	own := strings.Fields("entry global module return yield continue break make_token join_tokens make_tensor_view make_partition_view constant offset " +
		"int_to_ptr assume for loop if")
	n := 0
	for _, info := range tileir.Infos() {
		name := info.Mnemonic
		got := spoken.Op(&tileir.Op{Info: info, Loc: tileir.Loc{File: "a.go"}})
		if slices.Contains(own, name) {
			if got != name {
				t.Errorf("%s of a Go kernel is called %s", name, got)
			}
			continue
		}
		n++
		if got == name || strings.Contains(got, "_") {
			t.Errorf("%s of a Go kernel is called %s", name, got)
		}
		for _, file := range []string{"", "a.py"} {
			if got := spoken.Op(&tileir.Op{Info: info, Loc: tileir.Loc{File: file}}); got != name {
				t.Errorf("%s of %q is called %s", name, file, got)
			}
		}
	}
	if n < 75 {
		t.Errorf("only %d operations", n)
	}
}

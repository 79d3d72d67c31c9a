package ir_test

import (
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/native/vec"
	. "github.com/cutile-go/cutile/internal/threads/ir"
)

// TestPackUnpack: a word whose parts are joined as they were is that word, and no other one is.
func TestPackUnpack(t *testing.T) {
	b := NewBuilder("k", 32, []vec.Type{vec.I32, vec.I32})
	x := b.Param(0)
	parts, others := b.Unpack(vec.I8, vec.I32, x), b.Unpack(vec.I8, vec.I32, b.Param(1))
	if got := b.Pack(vec.I32, vec.I8, parts...); got != x {
		t.Errorf("got value %d, want %d", got, x)
	}
	turned := slices.Clone(parts)
	slices.Reverse(turned)
	for what, src := range map[string][]Value{"reversed": turned, "of two words": slices.Concat(parts[:2], others[2:]), "one twice": slices.Repeat(parts[:1], 4)} {
		if got := b.Pack(vec.I32, vec.I8, src...); got == x {
			t.Errorf("%s: it is taken for the whole word", what)
		}
	}
	if got := b.Pack(vec.I16, vec.I8, parts[:2]...); got == x {
		t.Error("a half is taken for the whole word")
	}
}

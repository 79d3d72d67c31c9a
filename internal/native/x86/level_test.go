package x86

import (
	"testing"

	"github.com/cutile-go/cutile/internal/native/host"
)

// TestAllowed checks that the assembler knows everything that a level requires, and that a level below allows less.
func TestAllowed(t *testing.T) {
	for l, lv := range levels {
		var known host.Features
		for _, f := range features {
			known |= f.host
		}
		if !known.Has(l.Requires()) || lv.allowed() == 0 {
			t.Errorf("%s requires %s, of which the assembler knows %s", l, l.Requires(), known)
		}
	}
	if low, high := avx2.allowed(), avx512.allowed(); low == high || !high.Has(low) {
		t.Errorf("avx2 allows %s, avx512 %s", low, high)
	}
}

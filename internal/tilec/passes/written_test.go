package passes_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/tilec/passes"
	"github.com/cutile-go/cutile/tileir"
)

// TestStores: the operations that write are those which the table calls so.
func TestStores(t *testing.T) {
	for _, in := range tileir.Infos() {
		want := strings.HasPrefix(in.Mnemonic, "store_") || strings.HasPrefix(in.Mnemonic, "atomic_")
		if passes.Stores(in) != want {
			t.Errorf("%s writes: got %v, want %v", in.Mnemonic, !want, want)
		}
	}
}

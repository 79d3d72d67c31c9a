package right

import (
	"testing"

	"example.com/vetted/helper"
	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// TestLiteral has a literal in a file that the package has only with its tests.
func TestLiteral(t *testing.T) {
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	x, z := &cutile.Tensor[float32]{}, &cutile.Tensor[float32]{}
	cutile.Launch(t.Context(), dev, helper.Mapped[tile.D8], x, func(v tile.F32T1[tile.D8]) tile.F32T1[tile.D8] { return -v }, z)
}

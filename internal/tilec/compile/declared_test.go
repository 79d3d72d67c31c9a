package compile_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/tilec/compile/testdata/ext"
	"github.com/cutile-go/cutile/tile"
)

// TestDeclaredOperationRuns uses operations that a user's package declares by directives alone, in a kernel that runs.
func TestDeclaredOperationRuns(t *testing.T) {
	ctx := context.Background()
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	x, err := cutile.FromSlice(dev, []float32{1, 2, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	y, _ := cutile.FromSlice(dev, []float32{10, 20, 30, 40})
	z, err := cutile.NewTensor[float32](dev, 8)
	if err != nil {
		t.Fatal(err)
	}
	if err := cutile.Launch(ctx, dev, ext.Join[tile.D4, tile.D8], x, y, z); err != nil {
		t.Fatal(err)
	}
	got, err := z.Slice()
	if want := []float32{1, 2, 3, 4, 21, 41, 61, 81}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// TestWrongDeclarations are reported at the directive.
func TestWrongDeclarations(t *testing.T) {
	for _, c := range []struct {
		fn   any
		want string
	}{
		{ext.UsesMisnamed[tile.D16], "directive of Misnamed: ceil has no attribute rounding_mode; it has none"},
		{ext.UsesHides[tile.D16], "directive of Hides: parameter zero hides the value zero of RoundingMode: rename the parameter"},
	} {
		err := compileFor(c.fn)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "//cutile:op") {
			t.Errorf("got %v\nwant %q", err, c.want)
		}
	}
	const want = "parameter x: type ext.bare is made by a //cutile:param function, but has no type argument: the first one must be the type of a tile"
	if err := compileFor(ext.UsesBare[tile.D16]); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v\nwant %q", err, want)
	}
}

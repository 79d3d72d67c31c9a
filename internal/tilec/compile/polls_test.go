package compile_test

import (
	"context"
	"testing"

	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/testing/polls"
	"github.com/cutile-go/cutile/internal/tilec/compile"
)

// TestEndsWithContext: compiling a kernel ends wherever it looks at its context, while it lowers and between the passes.
func TestEndsWithContext(t *testing.T) {
	k, err := compile.Resolve(elements)
	if err != nil {
		t.Fatal(err)
	}
	polls.Each(t, 20, func(ctx context.Context) error {
		_, err := k.CompileWithin(ctx, facts(k), limit.Limits{})
		return err
	})
}

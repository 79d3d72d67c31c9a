package opt_test

import (
	"context"
	"testing"

	"github.com/cutile-go/cutile/internal/simt/opt"
	"github.com/cutile-go/cutile/internal/testing/polls"
)

// TestEndsWithContext: the passes end wherever they look at their context.
func TestEndsWithContext(t *testing.T) {
	polls.Each(t, 6, func(ctx context.Context) error {
		return opt.Module(ctx, parse(t, in+"mov.b32 %r4, 3;\nshl.b32 %r0, %r1, %r4;\n"+out))
	})
}

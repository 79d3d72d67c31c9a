package loops_test

import (
	"context"
	"errors"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
	"github.com/cutile-go/cutile/internal/graph/loops"
)

// TestPlanningEnds: a context that has ended ends the planning, which takes long for graphs of many nodes.
func TestPlanningEnds(t *testing.T) {
	g := &ir.Graph{}
	x, err := g.Parameter("x", dtype.F32, []int{5})
	if err != nil {
		t.Fatal(err)
	}
	y, err := g.Pointwise("neg", x)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := loops.New(t.Context(), []*ir.Node{y}, 64); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := loops.New(ctx, []*ir.Node{y}, 64); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v, expected that of the context", err)
	}
}

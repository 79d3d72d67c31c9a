package dist

import (
	"context"
	"fmt"

	"github.com/cutile-go/cutile/internal/collective"
	core "github.com/cutile-go/cutile/internal/device"
)

// queue queues a collective. dst and src may be nil, or the same.
func (g *Group) queue(ctx context.Context, r *collective.Request, dst, src *core.Tensor) error {
	var parts []core.Part
	at := func(t *core.Tensor, writes bool) int {
		size := int64(t.Elem.Size())
		p := core.Part{Use: core.Use{Memory: t.Memory, Writes: writes}, Fresh: writes && dst != src && r.Kind != collective.Broadcast, Bytes: int64(t.View.Len()) * size}
		if p.Bytes > 0 { // a view without elements may begin behind the memory
			p.Offset = int64(t.View.Offset) * size
		}
		parts = append(parts, p)
		return len(parts) - 1
	}
	to, from := -1, -1
	if dst != nil {
		to = at(dst, true)
	}
	if src == dst {
		from = to
	} else if src != nil {
		from = at(src, false)
	}
	name := r.Kind.String()
	if g.ccl != nil && takes(r) {
		if err := g.queueNative(ctx, r, parts, to, from); err != nil {
			return fmt.Errorf("dist: %v: %w", name, err)
		}
		return nil
	}
	if g.ccl != nil && g.comm == nil && g.size > 1 {
		return fmt.Errorf("dist: %v: NCCL does not reduce %v: convert the tensors, or start the program with mpirun, so that MPI does", name, r.Elem)
	}
	err := g.stream.Internal().Host(ctx, name, parts, func(bytes [][]byte) error {
		g.calls.Lock()
		defer g.calls.Unlock()
		defer g.watch(name)()
		var d, s []byte
		if to >= 0 {
			d = bytes[to]
		}
		if from >= 0 {
			s = bytes[from]
		}
		return g.run.Do(r, d, s)
	})
	if err != nil {
		return fmt.Errorf("dist: %v: %w", name, err)
	}
	return nil
}

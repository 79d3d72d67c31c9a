package dist

import (
	"context"
	"fmt"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/collective"
	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/device/strided"
)

// check finds the mistakes of a call before anything is queued.
type check[E dtype.Elem] struct {
	g        *Group
	what     collective.Kind
	root     bool              // this process is the root
	dst, src *device.Tensor[E] // nil if this process has none
	err      error             // the first mistake
}

// begin checks what all calls have: the group, and the tensors that a collective of the kind has.
func begin[E dtype.Elem](ctx context.Context, g *Group, what collective.Kind, dst, src *device.Tensor[E]) *check[E] {
	c := &check[E]{g: g, what: what, dst: dst, src: src, err: g.usable(ctx)}
	c.tensors()
	return c
}

// rooted is begin for a collective with a root. A tensor that the root alone has is ignored in the others.
func rooted[E dtype.Elem](ctx context.Context, g *Group, what collective.Kind, root int, dst, src *device.Tensor[E]) *check[E] {
	c := &check[E]{g: g, what: what, dst: dst, src: src, err: g.usable(ctx)}
	c.rank("root", root)
	c.root = c.err == nil && root == g.Rank()
	c.tensors()
	return c
}

// tensors checks the tensors that this process has, and forgets others.
func (c *check[E]) tensors() {
	if c.err != nil {
		return
	}
	dstName, srcName := "dst", "src"
	if c.what == collective.Broadcast || c.what == collective.Send || c.what == collective.Recv {
		dstName, srcName = "the tensor", "the tensor"
	}
	if c.what.Writes(c.root) {
		c.tensor(dstName, c.dst)
	} else {
		c.dst = nil
	}
	if c.what.Reads(c.root) {
		c.tensor(srcName, c.src)
	} else {
		c.src = nil
	}
}

func (c *check[E]) mistake(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("dist: %v: "+format, append([]any{c.what}, args...)...)
	}
}

func (c *check[E]) order() collective.Order {
	if c.g == nil {
		return collective.Any
	}
	return c.g.options.order
}

func (c *check[E]) reduces(op Op) {
	if op < Sum || op > Min {
		c.mistake("there is no reduction %d: use Sum, Product, Max or Min", op)
	}
}

// lengths says how many parts dst and src have, each of the same length.
func (c *check[E]) lengths(dst, src int) {
	if c.err != nil || c.dst == nil || c.src == nil || c.dst.Len()*src == c.src.Len()*dst {
		return
	}
	n, m := c.dst.Len(), c.src.Len()
	switch {
	case dst > src:
		c.mistake("dst has %d elements, but the %d processes have %d each: it needs %d", n, dst, m, dst*m)
	case src > dst:
		c.mistake("src has %d elements, but the %d processes get %d each: it needs %d", m, src, n, src*n)
	default:
		c.mistake("dst has %d elements, but src has %d: give them the same number", n, m)
	}
}

// parts refuses a tensor that cannot be divided among all processes.
func (c *check[E]) parts(t *device.Tensor[E]) {
	if n := c.g.Size(); t.Len()%n != 0 {
		c.mistake("%d elements cannot be divided into equal parts for %d processes", t.Len(), n)
	}
}

func (c *check[E]) rank(name string, rank int) {
	if c.err != nil {
		return
	}
	if rank < 0 || rank >= c.g.Size() {
		c.mistake("%s is rank %d, but the group has the ranks 0 to %d", name, rank, c.g.Size()-1)
	}
}

// other refuses the process itself, which would wait for itself.
func (c *check[E]) other(name string, rank int) {
	c.rank(name, rank)
	if rank == c.g.Rank() {
		c.mistake("%s is rank %d, this process itself: use SendRecv, or copy the tensor", name, rank)
	}
}

func (c *check[E]) ring(to, from int) {
	if self := c.g.Rank(); (to == self) != (from == self) {
		c.mistake("this process, rank %d, is one of to (%d) and from (%d) but not both, so a message would be left over", self, to, from)
	}
	if c.err == nil && to == c.g.Rank() {
		c.lengths(1, 1)
	}
}

// tensor refuses a tensor that the group cannot work on.
func (c *check[E]) tensor(name string, t *device.Tensor[E]) {
	u := t.Untyped()
	switch {
	case u == nil:
		c.mistake("%s is nil", name)
	case u.Err != nil:
		c.mistake("%s: %w", name, u.Err)
	case u.Memory.Closed():
		c.mistake("%s is %w", name, device.ErrClosed)
	case t.Device() != c.g.dev:
		c.mistake("%s is on another device%s, and the group works on %s: move it there, or join with its device",
			name, t.Device().Internal().Apart(c.g.dev.Internal()), c.g.dev.Name())
	case !t.IsContiguous():
		c.mistake("%s has gaps (shape %v, strides %v): use what its Contiguous method returns", name, t.Shape(), t.Strides())
	}
}

// queue queues the collective if there is no mistake.
func (c *check[E]) queue(ctx context.Context, r collective.Request) error {
	var dst, src *core.Tensor
	if c.err == nil && c.dst != nil {
		dst = c.dst.Untyped()
	}
	if c.err == nil && c.src != nil {
		src = c.src.Untyped()
	}
	if dst != nil && src != nil && dst.Memory == src.Memory && strided.Overlap(dst.View, src.View) {
		if c.what != collective.AllReduce && c.what != collective.Reduce || dst.View.Offset != src.View.Offset {
			c.mistake("dst and src overlap in memory: give it two tensors that do not")
		}
		src = dst
	}
	if c.err != nil {
		return c.err
	}
	r.Kind, r.Elem = c.what, dtype.Of[E]()
	return c.g.queue(ctx, &r, dst, src)
}

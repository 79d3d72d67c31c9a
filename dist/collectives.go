package dist

import (
	"context"
	"fmt"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/collective"
	"github.com/cutile-go/cutile/internal/driver/mpi"
)

// Op is how elements are reduced.
type Op int

// The reductions. Integers wrap around. Float16 and BFloat16 are computed in float32, in the order of ranks, and rounded once. Sums and products
// of float32 and float64 have an order only in groups that were made with [WithOrder]. Of Max and Min the result is NaN if any element is.
// NCCL rounds Float16 and BFloat16, and treats NaN, in its own way.
const (
	Sum     = Op(mpi.Sum)
	Product = Op(mpi.Product)
	Max     = Op(mpi.Max)
	Min     = Op(mpi.Min)
)

var opNames = map[Op]string{Sum: "Sum", Product: "Product", Max: "Max", Min: "Min"}

// String returns the name of the constant.
func (op Op) String() string {
	if name, ok := opNames[op]; ok {
		return name
	}
	return fmt.Sprintf("Op(%d)", int(op))
}

// Number lists the element types that can be reduced.
type Number interface {
	device.Number | dtype.Float16 | dtype.BFloat16
}

// AllReduce reduces src over all processes, element by element, and leaves the result in dst of each. dst may be src itself. Both have the same
// number of elements; their shapes may differ.
//
// Tensors of all functions of this package must be contiguous and belong to the group's device. dst and src must not overlap, but for
// AllReduce and Reduce of one tensor in place. The call queues the collective; ctx bounds only what the call waits for before that. A mistake is an
// error before anything is sent; the other processes may be waiting then, so the program should end with a code.
func AllReduce[E Number](ctx context.Context, g *Group, op Op, dst, src *device.Tensor[E]) error {
	c := begin(ctx, g, collective.AllReduce, dst, src)
	c.reduces(op)
	c.lengths(1, 1)
	return c.queue(ctx, collective.Request{Op: mpi.Op(op), Order: c.order()})
}

// ReduceScatter reduces src over all processes, and leaves part i of the result in dst of rank i. src has [Group.Size] times as
// many elements as dst: the parts follow each other in row-major order, as along the first axis.
func ReduceScatter[E Number](ctx context.Context, g *Group, op Op, dst, src *device.Tensor[E]) error {
	c := begin(ctx, g, collective.ReduceScatter, dst, src)
	c.reduces(op)
	c.lengths(1, g.Size())
	return c.queue(ctx, collective.Request{Op: mpi.Op(op), Order: c.order()})
}

// AllGather leaves the src of rank i in part i of dst, in each process. dst has [Group.Size] times as many elements as src: the parts follow each
// other in row-major order, as along the first axis.
func AllGather[E dtype.Elem](ctx context.Context, g *Group, dst, src *device.Tensor[E]) error {
	c := begin(ctx, g, collective.AllGather, dst, src)
	c.lengths(g.Size(), 1)
	return c.queue(ctx, collective.Request{})
}

// AllToAll leaves part j of the src of rank i in part i of the dst of rank j. Both tensors have [Group.Size] parts of equal length, which
// follow each other in row-major order.
func AllToAll[E dtype.Elem](ctx context.Context, g *Group, dst, src *device.Tensor[E]) error {
	c := begin(ctx, g, collective.AllToAll, dst, src)
	c.lengths(1, 1)
	c.parts(src)
	return c.queue(ctx, collective.Request{})
}

// Broadcast copies the elements of rank root to t of all processes.
func Broadcast[E dtype.Elem](ctx context.Context, g *Group, root int, t *device.Tensor[E]) error {
	return rooted(ctx, g, collective.Broadcast, root, t, nil).queue(ctx, collective.Request{Root: root})
}

// Reduce reduces src over all processes, element by element, and leaves the result in dst of rank root. There dst may be src itself. The dst of
// the others is not used, and may be nil.
func Reduce[E Number](ctx context.Context, g *Group, op Op, root int, dst, src *device.Tensor[E]) error {
	c := rooted(ctx, g, collective.Reduce, root, dst, src)
	c.reduces(op)
	c.lengths(1, 1)
	return c.queue(ctx, collective.Request{Op: mpi.Op(op), Order: c.order(), Root: root})
}

// Gather leaves the src of rank i in part i of the dst of rank root. That has [Group.Size] times as many elements as src: the parts follow each
// other in row-major order, as along the first axis. The dst of the others is not used, and may be nil.
func Gather[E dtype.Elem](ctx context.Context, g *Group, root int, dst, src *device.Tensor[E]) error {
	c := rooted(ctx, g, collective.Gather, root, dst, src)
	c.lengths(g.Size(), 1)
	return c.queue(ctx, collective.Request{Root: root})
}

// Scatter leaves part i of the src of rank root in the dst of rank i. That src has [Group.Size] times as many elements as dst: the parts follow
// each other in row-major order, as along the first axis. The src of the others is not used, and may be nil.
func Scatter[E dtype.Elem](ctx context.Context, g *Group, root int, dst, src *device.Tensor[E]) error {
	c := rooted(ctx, g, collective.Scatter, root, dst, src)
	c.lengths(1, g.Size())
	return c.queue(ctx, collective.Request{Root: root})
}

// Send sends t to another process, which must call [Recv] with as many elements. Messages between two processes come in order. The group's
// collectives that are queued later wait until the message has been taken: two processes that send to each other use [SendRecv].
func Send[E dtype.Elem](ctx context.Context, g *Group, to int, t *device.Tensor[E]) error {
	c := begin(ctx, g, collective.Send, nil, t)
	c.other("to", to)
	return c.queue(ctx, collective.Request{To: to})
}

// Recv receives t from another process, which calls [Send] or [SendRecv]. A message of another length is an error; NCCL
// does not notice it.
func Recv[E dtype.Elem](ctx context.Context, g *Group, from int, t *device.Tensor[E]) error {
	c := begin(ctx, g, collective.Recv, t, nil)
	c.other("from", from)
	return c.queue(ctx, collective.Request{From: from})
}

// SendRecv sends src to one process while it receives dst from one, the same or another, as processes in a ring do. Both may have different
// lengths. In a ring of one process it copies.
func SendRecv[E dtype.Elem](ctx context.Context, g *Group, to int, src *device.Tensor[E], from int, dst *device.Tensor[E]) error {
	c := begin(ctx, g, collective.SendRecv, dst, src)
	c.rank("to", to)
	c.rank("from", from)
	c.ring(to, from)
	return c.queue(ctx, collective.Request{To: to, From: from})
}

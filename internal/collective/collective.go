// Package collective computes collectives on bytes: what processes do together with arrays that each of them has. It asks an MPI for
// what MPI can do, in calls that MPI can count, and does the rest itself: sums in a fixed order, and elements that MPI does not know.
package collective

import (
	"fmt"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/driver/mpi"
)

// Wire connects the processes. Counts are of elements of one part. [mpi.Comm] is one; its methods say more.
type Wire interface {
	Rank() int
	Size() int
	Barrier() error
	Allreduce(op mpi.Op, t mpi.Type, n int, dst, src []byte) error
	ReduceScatter(op mpi.Op, t mpi.Type, n int, dst, src []byte) error
	Allgather(t mpi.Type, n int, dst, src []byte) error
	Alltoall(t mpi.Type, n int, dst, src []byte) error
	Bcast(t mpi.Type, n int, buf []byte, root int) error
	Reduce(op mpi.Op, t mpi.Type, n int, dst, src []byte, root int) error
	Gather(t mpi.Type, n int, dst, src []byte, root int) error
	Scatter(t mpi.Type, n int, dst, src []byte, root int) error
	Send(t mpi.Type, n int, src []byte, to int) error
	Recv(t mpi.Type, n int, dst []byte, from int) error
	SendRecv(t mpi.Type, n int, src []byte, to, m int, dst []byte, from int) error
}

// Kind is a kind of collective.
type Kind int

// The kinds.
const (
	Barrier Kind = iota
	AllReduce
	ReduceScatter
	AllGather
	AllToAll
	Broadcast
	Reduce
	Gather
	Scatter
	Send
	Recv
	SendRecv
)

// side says which processes have an array of a collective.
type side int

const (
	none side = iota
	all
	root // it alone
)

// of reports whether a process has the array.
func (s side) of(isRoot bool) bool { return s == all || s == root && isRoot }

var kinds = []struct {
	name          string
	pairs         bool   // two processes alone are in it
	reduces       bool   // it has an operation and an order
	rooted        string // it has a root: the word between the kind and the root's rank
	reads, writes side   // who has src, dst
	do            func(c *Runner, r *Request, dst, src []byte) error
}{
	Barrier:       {name: "Barrier", do: func(c *Runner, _ *Request, _, _ []byte) error { return c.wire.Barrier() }},
	AllReduce:     {name: "AllReduce", reduces: true, reads: all, writes: all, do: (*Runner).allReduce},
	ReduceScatter: {name: "ReduceScatter", reduces: true, reads: all, writes: all, do: (*Runner).reduceScatter},
	AllGather:     {name: "AllGather", reads: all, writes: all, do: (*Runner).allGather},
	AllToAll:      {name: "AllToAll", reads: all, writes: all, do: (*Runner).allToAll},
	Broadcast:     {name: "Broadcast", rooted: "from", writes: all, do: (*Runner).broadcast},
	Reduce:        {name: "Reduce", reduces: true, rooted: "to", reads: all, writes: root, do: (*Runner).reduce},
	Gather:        {name: "Gather", rooted: "to", reads: all, writes: root, do: (*Runner).gather},
	Scatter:       {name: "Scatter", rooted: "from", reads: root, writes: all, do: (*Runner).scatter},
	Send:          {name: "Send", pairs: true, reads: all, do: (*Runner).send},
	Recv:          {name: "Recv", pairs: true, writes: all, do: (*Runner).recv},
	SendRecv:      {name: "SendRecv", pairs: true, reads: all, writes: all, do: (*Runner).sendRecv},
}

// String gives the name of the function of package dist.
func (k Kind) String() string { return kinds[k].name }

// Reduces reports whether it computes, so that it has an operation and an order.
func (k Kind) Reduces() bool { return kinds[k].reduces }

// Reads reports whether a process has src, which may be the root.
func (k Kind) Reads(isRoot bool) bool { return kinds[k].reads.of(isRoot) }

// Writes reports whether a process has dst, which may be the root.
func (k Kind) Writes(isRoot bool) bool { return kinds[k].writes.of(isRoot) }

// Order is the order of sums and products of floats.
type Order int

// The orders: any, ((t₀ + t₁) + t₂) + …, and by neighbours, (t₀ + t₁) + (t₂ + t₃).
const (
	Any Order = iota
	Ranks
	Tree
)

// Request is a collective. Its arrays have elements of one type.
type Request struct {
	Kind  Kind
	Op    mpi.Op // of reductions
	Elem  dtype.Type
	Root  int   // of Broadcast, Reduce, Gather and Scatter
	To    int   // who receives what is sent
	From  int   // who sends what is received
	Order Order // of sums and products of floats
}

// Runner does collectives, one at a time.
type Runner struct {
	wire    Wire // nil for a single process
	checks  bool
	most    int // elements in a call
	block   int // bytes of a part that is reduced here
	scratch [3][]byte
}

// New makes a runner of a communicator; nil for a single process. checks asks all processes what they do before each collective, so that
// differences are errors.
func New(w Wire, checks bool) *Runner {
	return &Runner{wire: w, checks: checks, most: 1<<31 - 1, block: 1 << 20}
}

// Do does a collective. dst is what is received and src what is sent; nil where the process has no such array. Barrier has none, and Broadcast
// has dst alone.
func (c *Runner) Do(r *Request, dst, src []byte) error {
	if c.checks && c.wire != nil && !kinds[r.Kind].pairs {
		if err := c.Agree(r, len(dst), len(src)); err != nil {
			return err
		}
	}
	switch {
	case c.wire == nil || c.wire.Size() == 1 && !kinds[r.Kind].pairs:
		copy(dst, src)
		return nil
	case len(dst)+len(src) == 0 && r.Kind != Barrier && !kinds[r.Kind].pairs:
		return nil
	}
	if err := kinds[r.Kind].do(c, r, dst, src); err != nil {
		return fmt.Errorf("%s: %w", r.text(dst, src), err)
	}
	return nil
}

// text describes a request, such as "AllReduce of 7 float32".
func (r *Request) text(dst, src []byte) string {
	if r.Kind == Barrier {
		return "Barrier"
	}
	return fmt.Sprintf("%s of %d %v", r.Kind, max(len(dst), len(src))/r.Elem.Size(), r.Elem)
}

// room gives scratch memory, which the next call with the same number takes again.
func (c *Runner) room(i, bytes int) []byte {
	if len(c.scratch[i]) < bytes {
		c.scratch[i] = make([]byte, bytes)
	}
	return c.scratch[i][:bytes]
}

// part gives elements of an array of elements of a size.
func part(b []byte, size, from, n int) []byte { return b[from*size : (from+n)*size : (from+n)*size] }

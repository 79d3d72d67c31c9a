package mpi

import (
	"fmt"
	"unsafe"
)

// Comm is a communicator: processes that call each other. It must not be in two calls at once. Counts are of elements, and must be less
// than 2^31.
type Comm struct {
	lib        *library
	h          uintptr
	rank, size int
}

// Rank is the number of this process among those of the communicator.
func (c *Comm) Rank() int { return c.rank }

// Size is the number of processes.
func (c *Comm) Size() int { return c.size }

// Library names the library with its version.
func (c *Comm) Library() string { return c.lib.String() }

// Family is that of the library.
func (c *Comm) Family() Family { return c.lib.family }

// dup makes a communicator of the same processes.
func (c *Comm) dup() (*Comm, error) {
	var h uint64
	return c.made(fnCommDup, c.lib.call(fnCommDup, c.h, uintptr(unsafe.Pointer(&h))), &h)
}

// Split makes a communicator of the processes that give the same color, in the order of their keys.
func (c *Comm) Split(color, key int32) (*Comm, error) {
	var h uint64
	return c.made(fnCommSplit, c.lib.call(fnCommSplit, c.h, uintptr(color), uintptr(key), uintptr(unsafe.Pointer(&h))), &h)
}

// SplitLocal makes a communicator of the processes on this machine.
func (c *Comm) SplitLocal() (*Comm, error) {
	var h uint64
	return c.made(fnCommSplitType, c.lib.call(fnCommSplitType, c.h, c.lib.commTypeShared, 0, c.lib.handle[infoNull], uintptr(unsafe.Pointer(&h))), &h)
}

// made asks a new communicator who it is. A handle may have fewer than 8 bytes; the others are zero.
func (c *Comm) made(f fn, code int32, h *uint64) (*Comm, error) {
	if err := c.lib.check(f, code); err != nil {
		return nil, err
	}
	var rank, size int32
	made := &Comm{lib: c.lib, h: uintptr(*h)}
	if err := c.lib.check(fnCommRank, c.lib.call(fnCommRank, made.h, uintptr(unsafe.Pointer(&rank)))); err != nil {
		return nil, err
	}
	if err := c.lib.check(fnCommSize, c.lib.call(fnCommSize, made.h, uintptr(unsafe.Pointer(&size)))); err != nil {
		return nil, err
	}
	made.rank, made.size = int(rank), int(size)
	world.comms.Add(1)
	return made, nil
}

// Free frees the communicator, and ends MPI after the last one. All processes of the communicator call it.
func (c *Comm) Free() error {
	h := uint64(c.h)
	if err := c.lib.check(fnCommFree, c.lib.call(fnCommFree, uintptr(unsafe.Pointer(&h)))); err != nil {
		return err
	}
	return freed()
}

// Abort ends all processes of the job with an exit code. It may be called while another call waits. Of a communicator that is a copy of that of all
// processes, MPICH would end the caller alone.
func (c *Comm) Abort(code int32) error {
	return c.lib.check(fnAbort, c.lib.call(fnAbort, c.lib.handle[commWorld], uintptr(code)))
}

func (l *library) typed(t Type) uintptr  { return l.handle[firstType+handle(t)] }
func (l *library) reduces(op Op) uintptr { return l.handle[firstOp+handle(op)] }

// start is where a buffer begins.
func start(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

// Barrier waits until all processes have called it.
func (c *Comm) Barrier() error { return c.lib.check(fnBarrier, c.lib.call(fnBarrier, c.h)) }

// Allreduce reduces the n elements of all processes to dst, which may be src.
func (c *Comm) Allreduce(op Op, t Type, n int, dst, src []byte) error {
	if start(dst) == start(src) {
		return c.lib.check(fnAllreduce, c.lib.call(fnAllreduce, c.lib.inPlace, uintptr(start(dst)), uintptr(n), c.lib.typed(t), c.lib.reduces(op), c.h))
	}
	return c.lib.check(fnAllreduce, c.lib.call(fnAllreduce, uintptr(start(src)), uintptr(start(dst)), uintptr(n), c.lib.typed(t), c.lib.reduces(op), c.h))
}

// ReduceScatter reduces size parts of n elements each, and leaves part i in the dst of process i.
func (c *Comm) ReduceScatter(op Op, t Type, n int, dst, src []byte) error {
	return c.lib.check(fnReduceScatterBlock, c.lib.call(fnReduceScatterBlock, uintptr(start(src)), uintptr(start(dst)), uintptr(n), c.lib.typed(t), c.lib.reduces(op), c.h))
}

// Allgather leaves the n elements of process i in part i of dst.
func (c *Comm) Allgather(t Type, n int, dst, src []byte) error {
	return c.lib.check(fnAllgather, c.lib.call(fnAllgather, uintptr(start(src)), uintptr(n), c.lib.typed(t), uintptr(start(dst)), uintptr(n), c.lib.typed(t), c.h))
}

// Alltoall leaves part j of the src of process i, of n elements, in part i of the dst of process j.
func (c *Comm) Alltoall(t Type, n int, dst, src []byte) error {
	return c.lib.check(fnAlltoall, c.lib.call(fnAlltoall, uintptr(start(src)), uintptr(n), c.lib.typed(t), uintptr(start(dst)), uintptr(n), c.lib.typed(t), c.h))
}

// Bcast copies the n elements of the root to all processes.
func (c *Comm) Bcast(t Type, n int, buf []byte, root int) error {
	return c.lib.check(fnBcast, c.lib.call(fnBcast, uintptr(start(buf)), uintptr(n), c.lib.typed(t), uintptr(root), c.h))
}

// Reduce reduces the n elements of all processes to dst of the root, which must not be its src. The others need no dst. (MPI knows it in place, too,
// but MPICH 4.0.2 reads from the constant that says so where the root is not 0.)
func (c *Comm) Reduce(op Op, t Type, n int, dst, src []byte, root int) error {
	return c.lib.check(fnReduce, c.lib.call(fnReduce, uintptr(start(src)), uintptr(start(dst)), uintptr(n), c.lib.typed(t), c.lib.reduces(op), uintptr(root), c.h))
}

// Gather leaves the n elements of process i in part i of dst of the root. The others need no dst.
func (c *Comm) Gather(t Type, n int, dst, src []byte, root int) error {
	return c.lib.check(fnGather, c.lib.call(fnGather, uintptr(start(src)), uintptr(n), c.lib.typed(t), uintptr(start(dst)), uintptr(n), c.lib.typed(t), uintptr(root), c.h))
}

// Scatter leaves part i, of n elements, of the src of the root in the dst of process i. The others need no src.
func (c *Comm) Scatter(t Type, n int, dst, src []byte, root int) error {
	return c.lib.check(fnScatter, c.lib.call(fnScatter, uintptr(start(src)), uintptr(n), c.lib.typed(t), uintptr(start(dst)), uintptr(n), c.lib.typed(t), uintptr(root), c.h))
}

// tag marks all messages between two processes.
const tag = 0

// Send sends n elements.
func (c *Comm) Send(t Type, n int, src []byte, to int) error {
	return c.lib.check(fnSend, c.lib.call(fnSend, uintptr(start(src)), uintptr(n), c.lib.typed(t), uintptr(to), tag, c.h))
}

// Recv receives n elements. A message of another length is an error.
func (c *Comm) Recv(t Type, n int, dst []byte, from int) error {
	var st status
	code := c.lib.call(fnRecv, uintptr(start(dst)), uintptr(n), c.lib.typed(t), uintptr(from), tag, c.h, uintptr(unsafe.Pointer(&st)))
	return c.received(fnRecv, code, &st, t, n, from)
}

// SendRecv sends n elements to one process while it receives m elements of another.
func (c *Comm) SendRecv(t Type, n int, src []byte, to, m int, dst []byte, from int) error {
	var st status
	code := c.lib.call(fnSendrecv, uintptr(start(src)), uintptr(n), c.lib.typed(t), uintptr(to), tag,
		uintptr(start(dst)), uintptr(m), c.lib.typed(t), uintptr(from), tag, c.h, uintptr(unsafe.Pointer(&st)))
	return c.received(fnSendrecv, code, &st, t, m, from)
}

// received checks the length of a message.
func (c *Comm) received(f fn, code int32, st *status, t Type, n, from int) error {
	if err := c.lib.check(f, code); err != nil {
		return err
	}
	var got int32
	if err := c.lib.check(fnGetCount, c.lib.call(fnGetCount, uintptr(unsafe.Pointer(st)), c.lib.typed(t), uintptr(unsafe.Pointer(&got)))); err != nil {
		return err
	}
	if int(got) != n {
		return fmt.Errorf("rank %d sent %d elements, but %d are received", from, got, n)
	}
	return nil
}

package nccl

import "unsafe"

// fn indexes the table of functions.
type fn int

const (
	fnGetVersion fn = iota
	fnGetUniqueID
	fnGetErrorString
	fnGetLastError
	fnCommInit
	fnCommSplit
	fnCommCount
	fnCommUserRank
	fnCommDestroy
	fnCommGetAsyncError
	fnAllReduce
	fnReduceScatter
	fnAllGather
	fnBroadcast
	fnReduce
	fnSend
	fnRecv
	fnGroupStart
	fnGroupEnd
	numFns
)

// functions are the names in the library. ncclCommInitRank takes the ID by value, in more words than a call can have here;
// ncclCommInitRankScalable, of NCCL 2.23, takes a pointer.
var functions = [numFns]string{
	fnGetVersion:        "ncclGetVersion",
	fnGetUniqueID:       "ncclGetUniqueId",
	fnGetErrorString:    "ncclGetErrorString",
	fnGetLastError:      "ncclGetLastError",
	fnCommInit:          "ncclCommInitRankScalable",
	fnCommSplit:         "ncclCommSplit",
	fnCommCount:         "ncclCommCount",
	fnCommUserRank:      "ncclCommUserRank",
	fnCommDestroy:       "ncclCommDestroy",
	fnCommGetAsyncError: "ncclCommGetAsyncError",
	fnAllReduce:         "ncclAllReduce",
	fnReduceScatter:     "ncclReduceScatter",
	fnAllGather:         "ncclAllGather",
	fnBroadcast:         "ncclBroadcast",
	fnReduce:            "ncclReduce",
	fnSend:              "ncclSend",
	fnRecv:              "ncclRecv",
	fnGroupStart:        "ncclGroupStart",
	fnGroupEnd:          "ncclGroupEnd",
}

// Comm is a communicator: processes with a GPU each. Counts are of elements, addresses are in the GPU's memory, and s is the stream on
// which the work is queued.
type Comm struct {
	lib        *Library
	h          uintptr
	rank, size int
}

// Rank is the number of this process.
func (c *Comm) Rank() int { return c.rank }

// Size is the number of processes.
func (c *Comm) Size() int { return c.size }

// Library names the library.
func (c *Comm) Library() string { return c.lib.String() }

// Init makes a communicator. It waits until all processes have called it.
func (l *Library) Init(id *ID, rank, size int) (*Comm, error) {
	c := &Comm{lib: l, rank: rank, size: size}
	return c, l.check(fnCommInit, l.call(fnCommInit, uintptr(unsafe.Pointer(&c.h)), uintptr(size), uintptr(rank), 1, uintptr(unsafe.Pointer(id)), 0))
}

// Split makes a communicator of the processes that give the same color, in the order of their keys. All work must have ended.
func (c *Comm) Split(color, key int32) (*Comm, error) {
	made := &Comm{lib: c.lib}
	if err := c.lib.check(fnCommSplit, c.lib.call(fnCommSplit, c.h, uintptr(color), uintptr(key), uintptr(unsafe.Pointer(&made.h)), 0)); err != nil {
		return nil, err
	}
	var rank, size int32
	if err := c.lib.check(fnCommUserRank, c.lib.call(fnCommUserRank, made.h, uintptr(unsafe.Pointer(&rank)))); err != nil {
		return nil, err
	}
	if err := c.lib.check(fnCommCount, c.lib.call(fnCommCount, made.h, uintptr(unsafe.Pointer(&size)))); err != nil {
		return nil, err
	}
	made.rank, made.size = int(rank), int(size)
	return made, nil
}

// Destroy frees the communicator. All work must have ended.
func (c *Comm) Destroy() error { return c.lib.check(fnCommDestroy, c.lib.call(fnCommDestroy, c.h)) }

// AsyncError is the error that NCCL has noticed while it works on what was queued, such as that another process is lost; nil for none. It may
// be called at any time until Destroy, also while another call waits.
func (c *Comm) AsyncError() error {
	var code int32
	if err := c.lib.check(fnCommGetAsyncError, c.lib.call(fnCommGetAsyncError, c.h, uintptr(unsafe.Pointer(&code)))); err != nil || code == inProgress {
		return err
	}
	return c.lib.check(fnCommGetAsyncError, code)
}

// AllReduce reduces the n elements of all processes to dst, which may be src.
func (c *Comm) AllReduce(op Op, t Type, n int, dst, src uint64, s uintptr) error {
	return c.lib.check(fnAllReduce, c.lib.call(fnAllReduce, uintptr(src), uintptr(dst), uintptr(n), uintptr(t), uintptr(op), c.h, s))
}

// ReduceScatter reduces parts of n elements, one for each process.
func (c *Comm) ReduceScatter(op Op, t Type, n int, dst, src uint64, s uintptr) error {
	return c.lib.check(fnReduceScatter, c.lib.call(fnReduceScatter, uintptr(src), uintptr(dst), uintptr(n), uintptr(t), uintptr(op), c.h, s))
}

// AllGather leaves the n elements of process i in part i of dst.
func (c *Comm) AllGather(t Type, n int, dst, src uint64, s uintptr) error {
	return c.lib.check(fnAllGather, c.lib.call(fnAllGather, uintptr(src), uintptr(dst), uintptr(n), uintptr(t), c.h, s))
}

// Broadcast copies the n elements of the root to all processes.
func (c *Comm) Broadcast(t Type, n int, buf uint64, root int, s uintptr) error {
	return c.lib.check(fnBroadcast, c.lib.call(fnBroadcast, uintptr(buf), uintptr(buf), uintptr(n), uintptr(t), uintptr(root), c.h, s))
}

// Reduce reduces the n elements of all processes to dst of the root, which may be its src. The others need no dst.
func (c *Comm) Reduce(op Op, t Type, n int, dst, src uint64, root int, s uintptr) error {
	return c.lib.check(fnReduce, c.lib.call(fnReduce, uintptr(src), uintptr(dst), uintptr(n), uintptr(t), uintptr(op), uintptr(root), c.h, s))
}

// Send sends n elements.
func (c *Comm) Send(t Type, n int, src uint64, to int, s uintptr) error {
	return c.lib.check(fnSend, c.lib.call(fnSend, uintptr(src), uintptr(n), uintptr(t), uintptr(to), c.h, s))
}

// Recv receives n elements.
func (c *Comm) Recv(t Type, n int, dst uint64, from int, s uintptr) error {
	return c.lib.check(fnRecv, c.lib.call(fnRecv, uintptr(dst), uintptr(n), uintptr(t), uintptr(from), c.h, s))
}

// Group makes the sends and receives that f queues happen at the same time. f must not change the thread.
func (c *Comm) Group(f func() error) error {
	if err := c.lib.check(fnGroupStart, c.lib.call(fnGroupStart)); err != nil {
		return err
	}
	failed := f()
	if err := c.lib.check(fnGroupEnd, c.lib.call(fnGroupEnd)); failed == nil {
		failed = err
	}
	return failed
}

package dist

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/collective"
	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/driver/mpi"
	"github.com/cutile-go/cutile/internal/driver/nccl"
	"github.com/cutile-go/cutile/internal/ranks"
)

// cclTypes has what NCCL reduces.
var cclTypes = map[dtype.Type]nccl.Type{
	dtype.I8: nccl.Int8, dtype.I32: nccl.Int32, dtype.I64: nccl.Int64, dtype.U8: nccl.Uint8, dtype.U32: nccl.Uint32, dtype.U64: nccl.Uint64,
	dtype.F16: nccl.Float16, dtype.BF16: nccl.BFloat16, dtype.F32: nccl.Float32, dtype.F64: nccl.Float64,
}

var cclOps = map[mpi.Op]nccl.Op{mpi.Sum: nccl.Sum, mpi.Product: nccl.Product, mpi.Max: nccl.Max, mpi.Min: nccl.Min}

// cclCall is a collective with its place in a GPU's memory.
type cclCall struct {
	*collective.Request
	dst, src uint64
	out, in  int // bytes of src, and of dst
	stream   uintptr
}

// cclKinds has the collectives. What computes nothing is sent as bytes.
var cclKinds = map[collective.Kind]func(c *nccl.Comm, r *cclCall) error{
	collective.AllReduce: func(c *nccl.Comm, r *cclCall) error {
		return c.AllReduce(cclOps[r.Op], cclTypes[r.Elem], r.out/r.Elem.Size(), r.dst, r.src, r.stream)
	},
	collective.ReduceScatter: func(c *nccl.Comm, r *cclCall) error {
		return c.ReduceScatter(cclOps[r.Op], cclTypes[r.Elem], r.in/r.Elem.Size(), r.dst, r.src, r.stream)
	},
	collective.AllGather: func(c *nccl.Comm, r *cclCall) error {
		return c.AllGather(nccl.Uint8, r.out, r.dst, r.src, r.stream)
	},
	collective.AllToAll: func(c *nccl.Comm, r *cclCall) error {
		return c.Group(func() error {
			n := r.out / c.Size()
			for i := range c.Size() {
				if err := c.Send(nccl.Uint8, n, r.src+uint64(i*n), i, r.stream); err != nil {
					return err
				}
				if err := c.Recv(nccl.Uint8, n, r.dst+uint64(i*n), i, r.stream); err != nil {
					return err
				}
			}
			return nil
		})
	},
	collective.Broadcast: func(c *nccl.Comm, r *cclCall) error {
		return c.Broadcast(nccl.Uint8, r.in, r.dst, r.Root, r.stream)
	},
	collective.Reduce: func(c *nccl.Comm, r *cclCall) error {
		return c.Reduce(cclOps[r.Op], cclTypes[r.Elem], r.out/r.Elem.Size(), r.dst, r.src, r.Root, r.stream)
	},
	collective.Gather: func(c *nccl.Comm, r *cclCall) error {
		return c.Group(func() error {
			if c.Rank() == r.Root {
				for i := range c.Size() {
					if err := c.Recv(nccl.Uint8, r.out, r.dst+uint64(i*r.out), i, r.stream); err != nil {
						return err
					}
				}
			}
			return c.Send(nccl.Uint8, r.out, r.src, r.Root, r.stream)
		})
	},
	collective.Scatter: func(c *nccl.Comm, r *cclCall) error {
		return c.Group(func() error {
			if c.Rank() == r.Root {
				for i := range c.Size() {
					if err := c.Send(nccl.Uint8, r.in, r.src+uint64(i*r.in), i, r.stream); err != nil {
						return err
					}
				}
			}
			return c.Recv(nccl.Uint8, r.in, r.dst, r.Root, r.stream)
		})
	},
	collective.Send: func(c *nccl.Comm, r *cclCall) error { return c.Send(nccl.Uint8, r.out, r.src, r.To, r.stream) },
	collective.Recv: func(c *nccl.Comm, r *cclCall) error { return c.Recv(nccl.Uint8, r.in, r.dst, r.From, r.stream) },
	collective.SendRecv: func(c *nccl.Comm, r *cclCall) error {
		return c.Group(func() error {
			if r.out > 0 {
				if err := c.Send(nccl.Uint8, r.out, r.src, r.To, r.stream); err != nil {
					return err
				}
			}
			if r.in == 0 {
				return nil
			}
			return c.Recv(nccl.Uint8, r.in, r.dst, r.From, r.stream)
		})
	},
}

// takes reports whether NCCL does a collective as it was asked for.
func takes(r *collective.Request) bool {
	if !r.Kind.Reduces() {
		return true
	}
	_, known := cclTypes[r.Elem]
	return known && !(r.Order != collective.Any && r.Elem.IsFloat())
}

// queueNative queues a collective on the GPU. to and from are the places of dst and src among the parts; -1 for none.
func (g *Group) queueNative(ctx context.Context, r *collective.Request, parts []core.Part, to, from int) error {
	if g.checks && g.comm != nil { // otherwise this process is alone
		sizes := [2]int{}
		for i, at := range []int{to, from} {
			if at >= 0 {
				sizes[i] = int(parts[at].Bytes)
			}
		}
		err := g.stream.Internal().Host(ctx, "checks", nil, func([][]byte) error {
			g.calls.Lock()
			defer g.calls.Unlock()
			defer g.watch(r.Kind.String())()
			return g.run.Agree(r, sizes[0], sizes[1])
		})
		if err != nil {
			return err
		}
	}
	call := &cclCall{Request: r}
	if to >= 0 {
		call.in = int(parts[to].Bytes)
	}
	if from >= 0 {
		call.out = int(parts[from].Bytes)
	}
	if call.in+call.out == 0 {
		return nil
	}
	return g.native(r.Kind.String(), parts, func(handle uintptr, addresses []uint64) error {
		call.stream = handle
		if to >= 0 {
			call.dst = addresses[to]
		}
		if from >= 0 {
			call.src = addresses[from]
		}
		return cclKinds[r.Kind](g.ccl, call)
	})
}

// barrierNative is a barrier on the GPU: the sum of an element that nobody uses.
func (g *Group) barrierNative() error {
	return g.native("Barrier", []core.Part{{Use: core.Use{Memory: g.token, Writes: true}, Bytes: 4}},
		func(handle uintptr, addresses []uint64) error {
			return g.ccl.AllReduce(nccl.Sum, nccl.Int32, 1, addresses[0], addresses[0], handle)
		})
}

// joinNative makes a communicator of NCCL for all processes, with an ID that rank 0 gives to the others.
func joinNative(s *core.Stream, lib *nccl.Library, p ranks.Process, share func(data []byte) error) (*nccl.Comm, error) {
	var id nccl.ID
	if p.Rank == 0 {
		var err error
		if id, err = lib.NewID(); err != nil {
			return nil, err
		}
	}
	if err := share(id[:]); err != nil {
		return nil, fmt.Errorf("giving NCCL's ID to all processes: %w", err)
	}
	var c *nccl.Comm
	err := s.Native("Join", nil, func(uintptr, []uint64) (err error) {
		c, err = lib.Init(&id, p.Rank, p.Size)
		return err
	})
	return c, shared(err, p)
}

// shared says what to do where NCCL refuses processes that share a GPU.
func shared(err error, p ranks.Process) error {
	var refused *nccl.Error
	if !errors.As(err, &refused) || refused.Code != nccl.InvalidUsage || !strings.Contains(refused.Text, "Duplicate GPU") {
		return err
	}
	advice := "open the device that Process.Device names, and start as many processes on each machine as it has GPUs"
	if p.LocalRank < 0 {
		advice += fmt.Sprintf("; %s does not say which process of its machine this is: set LOCAL_RANK", p.Launcher)
	}
	if p.HasMPI {
		advice += "; with " + nccl.LibraryEnv + "=off they may share GPUs, and MPI works on copies"
	}
	return fmt.Errorf("two processes use one GPU, which NCCL refuses (%w): %s", err, advice)
}

package dist

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/collective"
	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/driver/mpi"
	"github.com/cutile-go/cutile/internal/driver/nccl"
)

// Group is a number of processes, of which this is one, that work on tensors together. Its methods may be called from several goroutines,
// but all processes must queue collectives in one order.
type Group struct {
	dev    *device.Device
	stream *device.Stream
	run    *collective.Runner
	token  *core.Memory // for barriers on the GPU
	members
	options

	mu      sync.Mutex
	closed  bool
	watched []watched // calls of NCCL that a goroutine waits for, the first one now
	unguard func()    // ends what guard has begun

	calls sync.Mutex // held while MPI or NCCL is called: only where the program's goroutines do so themselves, more than one may want to
}

// members are the processes of a group, and how this one reaches the others: not at all if it is alone.
type members struct {
	comm                 *mpi.Comm  // nil for none
	ccl                  *nccl.Comm // nil for none
	rank, size           int
	localRank, localSize int // -1 and 0 if nobody says
}

// newGroup takes over communicators.
func newGroup(dev *device.Device, m members, o options) (*Group, error) {
	g := &Group{dev: dev, run: collective.New(nil, false), members: m, options: o}
	if m.comm != nil {
		g.run = collective.New(m.comm, o.checks)
		local, err := m.comm.SplitLocal()
		if err != nil {
			return nil, err
		}
		g.localRank, g.localSize = local.Rank(), local.Size()
		if err := local.Free(); err != nil {
			return nil, err
		}
	}
	var err error
	if m.ccl != nil {
		if g.token, err = dev.Internal().Alloc(4); err != nil {
			return nil, err
		}
	}
	if g.stream, err = dev.NewStream(); err != nil {
		return nil, err
	}
	g.unguard = g.guard()
	return g, nil
}

// Rank returns the number of this process in the group, from 0 to Size-1.
func (g *Group) Rank() int {
	if g == nil {
		return 0
	}
	return g.rank
}

// Size returns the number of processes.
func (g *Group) Size() int {
	if g == nil || g.dev == nil {
		return 1
	}
	return g.size
}

// LocalRank returns the number of this process among those of the group that are on this machine, in the order of ranks. Without MPI, it is that
// of [Self] in the group that Join made, and -1 in others.
func (g *Group) LocalRank() int {
	if g == nil {
		return 0
	}
	return g.localRank
}

// LocalSize returns how many of the processes are on this machine; 0 if nobody says.
func (g *Group) LocalSize() int {
	if g == nil {
		return 1
	}
	return g.localSize
}

// Device returns the device whose tensors the group works on; nil for a nil Group.
func (g *Group) Device() *device.Device {
	if g == nil {
		return nil
	}
	return g.dev
}

// Stream returns the stream on which the group's collectives are queued, for events. It is closed with the group.
func (g *Group) Stream() *device.Stream {
	if g == nil {
		return nil
	}
	return g.stream
}

// String returns text such as "rank 1 of 4 on cpu, Open MPI v4.1.4 (libmpi.so.40)". It names NCCL, too, where the group uses it.
func (g *Group) String() string {
	if g == nil {
		return "nil group"
	}
	var libraries []string
	if g.comm != nil {
		libraries = append(libraries, g.comm.Library())
	}
	if g.ccl != nil {
		libraries = append(libraries, g.ccl.Library())
	}
	if libraries == nil {
		libraries = []string{"a single process"}
	}
	return fmt.Sprintf("rank %d of %d on %s, %s", g.Rank(), g.Size(), g.dev.Name(), strings.Join(libraries, ", "))
}

var (
	errNilGroup = errors.New("dist: the group is nil: use the one that Join returns")
	errClosed   = fmt.Errorf("dist: the group is %w", device.ErrClosed)
)

// usable gives the error of a nil or closed group, and of a context that is nil or has ended.
func (g *Group) usable(ctx context.Context) error {
	if g == nil || g.dev == nil {
		return errNilGroup
	}
	if err := device.CheckContext(ctx); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return errClosed
	}
	return nil
}

// Sync waits until all collectives that are queued have ended and returns the first error of them. If ctx ends first, they go on.
func (g *Group) Sync(ctx context.Context) error {
	if err := g.usable(ctx); err != nil {
		return err
	}
	return g.stream.Sync(ctx)
}

// Barrier waits until the collectives that are queued have ended, and all processes have called Barrier. If ctx ends first, the barrier
// stays queued.
func (g *Group) Barrier(ctx context.Context) error {
	if err := g.usable(ctx); err != nil {
		return err
	}
	_, err := within(ctx, func() (none struct{}, err error) {
		if g.ccl == nil {
			return none, g.queue(ctx, &collective.Request{Kind: collective.Barrier}, nil, nil)
		}
		if err = g.barrierNative(); err != nil {
			err = fmt.Errorf("dist: Barrier: %w", err)
		}
		return none, err
	})
	if err != nil {
		return err
	}
	return g.stream.Sync(ctx)
}

// Split makes groups of parts of the processes: those that give the same color are one group, in the order of their keys, and of their ranks
// where keys are equal. All processes of g call it. color must not be negative; color and key must fit 32 bits. The new group has the
// options of g, and is closed by itself; g stays as it is. Split waits for the collectives that are queued in g. If ctx ends first, the split
// goes on, and the program should end with a code.
func (g *Group) Split(ctx context.Context, color, key int) (*Group, error) {
	if err := g.usable(ctx); err != nil {
		return nil, err
	}
	if color < 0 || int(int32(color)) != color || int(int32(key)) != key {
		return nil, fmt.Errorf("dist: Split with color %d and key %d: the color must be 0 to 2147483647, and the key fit 32 bits", color, key)
	}
	made, err := within(ctx, func() (*Group, error) { return g.split(ctx, int32(color), int32(key)) })
	if err != nil {
		return nil, fmt.Errorf("dist: Split: %w", err)
	}
	return made, nil
}

func (g *Group) split(ctx context.Context, color, key int32) (*Group, error) {
	m := members{size: 1, localRank: -1}
	if g.comm == nil && g.ccl == nil {
		m = g.members
	}
	if g.comm != nil {
		err := g.stream.Internal().Host(ctx, "Split", nil, func([][]byte) (err error) {
			g.calls.Lock()
			defer g.calls.Unlock()
			defer g.watch("Split")()
			if m.comm, err = g.comm.Split(color, key); err == nil {
				m.rank, m.size = m.comm.Rank(), m.comm.Size()
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if err := g.stream.Sync(ctx); err != nil {
		return nil, err
	}
	if g.ccl != nil {
		err := g.native("Split", nil, func(uintptr, []uint64) (err error) {
			if m.ccl, err = g.ccl.Split(color, key); err == nil {
				m.rank, m.size = m.ccl.Rank(), m.ccl.Size()
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	defer g.watch("Split")()
	return newGroup(g.dev, m, g.options)
}

// Close waits for the collectives that are queued and leaves the group, which all processes must do. It returns the error of any collective
// that nobody waited for; then it does not wait for the others, and the program should end with a code. After the last group of a
// process has been closed, the process cannot join again. A second Close does nothing.
func (g *Group) Close() error {
	if g == nil || g.dev == nil {
		return errNilGroup
	}
	g.mu.Lock()
	closed := g.closed
	g.closed = true
	g.mu.Unlock()
	if closed {
		return nil
	}
	if err := g.leave(); err != nil {
		return fmt.Errorf("dist: closing the group: %w", err)
	}
	return nil
}

// leave ends what the group has.
func (g *Group) leave() error {
	if err := g.stream.Sync(context.Background()); err != nil && !errors.Is(err, device.ErrClosed) { // Close would stop what waits for long
		return errors.Join(err, g.stream.Close())
	}
	g.unguard()
	if g.ccl != nil {
		g.calls.Lock() // a call that a context gave up may go on
		err := g.stream.Internal().Native("Close", nil, func(uintptr, []uint64) error { return g.ccl.Destroy() })
		g.calls.Unlock()
		if err := errors.Join(err, g.token.Close()); err != nil {
			return err
		}
	}
	if err := g.stream.Close(); err != nil {
		return err
	}
	if g.comm != nil {
		return g.comm.Free()
	}
	return nil
}

// Abort ends all processes of the job at once, this one included, and does not return. mpirun then returns code, or another code that is not 0.
// A code outside of 1 to 255 counts as 1. It may be called while a collective waits.
func (g *Group) Abort(code int) {
	if code < 1 || code > 255 {
		code = 1
	}
	if g != nil && g.comm != nil {
		if err := g.comm.Abort(int32(code)); err != nil {
			fmt.Fprintf(os.Stderr, "dist: Abort: %v\n", err)
		}
	}
	os.Exit(code)
}

package exec

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/graph/emit"
	"github.com/cutile-go/cutile/internal/graph/loops"
	"github.com/cutile-go/cutile/internal/tilec/passes"
)

// maxIdle is how many kernels a device keeps that no program has, for programs to come.
const maxIdle = 256

// kernels are the compiled kernels of a device, by their keys ([emit.Key]). Programs share them.
type kernels struct {
	mu   sync.Mutex
	all  map[string]*shared
	idle []*shared // those that no program has, the one that was given back first first
}

// shared is a kernel that programs share.
type shared struct {
	key    string
	done   chan struct{} // closed when kernel or err is set
	kernel engine.Kernel
	grid   [3]uint32
	err    error
	users  int
	after  []*device.Event // the work that may still launch it when no program has it any more
}

// kernelsKey is the key of a device's kernels of graphs.
type kernelsKey struct{}

func kernelsOf(dev *device.Device) *kernels {
	return dev.Hold(kernelsKey{}, func() (any, func()) {
		k := &kernels{all: map[string]*shared{}}
		return k, k.close
	}).(*kernels)
}

func (k *kernels) close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range k.all {
		if s.kernel != nil {
			s.kernel.Close()
		}
	}
	clear(k.all)
	k.idle = nil
}

// get gives the compiled code of a kernel on a device: the same for the same key. Each call has one of put.
func (k *kernels) get(ctx context.Context, dev *device.Device, of *loops.Kernel, sizes emit.Sizes) (*shared, error) {
	key := emit.Key(of, sizes)
	for {
		k.mu.Lock()
		s := k.all[key]
		first := s == nil
		if first {
			s = &shared{key: key, done: make(chan struct{})}
			k.all[key] = s
		}
		k.take(s)
		k.mu.Unlock()
		if first {
			k.make(ctx, dev, of, sizes, s)
		}
		select {
		case <-s.done:
		case <-ctx.Done():
			k.put(s)
			return nil, ctx.Err()
		}
		if s.err == nil {
			return s, nil
		}
		k.put(s)
		if first || ctx.Err() != nil || !errors.Is(s.err, context.Canceled) && !errors.Is(s.err, context.DeadlineExceeded) {
			return nil, s.err
		}
		// Whoever made it gave up: this caller tries.
	}
}

// make compiles the kernel. What fails is not kept.
func (k *kernels) make(ctx context.Context, dev *device.Device, of *loops.Kernel, sizes emit.Sizes, s *shared) {
	kernel, grid, err := compiled(ctx, dev, of, sizes)
	k.mu.Lock()
	defer k.mu.Unlock()
	s.kernel, s.grid, s.err = kernel, grid, err
	if err != nil {
		delete(k.all, s.key)
	}
	close(s.done)
}

func compiled(ctx context.Context, dev *device.Device, of *loops.Kernel, sizes emit.Sizes) (engine.Kernel, [3]uint32, error) {
	code, err := improved(ctx, of, sizes)
	if err != nil {
		return nil, [3]uint32{}, err
	}
	within, explain := dev.Until(ctx)
	kernel, err := dev.Compile(within, code.Module, code.Entry, code.Entry)
	return kernel, code.Grid, explain(err)
}

// improved makes the code of a kernel and runs the compiler's passes over it.
func improved(ctx context.Context, k *loops.Kernel, sizes emit.Sizes) (*emit.Code, error) {
	code, err := emit.Kernel(k, sizes)
	if err != nil {
		return nil, err
	}
	for _, e := range code.Module.Entries {
		if err := passes.Run(ctx, e); err != nil {
			return nil, err
		}
	}
	return code, nil
}

// take counts a user. k.mu is held.
func (k *kernels) take(s *shared) {
	if s.users++; s.users > 1 {
		return
	}
	for i, other := range k.idle {
		if other == s {
			k.idle = append(k.idle[:i], k.idle[i+1:]...)
			return
		}
	}
}

// put gives a kernel back, whose launches are queued before the given events.
func (k *kernels) put(s *shared, after ...*device.Event) {
	k.mu.Lock()
	s.after = slices.DeleteFunc(append(s.after, after...), ended)
	s.users--
	var oldest *shared
	if s.users == 0 && k.all[s.key] == s {
		if k.idle = append(k.idle, s); len(k.idle) > maxIdle {
			oldest, k.idle = k.idle[0], k.idle[1:]
			delete(k.all, oldest.key)
		}
	}
	k.mu.Unlock()
	if oldest != nil {
		for _, e := range oldest.after {
			e.Sync(context.Background())
			e.Close()
		}
		oldest.kernel.Close()
	}
}

// ended frees an event that a stream has come to, and reports whether it has. Kernels share events: another one may have freed it.
func ended(e *device.Event) bool {
	done := e.Done()
	if done {
		e.Close()
	}
	return done
}

// holding is what a program shares with others, until it is closed or out of reach.
type holding struct {
	kernels *kernels
	fixed   *fixed

	mu     sync.Mutex
	shared []*shared
	arrays []*fixedArray
	last   map[*device.Stream]*device.Event // behind the last run on each stream
}

// ran notes that a run has been queued.
func (h *holding) ran(s *device.Stream) error {
	e, err := s.Record()
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.last) >= 16 {
		maps.DeleteFunc(h.last, func(_ *device.Stream, e *device.Event) bool { return ended(e) })
	}
	if h.last == nil {
		h.last = map[*device.Stream]*device.Event{}
	}
	if before := h.last[s]; before != nil {
		before.Close()
	}
	h.last[s] = e
	return nil
}

// release gives everything back.
func (h *holding) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	var after []*device.Event
	for _, e := range h.last {
		after = append(after, e)
	}
	for _, s := range h.shared {
		h.kernels.put(s, after...)
	}
	for _, a := range slices.Backward(h.arrays) { // what is made of an array first: its key has the array's address, which may be used again
		h.fixed.put(a)
	}
	h.shared, h.arrays = nil, nil
}

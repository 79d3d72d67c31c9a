package cutile

import (
	"context"
	"errors"
	"sync"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/engine"
)

// Prepared is a checked and compiled launch that can be repeated at little cost. Its methods may be called from several
// goroutines.
type Prepared struct {
	mu   sync.Mutex
	plan *plan
}

// Occupancy says what the kernel takes of the device, and how many of its blocks run there at once. Vulkan devices do not tell: the error
// is [errors.ErrUnsupported].
func (p *Prepared) Occupancy() (o Occupancy, err error) {
	if p == nil || p.plan == nil {
		return o, errNilPrepared
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.plan.bound {
		return o, mismatch(p.plan.kernel.Name(), []bind.Mistake{errUnbound})
	}
	return device.OccupancyOf(p.plan.owner, p.plan.loaded.kernel, engine.SIMTLaunch{})
}

// errUnbound is the mistake after arguments that did not fit.
var errUnbound = bind.Mistake{Text: "the last arguments did not fit the kernel: set others"}

// errNilPrepared is the error of a launch of what Prepare did not give.
var errNilPrepared = errors.New("cutile: the Prepared is nil: use the one that Prepare returns")

// Prepare does everything that [Launch] does except the launch itself, which [Prepared.Launch] does. Kernels that Launch
// identifies by their lines are identified in the same way.
func Prepare(ctx context.Context, on Target, kernel any, args ...any) (*Prepared, error) {
	if ctx == nil {
		return nil, device.CheckContext(ctx)
	}
	p, err := newPlan(on, kernel)
	if err != nil {
		return nil, err
	}
	if err := p.bind(ctx, args); err != nil {
		return nil, err
	}
	return &Prepared{plan: p}, nil
}

// Launch queues the kernel. Without args it repeats the previous arguments; scalars that were passed as pointers are read
// again. With args it checks them as the first time, and compiles again if other facts hold of them. It does not allocate
// unless it compiles, apart from Go's own allocation for passing a number that is not constant as an any.
func (p *Prepared) Launch(ctx context.Context, args ...any) error {
	if p == nil || p.plan == nil {
		return errNilPrepared
	}
	if err := device.CheckContext(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(args) > 0 {
		if err := p.plan.bind(ctx, args); err != nil {
			return err
		}
	}
	if !p.plan.bound {
		return mismatch(p.plan.kernel.Name(), []bind.Mistake{errUnbound})
	}
	return p.plan.run()
}

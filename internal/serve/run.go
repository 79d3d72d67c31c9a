package serve

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"time"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/tileir"
)

// launch is a Run request.
type launch struct {
	module  uint32
	entry   string
	grid    [3]uint32
	flags   uint32
	limit   time.Duration
	args    []uint64
	regions []*region
}

func (s *session) readLaunch(c *cursor) (*launch, error) {
	l := &launch{module: c.u32("the module"), entry: c.text("the entry")}
	for i := range l.grid {
		l.grid[i] = c.u32("the grid")
	}
	l.flags = c.u32("the flags")
	l.limit = time.Duration(c.u32("the time")) * time.Millisecond
	l.args = make([]uint64, c.count("arguments", 8, s.limits.Params))
	for i := range l.args {
		l.args[i] = c.u64("the arguments")
	}
	l.regions = make([]*region, c.count("regions", 32, s.limits.Regions))
	for i := range l.regions {
		l.regions[i] = &region{address: c.u64("a region"), size: c.u64("a region"), offset: c.u64("a region"), flags: c.u64("a region")}
	}
	if err := c.end(); err != nil {
		return nil, err
	}
	if l.flags&^NoPromises != 0 {
		return nil, badRequest("unknown flags %#x of a run", l.flags)
	}
	if l.limit == 0 || l.limit > s.limits.Time {
		l.limit = s.limits.Time
	}
	return l, s.checkRegions(l.regions)
}

// run runs a kernel. The reply has the nanoseconds, a byte for each region that says whether it changed, and what was
// printed. The memory of the peer changes only when the kernel succeeds.
func (s *session) run(ctx context.Context, c *cursor) ([]byte, error) {
	l, err := s.readLaunch(c)
	if err != nil {
		return nil, err
	}
	m := s.modules[l.module]
	if m == nil {
		return nil, badRequest("there is no module %d", l.module)
	}
	entry, err := m.entry(l.entry)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, l.limit)
	defer cancel()
	which := strict
	if l.flags&NoPromises != 0 {
		which = trusting
	}
	kernel, err := s.kernel(ctx, m, l.entry, which)
	if err != nil {
		return nil, err
	}
	device := s.devices[which]
	memory, err := s.copyIn(device, l.regions)
	defer memory.free()
	if err != nil {
		return nil, err
	}
	if err := memory.translateArgs(entry, l.args); err != nil {
		return nil, err
	}
	stream, err := device.NewStream()
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	start := time.Now()
	if err := stream.Launch(kernel, l.grid, l.args); err != nil {
		return nil, badRequest("%v", err)
	}
	err = stream.Wait(ctx)
	took := time.Since(start)
	if err != nil {
		return nil, runError(err, took)
	}
	changed, err := s.copyOut(memory)
	if err != nil {
		return nil, err
	}
	reply := binary.LittleEndian.AppendUint64(nil, uint64(took))
	reply = append(binary.LittleEndian.AppendUint32(reply, uint32(len(changed))), changed...)
	printed := s.out.take()
	return append(binary.LittleEndian.AppendUint32(reply, uint32(len(printed))), printed...), nil
}

func runError(err error, took time.Duration) *Error {
	var fault *engine.Fault
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &Error{Code: TimedOut, Text: "the kernel was stopped after " + took.Round(time.Millisecond).String()}
	case errors.Is(err, context.Canceled):
		return &Error{Code: TimedOut, Text: "the session ended while the kernel ran"}
	case errors.As(err, &fault) && fault.Stack != "":
		return &Error{Code: Internal, Text: err.Error()}
	}
	return &Error{Code: Failed, Text: err.Error()}
}

// translateArgs turns the addresses of the peer among the arguments into those of the device.
func (m memory) translateArgs(e *tileir.Entry, args []uint64) error {
	if len(args) != len(e.Params) {
		return badRequest("entry %s takes %d arguments, but got %d", e.Name, len(e.Params), len(args))
	}
	for i, p := range e.Params {
		if n := paramKind(p); n > 0 {
			args[i] = args[i] << (64 - n) >> (64 - n)
			continue
		}
		a, ok := m.translate(args[i])
		if !ok {
			return badRequest("argument %d is the address %#x, which is in no region", i, args[i])
		}
		args[i] = a
	}
	return nil
}

// copyOut brings what the kernel changed back to the peer.
func (s *session) copyOut(m memory) ([]byte, error) {
	changed := make([]byte, len(m.regions))
	for i, r := range m.regions {
		if bytes.Equal(r.buffer.Host(), r.before(s.shared)) {
			continue
		}
		if r.flags != 0 {
			return nil, &Error{Code: Failed, Text: "the kernel has changed an array that is constant"}
		}
		changed[i] = 1
	}
	for i, r := range m.regions {
		if changed[i] != 0 {
			copy(r.before(s.shared), r.buffer.Host())
		}
	}
	return changed, nil
}

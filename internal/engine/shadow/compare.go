package shadow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/cutile-go/cutile/internal/engine"
)

// compare runs a launch on the device and on the CPU, and compares.
func (s *stream) compare(ctx context.Context, l launch) error {
	if ctx.Err() != nil {
		return stopped(l.title())
	}
	buffers, why := l.memory()
	if total := sizeOf(buffers); why == "" && total > s.d.opts.Memory {
		why = fmt.Sprintf("its tensors lie in %d bytes of memory: raise Shadow.Memory, which is %d", total, s.d.opts.Memory)
	}
	if why != "" {
		s.d.leave(l.title(), why)
		return s.run(l)
	}
	parts := make([]*part, len(buffers))
	for i, b := range buffers {
		parts[i] = &part{buf: b}
	}
	if err := s.read(parts, func(p *part) *[]byte { return &p.before }); err != nil {
		return err
	}
	if err := s.run(l); err != nil {
		return s.explain(ctx, l, parts, err)
	}
	if err := s.read(parts, func(p *part) *[]byte { return &p.got }); err != nil {
		return err
	}
	d, err := s.judge(ctx, l, parts)
	switch {
	case ctx.Err() != nil:
		return stopped(l.title())
	case err != nil:
		s.d.leave(l.title(), err.Error())
		return nil
	}
	s.d.compared.Add(1)
	if d == nil {
		return nil
	}
	if s.d.opts.Warn {
		s.d.logger().Warn("a launch differs from the CPU", "device", s.d.Name(), "difference", d.Error())
		return nil
	}
	return d
}

func sizeOf(buffers []*buffer) (total int64) {
	for _, b := range buffers {
		total += b.Size()
	}
	return total
}

// run runs a launch on the device to its end.
func (s *stream) run(l launch) error {
	if err := l.queue(); err != nil {
		return err
	}
	return s.real.Wait(context.Background())
}

// read copies memory of the device to the host.
func (s *stream) read(parts []*part, to func(p *part) *[]byte) error {
	for _, p := range parts {
		b := to(p)
		*b = make([]byte, p.buf.Size())
		if err := s.real.Read(context.Background(), *b, p.buf.Buffer, 0); err != nil {
			return err
		}
	}
	return nil
}

// judge runs the launch on the CPU and gives the difference; nil for none. The error says why the two cannot be compared.
func (s *stream) judge(ctx context.Context, l launch, parts []*part) (d *engine.Difference, err error) {
	defer func() {
		if r := recover(); r != nil { // it must not end a program whose own launch went well
			d, err = nil, fmt.Errorf("BUG: shadow: %v\n%s", r, debug.Stack())
		}
	}()
	within, cancel := context.WithTimeout(ctx, s.d.opts.Time)
	defer cancel()
	a, err := l.repeat(within, parts)
	if within.Err() != nil {
		return nil, fmt.Errorf("%s it takes longer than %v: raise Shadow.Time", s.d.where, s.d.opts.Time)
	}
	if f, ok := isFault(err); ok {
		d := &engine.Difference{Fault: *f}
		d.Kernel, d.Text = l.title(), fmt.Sprintf("the launch ends without an error on %s, but %s with: %s", s.d.Name(), s.d.where, f.Text)
		return d, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the CPU cannot run it: %w", err)
	}
	defer a.free()
	for i, p := range parts {
		p.want = a.memory[i]
	}
	f := first(s.d.opts, l.tensors(), parts)
	if f == nil {
		return nil, nil
	}
	return s.describe(ctx, l, parts, f)
}

// finding is a difference in the memory of a launch.
type finding struct {
	part      int
	off       int64 // of the first byte of the element, in the part
	size      int64 // of the element
	tensor    *tensor
	index     []int // of the element in the tensor; nil for a byte outside of all
	count     int64 // elements of the tensor that differ, or bytes outside
	elements  int64
	tolerance float64 // by which floats may differ
}

// first gives the first difference, in the first tensor that has one: those that the kernel writes come first. It is nil if there is none.
func first(o engine.Shadow, tensors []tensor, parts []*part) *finding {
	if !slices.ContainsFunc(parts, func(p *part) bool { return !bytes.Equal(p.got, p.want) }) {
		return nil
	}
	rest := make([][]byte, len(parts)) // what was not compared as elements, and else what it should be
	for i, p := range parts {
		rest[i] = slices.Clone(p.got)
	}
	slices.SortStableFunc(tensors, func(a, b tensor) int {
		if a.Writes == b.Writes {
			return 0
		}
		return map[bool]int{true: -1, false: 1}[a.Writes]
	})
	var found *finding
	for i := range tensors {
		t := &tensors[i]
		n := slices.IndexFunc(parts, func(p *part) bool {
			off, ok := p.holds(t.address)
			return ok && t.Bytes() > 0 && off+t.Bytes() <= p.buf.Size()
		})
		if n < 0 || bytes.Equal(parts[n].got, parts[n].want) {
			continue
		}
		if f := t.compare(o, parts[n], rest[n]); f != nil && found == nil {
			f.part, found = n, f
		}
	}
	if found != nil {
		return found
	}
	return outside(tensors, parts, rest)
}

// outside gives the first difference outside of all tensors; nil if there is none.
func outside(tensors []tensor, parts []*part, rest [][]byte) *finding {
	for i, p := range parts {
		var f *finding
		for off := range p.want {
			switch {
			case rest[i][off] == p.want[off]:
			case f == nil:
				f = &finding{part: i, off: int64(off), size: 1, count: 1}
			default:
				f.count++
			}
		}
		if f == nil {
			continue
		}
		for k := range tensors {
			if _, ok := p.holds(tensors[k].address); ok {
				f.tensor = &tensors[k]
				break
			}
		}
		return f
	}
	return nil
}

// compare compares the elements of a tensor in a part, and makes those that were compared what they should be in rest. It gives the first
// difference; nil if there is none.
func (t *tensor) compare(o engine.Shadow, p *part, rest []byte) *finding {
	c := newComparer(o, t, p)
	base, _ := p.holds(t.address)
	size := int64(t.Size)
	index := make([]int, len(t.Shape))
	var f *finding
	for off := base; ; {
		if got, want := p.got[off:off+size], p.want[off:off+size]; !bytes.Equal(got, want) {
			copy(rest[off:], want)
			if c.differ(got, want) {
				if f == nil {
					f = &finding{off: off, size: size, tensor: t, index: slices.Clone(index), elements: c.elements, tolerance: c.tolerance}
				}
				f.count++
			}
		}
		axis := len(index) - 1
		for ; axis >= 0; axis-- {
			if index[axis]++; index[axis] < t.Shape[axis] {
				off += int64(t.Strides[axis]) * size
				break
			}
			off -= int64(t.Strides[axis]) * size * int64(t.Shape[axis]-1)
			index[axis] = 0
		}
		if axis < 0 {
			return f
		}
	}
}

// explain adds to the error of a launch on a device that does not know where its kernel failed what the launch does on the CPU.
func (s *stream) explain(ctx context.Context, l launch, parts []*part, err error) error {
	f, ok := errors.AsType[*engine.Fault](err)
	if !ok || f.Known {
		return err
	}
	within, cancel := context.WithTimeout(ctx, s.d.opts.Time)
	defer cancel()
	s.d.finding.Lock()
	defer s.d.finding.Unlock()
	a, _, cpuErr := l.again(within, parts, 0, nil)
	if cpuErr == nil {
		a.free()
	}
	on, ok := isFault(cpuErr)
	if !ok || within.Err() != nil {
		return err
	}
	told := *on
	told.Kernel, told.Text = l.title(), fmt.Sprintf("%s; on the CPU the launch ends with: %s", f.Text, on.Text)
	return &explained{&told, err}
}

// explained is an error of a device with the fault that tells more.
type explained struct {
	fault *engine.Fault
	cause error
}

// Error is the text of the fault.
func (e *explained) Error() string { return e.fault.Error() }

// Unwrap gives the fault and the error of the device.
func (e *explained) Unwrap() []error { return []error{e.fault, e.cause} }

package reftest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/testing/levels"
	"github.com/cutile-go/cutile/tileir"
)

// Run runs a case on the CPU engine, with promises checked, and compares. Where seed is not zero, the operations of
// each block happen in another order that its tokens allow.
func (c *Case) Run(ctx context.Context, m *tileir.Module, seed uint64) error {
	var output strings.Builder
	o := cpu.Options{Output: &output, CheckAssumes: true, Reorder: seed, StopOnCancel: true}
	if len(c.Output) > 0 {
		o.Workers = 1 // so that lines come in the order of blocks
	}
	d := levels.New(o)
	defer d.Close()
	l := &launch{Case: c, device: d}
	if err := l.allocate(); err != nil {
		return err
	}
	if err := l.run(ctx, m); err != nil {
		return err
	}
	if got, want := output.String(), text(c.Output); got != want {
		return fmt.Errorf("prints %q, want %q", got, want)
	}
	for i, b := range c.Buffers {
		if err := b.compare(l.buffers[i].Host(), l.before[i]); err != nil {
			return fmt.Errorf("buffer %d, %s of %v: %w", i, b.Type, b.in.Shape, err)
		}
	}
	return nil
}

// text joins lines.
func text(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

// launch is a case on a device.
type launch struct {
	*Case
	device  *cpu.Device
	buffers []engine.Buffer
	before  [][]byte
}

// allocate makes the buffers.
func (l *launch) allocate() error {
	for _, b := range l.Buffers {
		memory, err := l.device.Alloc(int64(len(b.in.Data)))
		if err != nil {
			return err
		}
		copy(memory.Host(), b.in.Data)
		l.buffers = append(l.buffers, memory)
	}
	for i, b := range l.Buffers {
		memory := l.buffers[i].Host()
		for at, to := range b.Relocate {
			word := memory[8*at:]
			binary.LittleEndian.PutUint64(word, binary.LittleEndian.Uint64(word)+l.buffers[to].Address())
		}
		l.before = append(l.before, slices.Clone(memory))
	}
	return nil
}

// run launches the kernel and waits.
func (l *launch) run(ctx context.Context, m *tileir.Module) error {
	i := slices.IndexFunc(m.Entries, func(e *tileir.Entry) bool { return e.Name == l.Kernel })
	if i < 0 {
		return fmt.Errorf("the module has no entry %s", l.Kernel)
	}
	args, err := l.args(m.Entries[i].Params)
	if err != nil {
		return err
	}
	k, err := l.device.Compile(ctx, m, l.Kernel)
	if err != nil {
		return err
	}
	defer k.Close()
	s, err := l.device.NewStream()
	if err != nil {
		return err
	}
	if err := s.Launch(k, l.Grid, args); err != nil {
		return err
	}
	return s.Wait(ctx)
}

// args gives the bits of each parameter.
func (l *launch) args(params []*tileir.Value) ([]uint64, error) {
	if len(params) != len(l.Params) {
		return nil, fmt.Errorf("the kernel has %d parameters, the case %d", len(params), len(l.Params))
	}
	var out []uint64
	for i, p := range l.Params {
		t, want := params[i].Type.(*tileir.TileType), p.Type
		if p.Buffer != nil {
			want = l.Buffers[*p.Buffer].Type
		}
		if t.Elem != elemTypes[want].elem || t.Pointer != (p.Buffer != nil) {
			return nil, fmt.Errorf("parameter %d is %v, the case has %+v of %s", i, t, p, want)
		}
		bits := uint64(0)
		if p.Buffer != nil {
			bits = l.buffers[*p.Buffer].Address()
		} else {
			var err error
			if bits, err = scalar(fmt.Sprint(p.Value), t.Elem); err != nil {
				return nil, fmt.Errorf("parameter %d: %w", i, err)
			}
		}
		out = append(out, bits)
	}
	return out, nil
}

// scalar gives the bits of a number, zero-extended.
func scalar(text string, e tileir.Elem) (uint64, error) {
	if e == tileir.I1 {
		v, err := strconv.ParseBool(text)
		if v {
			return 1, err
		}
		return 0, err
	}
	if e.IsInt() {
		mask := ^uint64(0) >> (64 - e.Bits())
		if v, err := strconv.ParseUint(text, 10, e.Bits()); err == nil {
			return v, nil
		}
		v, err := strconv.ParseInt(text, 10, e.Bits())
		return uint64(v) & mask, err
	}
	v, err := strconv.ParseFloat(text, 64)
	switch e {
	case tileir.F16:
		return uint64(dtype.Float16FromFloat64(v)), err
	case tileir.BF16:
		return uint64(dtype.BFloat16FromFloat64(v)), err
	case tileir.F32:
		return uint64(math.Float32bits(float32(v))), err
	case tileir.F64:
		return math.Float64bits(v), err
	}
	return 0, fmt.Errorf("numbers of %v are not supported", e)
}

package shadow

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// launch is a launch that is compared.
type launch interface {
	// title is the name of the kernel for users.
	title() string
	// hint says how to go on after a difference.
	hint() string
	// memory gives the buffers that the launch may touch, or why it is not compared.
	memory() (buffers []*buffer, why string)
	// tensors are the tensors among the arguments, with their addresses.
	tensors() []tensor
	// queue queues the launch on the device.
	queue() error
	// repeat runs it on the CPU, on copies of what its memory held before.
	repeat(ctx context.Context, parts []*part) (after, error)
	// again does so on a device with checks, the n-th time in the n-th order, and looks for a store if find is not nil.
	again(ctx context.Context, parts []*part, n int, find *finding) (after, engine.Store, error)
}

// tensor is a tensor with the address of its first element.
type tensor struct {
	engine.Tensor
	address uint64
}

// part is the memory of one buffer that a launch may touch, as the host has it.
type part struct {
	buf    *buffer
	before []byte
	got    []byte // after the launch on the device
	want   []byte // after that on the CPU
}

// holds reports whether an address is in the part or ends it, and where.
func (p *part) holds(address uint64) (off int64, ok bool) {
	off = int64(address - p.buf.Address())
	return off, off >= 0 && off <= p.buf.Size()
}

// after is what a launch on the CPU left in the memory of each part. free gives that memory back.
type after struct {
	memory [][]byte
	free   func()
}

// tileLaunch is a launch of a kernel of Tile IR.
type tileLaunch struct {
	stream *stream
	kernel *kernel
	grid   [3]uint32
	args   []uint64
	watch  *engine.Watch // what the launch was given; nil if nobody said that
}

func (l *tileLaunch) title() string { return l.kernel.title }

func (l *tileLaunch) hint() string {
	return "; CUTILE_OVERRIDE=FOLDER writes its Tile IR, to try changes by hand"
}

func (l *tileLaunch) queue() error {
	if c, ok := l.stream.real.(engine.Checking); ok && l.watch != nil {
		return c.LaunchChecked(l.kernel.real, l.grid, l.args, l.watch)
	}
	return l.stream.real.Launch(l.kernel.real, l.grid, l.args)
}

// pointer gives what a parameter of the entry points to; false if it is none.
func (l *tileLaunch) pointer(i int) (*tileir.TileType, bool) {
	t, ok := l.kernel.entry.Params[i].Type.(*tileir.TileType)
	return t, ok && t.Pointer
}

func (l *tileLaunch) memory() (buffers []*buffer, why string) {
	if l.kernel.why != "" {
		return nil, l.kernel.why
	}
	if len(l.args) != len(l.kernel.entry.Params) {
		return nil, "the number of its arguments is wrong" // which the device says, too
	}
	for i, a := range l.args {
		if _, ok := l.pointer(i); !ok || a == 0 || l.empty(i) {
			continue
		}
		b := l.kernel.d.at(a)
		if b == nil {
			return nil, fmt.Sprintf("argument #%d is an address in no memory of the device", i)
		}
		if !slices.Contains(buffers, b) {
			buffers = append(buffers, b)
		}
	}
	return buffers, ""
}

// empty reports whether an argument is a tensor without elements, whose address need not be in its memory.
func (l *tileLaunch) empty(arg int) bool {
	return l.watch != nil && slices.ContainsFunc(l.watch.Tensors, func(t engine.Tensor) bool { return t.Arg == arg && t.Bytes() == 0 })
}

func (l *tileLaunch) tensors() (all []tensor) {
	if l.watch != nil {
		for _, t := range l.watch.Tensors {
			all = append(all, tensor{t, l.args[t.Arg]})
		}
		return all
	}
	for i, a := range l.args {
		t, ok := l.pointer(i)
		if !ok || a == 0 {
			continue
		}
		b := l.kernel.d.at(a)
		row := elem.ByIR(t.Elem.String())
		if b == nil || row == nil || !row.Memory {
			continue // bytes, then
		}
		off := int64(a - b.Address())
		first := off % int64(row.Size) // elements before the one that is pointed to may be stored, too
		n := int((b.Size() - first) / int64(row.Size))
		all = append(all, tensor{engine.Tensor{Arg: i, Elem: row, Name: fmt.Sprintf("parameter #%d", i), Pointer: true, Size: row.Size, Shape: []int{n}, Strides: []int{1},
			Writes: true}, b.Address() + uint64(first)})
	}
	return all
}

func (l *tileLaunch) repeat(ctx context.Context, parts []*part) (after, error) {
	return l.on(ctx, l.kernel.d.twin, l.stream.twin, l.kernel.twin, parts, nil, nil)
}

func (l *tileLaunch) again(ctx context.Context, parts []*part, _ int, find *finding) (out after, store engine.Store, err error) {
	d, k := l.kernel.d, l.kernel
	if k.checked == nil {
		if k.checked, err = d.checked.Compile(ctx, k.module, k.entry.Name); err != nil {
			return out, store, err
		}
	}
	s, err := d.checked.NewStream()
	if err != nil {
		return out, store, err
	}
	defer s.Close()
	w := engine.Watch{Outside: true}
	if l.watch != nil {
		w = *l.watch
	}
	if find != nil {
		w.Find = &store
	}
	out, err = l.on(ctx, d.checked, s, k.checked, parts, &w, find)
	return out, store, err
}

// on runs the launch on a CPU device, with copies of its memory that are aligned as the memory is. w may be nil, and so may find, for
// which w looks.
func (l *tileLaunch) on(ctx context.Context, d *cpu.Device, s engine.Stream, k engine.Kernel, parts []*part, w *engine.Watch, find *finding) (out after, err error) {
	var copies []engine.Buffer
	out.free = func() {
		for _, c := range copies {
			c.Free()
		}
	}
	defer func() {
		if err != nil {
			out.free()
		}
	}()
	for _, p := range parts {
		c, err := d.AllocAt(p.buf.Size(), uint8(p.buf.Address()))
		if err != nil {
			return out, err
		}
		copies = append(copies, c)
		copy(c.Host(), p.before)
		out.memory = append(out.memory, c.Host())
	}
	args := slices.Clone(l.args)
	for i, a := range args {
		if _, ok := l.pointer(i); !ok || a == 0 {
			continue
		}
		for n, p := range parts {
			if off, ok := p.holds(a); ok && p.buf == l.kernel.d.at(a) {
				args[i] = copies[n].Address() + uint64(off)
			}
		}
	}
	if find != nil {
		w.Find.Address = copies[find.part].Address() + uint64(find.off)
	}
	if w != nil {
		err = s.(engine.Checking).LaunchChecked(k, l.grid, args, w)
	} else {
		err = s.Launch(k, l.grid, args)
	}
	if err != nil {
		return out, err
	}
	if err = s.Wait(ctx); ctx.Err() != nil {
		s.Wait(context.Background()) // which the end of ctx has stopped
		err = ctx.Err()
	}
	return out, err
}

// stopped is the error of a launch that was stopped.
func stopped(kernel string) error { return &engine.Fault{Kernel: kernel, Text: "stopped"} }

// isFault reports whether a launch on the CPU ended by what the kernel did, and not by what the machine lacks.
func isFault(err error) (*engine.Fault, bool) {
	f, ok := errors.AsType[*engine.Fault](err)
	return f, ok && f.Stack == ""
}

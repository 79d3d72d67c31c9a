package modrun

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/device/strided"
	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/toolbox"
)

// maxPlaced is the most bytes of an array on a device.
const maxPlaced = 1 << 34

// Placed are arguments in the memory of a device, for launches that are repeated.
type Placed struct {
	Bits  []uint64
	Uses  []device.Use
	Sizes []int64 // of the arrays' elements, in bytes, by parameter; 0 for numbers

	sources []*arraySource // of Uses
}

// Place puts the arrays into the memory of a device. They are written there in any case, as memory that was never written may not exist.
func (b *Bound) Place(dev *device.Device) (*Placed, error) {
	p := &Placed{Bits: append([]uint64(nil), b.Bits...), Sizes: make([]int64, len(b.Bits))}
	for i, src := range b.arrays {
		if src == nil {
			continue
		}
		if err := p.add(dev, i, src); err != nil {
			p.Close()
			return nil, err
		}
	}
	return p, p.Reset(context.Background())
}

func (p *Placed) add(dev *device.Device, param int, src *arraySource) error {
	if src.name != "" {
		return toolbox.Usagef("%s: arrays are not written to files here: leave out the name before =", src)
	}
	file, size, err := src.bytes()
	if err == nil && size > maxPlaced {
		err = fmt.Errorf("the array has %d bytes: %d are the most here", size, int64(maxPlaced))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", src, err)
	}
	per := src.elem.PerByte()
	m, err := dev.Alloc(int64((size + per - 1) / per))
	if err != nil {
		return fmt.Errorf("%s: %w", src, err)
	}
	p.Bits[param], p.Sizes[param] = m.Address(), int64(min(file, size)/per)
	p.Uses, p.sources = append(p.Uses, device.Use{Memory: m, Writes: true}), append(p.sources, src)
	return nil
}

// Reset gives the arrays the elements that they had at first.
func (p *Placed) Reset(context.Context) error {
	for i, src := range p.sources {
		data := make([]byte, p.Uses[i].Memory.Size())
		file, _, err := src.bytes()
		if err == nil {
			err = src.place(data, file)
		}
		if err == nil {
			err = p.Uses[i].Memory.Write(data, 0)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", src, err)
		}
	}
	return nil
}

// Close gives the memory back.
func (p *Placed) Close() error {
	var all []error
	for _, u := range p.Uses {
		all = append(all, u.Memory.Close())
	}
	return errors.Join(all...)
}

// Tensors are the arrays as vectors of all their memory: of what their elements are, or of bytes where tensors have no such elements.
func (p *Placed) Tensors() (list []*device.Tensor, err error) {
	for i, src := range p.sources {
		t := dtype.U8
		if row := elem.ByIR(src.elem.String()); row != nil && row.Memory {
			t, _ = dtype.ByName(row.Name)
		}
		m := p.Uses[i].Memory
		view, err := strided.RowMajor([]int{int(m.Size()) / t.Size()})
		if err != nil {
			return nil, err
		}
		list = append(list, &device.Tensor{Memory: m, View: view, Elem: t})
	}
	return list, nil
}

// Try runs the kernel once on the CPU, and checks every access and every promise, as Run does. It prints nothing and writes no file.
func (l *Launch) Try(ctx context.Context, f *toolbox.File) error {
	r := &Runner{Launch: l, Out: io.Discard}
	if err := r.run(ctx, f); err != nil {
		return err
	}
	return r.device.Close()
}

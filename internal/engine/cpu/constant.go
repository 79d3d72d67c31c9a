package cpu

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/tileir"
)

// constantWidth is the number of bytes of an element in a constant's data; i1 is packed.
func constantWidth(e tileir.Elem) int {
	if e == tileir.TF32 {
		return 3
	}
	return e.Bytes()
}

// constantIsSplat reports whether one element of a constant stands for all.
func constantIsSplat(op *tileir.Op) bool {
	k, ok := op.Attr("value").(*tileir.Constant)
	if !ok {
		return false
	}
	t := tileType(op.Results[0])
	if t.Size() == 1 {
		return true
	}
	if t.Elem == tileir.I1 {
		return len(k.Data) == 1 && (t.Size() > 8 || k.Data[0] == 0 || k.Data[0] == 0xff)
	}
	w := constantWidth(t.Elem)
	for i := w; i+w <= len(k.Data); i += w {
		if !bytes.Equal(k.Data[i:i+w], k.Data[:w]) {
			return false
		}
	}
	return true
}

// generateConstant puts the elements into the image of the arena; there is nothing to do at run time.
func generateConstant(c *compiler, op *tileir.Op) (step, error) {
	k, ok := op.Attr("value").(*tileir.Constant)
	if !ok {
		return nil, unsupported(op, nil, "it has no value")
	}
	t, p := tileType(op.Results[0]), c.plan.places[op.Results[0]]
	n, made := t.Size(), t.Size()
	if p.splat {
		n = 1
	}
	one := n > 8 && (t.Elem == tileir.I1 && len(k.Data) == 1 || t.Elem != tileir.I1 && len(k.Data) == constantWidth(t.Elem))
	if one && !p.fixed { // else every element would be made here
		made = 16
	}
	data, err := constantElements(k.Data, t.Elem, made)
	if err != nil {
		return nil, &CompileError{Loc: op.Loc, Text: err.Error()}
	}
	if !p.fixed {
		return c.makeConstant(p, data, elemBytes(t), one), nil
	}
	dst := c.image[p.off:][:p.bytes]
	copy(dst, data[:n*elemBytes(t)])
	return nil, nil
}

// makeConstant is the step that makes a constant which shares its place with other values.
func (c *compiler) makeConstant(p place, data []byte, size int, one bool) step {
	d, bytes := p.off, p.bytes
	return func(f *frame) signal {
		for at := 0; at < bytes; at += 8 * pollElems {
			f.poll()
			part := min(8*pollElems, bytes-at)
			if one {
				fillBytes(unsafe.Add(f.mem, int(d)+at), ptr(&data[0]), size, part/size)
			} else {
				copyBytes(unsafe.Add(f.mem, int(d)+at), ptr(&data[at]), part)
			}
		}
		return sigNext
	}
}

// constantElements gives n elements as they lie in memory.
func constantElements(data []byte, e tileir.Elem, n int) ([]byte, error) {
	w, size := constantWidth(e), e.Bytes()
	out := make([]byte, n*size)
	if e == tileir.I1 {
		splat := len(data) == 1 && n > 8
		if !splat && len(data) != (n+7)/8 {
			return nil, fmt.Errorf("a constant of %d i1 elements has %d bytes, but %d were expected", n, len(data), (n+7)/8)
		}
		for i := range out {
			if splat {
				out[i] = truth(data[0] != 0)
			} else {
				out[i] = data[i/8] >> (i % 8) & 1
			}
		}
		return out, nil
	}
	splat := len(data) == w
	if !splat && len(data) != n*w {
		return nil, fmt.Errorf("a constant of %d %s elements has %d bytes, but %d were expected", n, e, len(data), n*w)
	}
	for i := range n {
		src := data[:w]
		if !splat {
			src = data[i*w:][:w]
		}
		elem := out[i*size:][:size]
		copy(elem, src)
		if e == tileir.TF32 { // 19 bits, which are the upper bits of a float32
			bits := uint32(src[0]) | uint32(src[1])<<8 | uint32(src[2])<<16
			bits <<= 13
			elem[0], elem[1], elem[2], elem[3] = byte(bits), byte(bits>>8), byte(bits>>16), byte(bits>>24)
		}
	}
	return out, nil
}

// makeGlobals allocates the module's globals and fills them.
func (c *compiler) makeGlobals() error {
	used := map[string]bool{}
	for op := range c.entry.All() {
		if op.Info.Opcode == tileir.OpGetGlobal {
			if name, ok := op.Attr("name").(tileir.String); ok {
				used[string(name)] = true
			}
		}
	}
	var total int64
	for _, g := range c.module.Globals {
		if !used[g.Name] {
			continue
		}
		if total += memoryBytes(g.Value.Type.Elem, int64(g.Value.Type.Size())); total > c.device.limits.BlockMemory {
			return &CompileError{Loc: g.Loc, Text: fmt.Sprintf("the globals up to %s take %d bytes, more than %d: %s", g.Name, total, c.device.limits.BlockMemory, limit.Hint("BlockMemory"))}
		}
		data, err := constantElements(g.Value.Data, g.Value.Type.Elem, g.Value.Type.Size())
		if err != nil {
			return &CompileError{Loc: g.Loc, Text: "global " + g.Name + ": " + err.Error()}
		}
		if g.Value.Type.Elem.PerByte() > 1 {
			data = dtype.PackHalves(data)
		}
		b, err := c.device.table.add(c.device, int64(len(data)), 0)
		if err != nil {
			return err
		}
		copy(b.Host(), data)
		b.name = "global " + g.Name
		c.globals[g.Name] = b
	}
	return nil
}

func (c *compiler) freeGlobals() {
	for _, b := range c.globals {
		c.device.table.remove(b)
	}
}

func generateGetGlobal(c *compiler, op *tileir.Op) (step, error) {
	name, _ := op.Attr("name").(tileir.String)
	b := c.globals[string(name)]
	if b == nil {
		return nil, unsupported(op, nil, fmt.Sprintf("the module has no global %q", name))
	}
	d, address := c.off(op.Results[0]), b.Address()
	return func(f *frame) signal { *at[uint64](f, d) = address; return sigNext }, nil
}

// generateAlloca gives each alloca of a kernel a buffer in each frame. Its content is zero each time.
func generateAlloca(c *compiler, op *tileir.Op) (step, error) {
	t := tileType(op.Results[0])
	bytes := memoryBytes(t.Elem, op.Int("num_elem"))
	if align := op.Int("alignment"); align > bufferAlign {
		return nil, unsupported(op, t, fmt.Sprintf("its alignment %d is above %d", align, bufferAlign))
	}
	d, k := c.off(op.Results[0]), len(c.locals)
	c.locals = append(c.locals, bytes)
	return func(f *frame) signal {
		b := f.locals[k]
		f.clearInParts(b.Host())
		*at[uint64](f, d) = b.base
		return sigNext
	}, nil
}

// generateIndices makes the generator of an operation that gives three numbers of the launch.
func generateIndices(numbers func(f *frame) *[3]uint32) generator {
	return func(c *compiler, op *tileir.Op) (step, error) {
		x, y, z := c.off(op.Results[0]), c.off(op.Results[1]), c.off(op.Results[2])
		return func(f *frame) signal {
			n := numbers(f)
			*at[uint32](f, x), *at[uint32](f, y), *at[uint32](f, z) = n[0], n[1], n[2]
			return sigNext
		}, nil
	}
}

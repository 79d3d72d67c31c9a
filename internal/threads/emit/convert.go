package emit

import (
	"math/bits"
	"slices"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/internal/threads/plan"
)

// conversion is a tile in another layout, as long as the block is open that it was computed in.
type conversion struct {
	lay    *linear.Layout
	regs   []ir.Value
	region any
}

// convert gives the registers of a tile in another layout.
func (e *emitter) convert(x *tile, to *linear.Layout) []ir.Value {
	if x.lay.Equal(to) {
		return x.regs
	}
	if regs := rename(x.regs, x.lay, to); regs != nil {
		return regs
	}
	for _, c := range x.converted {
		if c.lay.Equal(to) && e.Within(c.region) {
			return c.regs
		}
	}
	regs := e.shuffled(e.form(x.t), x.regs, x.lay, to)
	if regs == nil {
		regs = e.exchange("convert", e.form(x.t), x.regs, x.lay, to)
	}
	x.converted = append(x.converted, conversion{to, regs, e.Region()})
	return regs
}

// rename gives registers other places: nil where a thread has to know what others hold.
func rename(regs []ir.Value, from, to *linear.Layout) []ir.Value {
	if !from.SameThreads(to) {
		return nil
	}
	at := make(map[int]ir.Value, len(regs))
	for r, v := range regs {
		at[from.Reg.Apply(r)] = v
	}
	out := make([]ir.Value, to.Regs())
	for r := range out {
		v, ok := at[to.Reg.Apply(r)]
		if !ok {
			return nil
		}
		out[r] = v
	}
	return out
}

// inShared is the type as which an element lies in shared memory.
func (e *emitter) inShared(form vec.Type) vec.Type {
	switch {
	case form != vec.NoType:
		return vec.IntOf(form.Bytes())
	case e.target.Words:
		return vec.I32
	}
	return vec.I8
}

// fromMask makes a value as which a mask lies in shared memory, and toMask is the reverse; other forms lie there as they are.
func (e *emitter) fromMask(form vec.Type, x ir.Value) ir.Value {
	if t := e.inShared(form); form == vec.NoType {
		return e.Do(vec.Select, t, x, e.Const(t, 1), e.Const(t, 0))
	}
	return x
}

func (e *emitter) toMask(form vec.Type, x ir.Value) ir.Value {
	if t := e.inShared(form); form == vec.NoType {
		return e.Compare(t, vec.NE, x, e.Const(t, 0))
	}
	return x
}

// swizzle spreads 16-byte pieces of lines of 128 bytes over the banks, by the three bits of an offset from one on: it is linear.
func swizzle(offset, from int) int { return offset ^ offset>>from&7<<4 }

// apart is the bit from which on [swizzle] should look at offsets: that of the first of eight lanes which access rows of their own, or of the
// line.
func apart(offset func(n int) int, layouts ...*linear.Layout) int {
	for _, l := range layouts {
		if len(l.Lane) < 3 {
			continue
		}
		first := offset(l.Lane[0])
		if first >= 1<<lineBits && bits.OnesCount(uint(first)) == 1 && offset(l.Lane[1]) == 2*first && offset(l.Lane[2]) == 4*first {
			return linear.Log2(first)
		}
	}
	return lineBits
}

// lineBits is the number of bits of an offset in a line of shared memory, of all its banks.
const lineBits = 7

// exchange brings registers from one layout to another through shared memory. Where a tile is too large, parts of it go one after
// another. Of threads that hold the same, one writes.
func (e *emitter) exchange(name string, form vec.Type, regs []ir.Value, from, to *linear.Layout) []ir.Value {
	return e.swap(name, form, regs, from, to, 0)
}

// swap is exchange where each thread gets the elements in whose numbers the given bits are turned, which are no register's.
func (e *emitter) swap(name string, form vec.Type, regs []ir.Value, from, to *linear.Layout, flip int) []ir.Value {
	size := e.inShared(form).Bytes()
	used := from.All().Span() | to.All().Span()
	mask := e.parts(size, used, from, to)
	out := make([]ir.Value, to.Regs())
	guard := e.first(from)
	unit, run := together(from, to, plan.Widest/size)
	inner := (run - 1) * unit
	if inner&(mask|^used) != 0 {
		unit, run, inner = 1, 1, 0
	}
	for part := range 1 << bits.OnesCount(uint(mask)) {
		want := linear.Spread(part, ^mask) & mask
		buf := e.NewBuffer(name, size<<bits.OnesCount(uint(used&^mask)), 128)
		flat := func(n int) int { return (n&inner/unit | linear.Squeeze(n, mask|^used|inner)*run) * size }
		at := apart(flat, from, to)
		s := &staged{buf: buf, form: form, unit: unit, offset: func(n int) int { return swizzle(flat(n), at) }}
		e.write(s, regs, from, guard, func(n int) bool { return n&mask == want })
		s.flip = flip
		e.read(s, out, to, func(n int) bool { return n&mask == want })
	}
	return out
}

// together finds what lies side by side in shared memory between two layouts: so many elements, whose numbers are so far apart, that a thread has
// in neighbouring registers of both. Where that makes no difference, they are those of neighbouring numbers.
func together(from, to *linear.Layout, most int) (unit, run int) {
	if len(from.Reg) == 0 || len(to.Reg) == 0 || from.Reg[0] != to.Reg[0] || from.Reg[0] <= 1 || bits.OnesCount(uint(from.Reg[0])) > 1 {
		return 1, 1
	}
	unit = from.Reg[0]
	return unit, min(from.Run(unit, most), to.Run(unit, most))
}

// parts chooses the bits of elements' numbers that differ between the parts in which a tile goes through shared memory: they must be
// bits of registers in both layouts.
func (e *emitter) parts(size, used int, from, to *linear.Layout) (mask int) {
	n := 1 << bits.OnesCount(uint(used))
	for bit := 1 << bits.Len(uint(used)); n*size > e.target.Shared && bit > 0; bit >>= 1 {
		if used&bit != 0 && only(from, bit) && only(to, bit) {
			mask |= bit
			n /= 2
		}
	}
	if n*size > e.target.Shared {
		e.refuse("a tile of %d bytes has to go through shared memory, of which there are %d bytes: use a smaller tile", n*size, e.target.Shared)
	}
	return mask
}

// only reports whether one register's bit, and nothing else, makes up a bit of elements' numbers.
func only(l *linear.Layout, bit int) bool {
	return l.Thread().Span()&bit == 0 && l.Permutes() && l.Reg.Has(bit)
}

// staged is a tile in shared memory. offset, which is linear, gives the place of an element in bytes.
type staged struct {
	buf    *ir.Buffer
	form   vec.Type
	offset func(n int) int
	plus   ir.Value // is added to each place; 0 for nothing
	flip   int      // elements lie where those with these bits of their number turned would
	unit   int      // the distance of the numbers of elements that may lie side by side; 0 for 1

	handover *handover // for products that deal with the producer themselves
}

// run is how many registers in a row lie side by side.
func (e *emitter) run(s *staged, l *linear.Layout) int {
	size, n, unit := e.inShared(s.form).Bytes(), 1, max(1, s.unit)
	for most := l.Run(unit, plan.Widest/size); n < most && s.offset(n*unit) == n*size; {
		n *= 2
	}
	return n
}

// footprint says what threads touch that access a tile in a layout, so many bytes at once; nil if that changes while the kernel runs.
func (e *emitter) footprint(s *staged, l *linear.Layout, bytes int) *ir.Footprint {
	f := &ir.Footprint{Map: slices.Concat(l.Thread(), l.Reg).Mapped(s.offset), Threads: len(l.Lane) + len(l.Warp), Bytes: bytes}
	if s.plus != 0 {
		first, ok := e.Known(s.plus)
		if f.First = int(first); !ok || f.First&f.Map.Span() != 0 {
			return nil
		}
	}
	f.First ^= s.offset(s.flip)
	return f
}

// place is where a register lies: a value and a number to be added.
func (e *emitter) place(s *staged, l *linear.Layout, r int) (at ir.Value, disp int64) {
	return e.placeOf(s, l.Thread(), l.Reg.Apply(r)^s.flip)
}

// placeOf is where an element lies that threads add their own part to.
func (e *emitter) placeOf(s *staged, thread linear.Map, n int) (at ir.Value, disp int64) {
	bases := thread.Mapped(s.offset)
	span := bases.Span()
	at = e.linear(e.thread(), bases)
	c := s.offset(n)
	if x := c & span; x != 0 {
		at = e.Do(vec.Xor, vec.I32, at, e.Int(x))
	}
	if s.plus != 0 {
		at = e.add(at, s.plus)
	}
	if n, ok := e.Known(at); ok {
		return 0, int64(n) + int64(c&^span)
	}
	return at, int64(c &^ span)
}

// write puts the registers of the elements for which in holds into shared memory.
func (e *emitter) write(s *staged, regs []ir.Value, l *linear.Layout, guard ir.Value, in func(n int) bool) {
	t := e.inShared(s.form)
	run := e.run(s, l)
	foot := e.footprint(s, l, run*t.Bytes())
	if foot != nil && guard != 0 && guard == e.first(l) {
		foot.Only = l.Duplicates()
	}
	for r := 0; r < len(regs); r += run {
		if !in(l.Reg.Apply(r)) {
			continue
		}
		src := make([]ir.Value, run)
		for k := range src {
			src[k] = e.fromMask(s.form, regs[r+k])
		}
		at, disp := e.place(s, l, r)
		e.storeRun(t, ir.Access{Space: ir.Shared, Buffer: s.buf, At: at, Disp: disp, Guard: guard, Align: run * t.Bytes(), Touches: foot}, src)
	}
}

// read gets the registers of the elements for which in holds.
func (e *emitter) read(s *staged, out []ir.Value, l *linear.Layout, in func(n int) bool) {
	t := e.inShared(s.form)
	run := e.run(s, l)
	foot := e.footprint(s, l, run*t.Bytes())
	for r := 0; r < len(out); r += run {
		if !in(l.Reg.Apply(r)) {
			continue
		}
		at, disp := e.place(s, l, r)
		got := e.loadRun(t, run, ir.Access{Space: ir.Shared, Buffer: s.buf, At: at, Disp: disp, Align: run * t.Bytes(), Touches: foot}, nil)
		for k, v := range got {
			out[r+k] = e.toMask(s.form, v)
		}
	}
}

// all is true for each element.
func all(int) bool { return true }

package emit

import (
	"math/bits"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/tileir"
)

// groupBits is the logarithm of the number of elements that a scan combines with one another first. For d = 1, 2, 4 and 8, element i
// of a group for which i&d is not 0 is combined with element i&^(2d-1) + d-1; then each element of a group with the last one of the
// group before. So do the CPU engine's scans.
const groupBits = 4

// mostInThread is the greatest number of elements of a scan that one thread has in registers.
const mostInThread = 64

// scan combines within the registers of a thread, and from group to group there, or through shared memory.
func (e *emitter) scan(op *tileir.Op) {
	f := e.newFolder(op)
	s := &scanner{folder: f, n: f.shape[f.dim], first: f.shape.Shift(f.dim)}
	if op.Int("reverse") != 0 {
		s.flip = s.n - 1
	}
	mask := f.shape.Mask(f.dim)
	if s.n > mostInThread {
		mask &= 1<<(s.first+groupBits) - 1
	}
	f.begin(e.owning(e.current(op.Operands[0]), f.shape.Size(), mask))
	rows := s.rows()
	for _, row := range rows {
		for g := range row {
			s.group(row[g])
		}
	}
	if f.lay.Thread().Span()&f.shape.Mask(f.dim) == 0 {
		for _, row := range rows {
			for g := 1; g < len(row); g++ {
				carry := f.at(row[g-1][len(row[g-1])-1])
				for _, r := range row[g] {
					f.put(r, f.combine(carry, f.at(r)))
				}
			}
		}
	} else {
		s.through()
	}
	f.publish(f.lay)
}

// scanner is a scan.
type scanner struct {
	*folder
	n, first int // elements along the dimension, and the position of the first bit of their number
	flip     int // what turns the numbers around
}

// rows gives the registers of a thread: row by row, group by group, in the order of the scan.
func (s *scanner) rows() (rows [][][]int) {
	at := map[int]int{}
	for r := range s.lay.Regs() {
		at[s.lay.Reg.Apply(r)] = r
	}
	mask := s.shape.Mask(s.dim)
	mine := s.lay.Reg.Span() & mask
	for r := range s.lay.Regs() {
		base := s.lay.Reg.Apply(r)
		if base&mine != 0 {
			continue
		}
		var row [][]int
		size := min(s.n, 1<<groupBits)
		count := 1 << bits.OnesCount(uint(mine))
		for k := range count {
			// Which registers are there does not depend on the direction, but their order does.
			i := k
			if s.flip != 0 {
				i = count - 1 - k
			}
			if k%size == 0 {
				row = append(row, nil)
			}
			g := len(row) - 1
			row[g] = append(row[g], at[base|linear.Spread(i, ^mine)&mine])
		}
		rows = append(rows, row)
	}
	return rows
}

// group combines the elements of a group.
func (s *scanner) group(regs []int) {
	for d := 1; d < len(regs); d *= 2 {
		for i, r := range regs {
			if i&d != 0 {
				s.put(r, s.combine(s.at(regs[i&^(2*d-1)+d-1]), s.at(r)))
			}
		}
	}
}

// through goes from group to group by shared memory, where threads put the last element of each group of theirs. A thread for each
// row then puts what comes before a group in the place of the group's last element.
func (s *scanner) through() {
	low := s.shape.Mask(s.dim) & (1<<(s.first+groupBits) - 1)
	lasts := &linear.Layout{Lane: s.lay.Lane, Warp: s.lay.Warp}
	for _, b := range s.lay.Reg {
		if b&low == 0 {
			lasts.Reg = append(lasts.Reg, b)
		}
	}
	bufs := make([]*staged, len(s.forms))
	size := s.shape.Size() >> groupBits
	for i, form := range s.forms {
		t := s.inShared(form)
		bufs[i] = &staged{buf: s.NewBuffer("scan", size*t.Bytes(), 16), form: form, offset: func(n int) int { return linear.Squeeze(n, low) * t.Bytes() }}
		s.write(bufs[i], s.lastOf(lasts, low, i), lasts, s.emitter.first(lasts), all)
	}
	s.chainRows(bufs, low)
	before := make([][]ir.Value, len(bufs))
	for i, b := range bufs {
		before[i] = make([]ir.Value, lasts.Regs())
		s.read(b, before[i], lasts, all)
	}
	groups := s.shape.Mask(s.dim) &^ low
	for r := range lasts.Regs() {
		// The first group has nothing before it.
		n := s.Do(vec.Xor, vec.I32, s.linear(s.thread(), lasts.Thread().Mapped(func(b int) int { return b & groups })), s.Int((lasts.Reg.Apply(r)^s.flip<<s.first)&groups))
		isFirst := s.Compare(vec.I32, vec.EQ, n, s.Int(0))
		carry := make([]ir.Value, len(before))
		for i := range carry {
			carry[i] = before[i][r]
		}
		for k := range s.lay.Regs() {
			if s.lay.Reg.Apply(k)&^low == lasts.Reg.Apply(r) {
				s.put(k, s.choose(isFirst, s.at(k), s.combine(carry, s.at(k))))
			}
		}
	}
}

// lastOf gives the registers with the last elements of the groups.
func (s *scanner) lastOf(lasts *linear.Layout, low, operand int) []ir.Value {
	last := low
	if s.flip != 0 {
		last = 0
	}
	out := make([]ir.Value, lasts.Regs())
	for r := range s.lay.Regs() {
		n := s.lay.Reg.Apply(r)
		for k := range out {
			if lasts.Reg.Apply(k)|last == n {
				out[k] = s.regs[operand][r]
			}
		}
	}
	return out
}

// chainRows goes along the groups of each row, a thread a row.
func (s *scanner) chainRows(bufs []*staged, low int) {
	dims := s.shape.Mask(s.dim)
	rows := s.shape.Size() / s.n
	groups := s.n >> groupBits
	threads := s.p.Block.Threads()
	for base := 0; base < rows; base += threads {
		var guard ir.Value
		if rows < threads {
			guard = s.Compare(vec.I32, vec.LT, s.thread(), s.Int(rows))
		}
		row := s.linear(s.add(s.thread(), s.Int(base)), spreading(linear.Log2(max(rows, threads)), dims, s.shape.Size()))
		access := func(b *staged, n ir.Value) ir.Access {
			at := s.linear(n, linear.Identity(linear.Log2(s.shape.Size())).Mapped(b.offset))
			return ir.Access{Space: ir.Shared, Buffer: b.buf, At: at, Guard: guard, Align: s.inShared(b.form).Bytes(), Private: true}
		}
		place := func(g ir.Value) ir.Value { // of a group of the row
			n := s.Do(vec.Xor, vec.I32, g, s.Int(s.flip>>groupBits))
			return s.Do(vec.Or, vec.I32, row, s.DoImm(vec.ShlImm, vec.I32, int64(s.first+groupBits), n))
		}
		accs := make([]ir.Var, len(bufs))
		for i, b := range bufs {
			accs[i] = s.NewVar(lane.Class(b.form))
			s.Set(accs[i:i+1], []ir.Value{s.loadOne(b, access(b, place(s.Int(0))))})
		}
		g := s.NewVar(vec.V32)
		s.Set([]ir.Var{g}, []ir.Value{s.Int(1)})
		s.Loop(func() {
			n := s.Get(g)
			at := place(n)
			acc, elem := make([]ir.Value, len(bufs)), make([]ir.Value, len(bufs))
			for i, b := range bufs {
				acc[i], elem[i] = s.Get(accs[i]), s.loadOne(b, access(b, at))
			}
			for i, b := range bufs {
				s.storeOne(b, access(b, at), acc[i])
			}
			s.Set(accs, s.combine(acc, elem))
			next := s.add(n, s.Int(1))
			s.Set([]ir.Var{g}, []ir.Value{next})
			s.Break(0, s.Compare(vec.I32, vec.GE, next, s.Int(groups)))
		})
	}
}

// spreading is the map that makes room for the bits of a mask in a number of n bits; the result is less than size.
func spreading(n, mask, size int) linear.Map {
	m := make(linear.Map, n)
	for i := range m {
		m[i] = linear.Spread(1<<i, mask) & (size - 1)
	}
	return m
}

// loadOne and storeOne move one element from and to shared memory.
func (e *emitter) loadOne(s *staged, m ir.Access) ir.Value {
	return e.toMask(s.form, e.Load(e.inShared(s.form), 1, m)[0])
}

func (e *emitter) storeOne(s *staged, m ir.Access, x ir.Value) {
	e.Store(e.inShared(s.form), m, e.fromMask(s.form, x))
}

package neon

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/arm64"
	"github.com/cutile-go/cutile/internal/native/isel"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// permute makes each register of the result of those that its lanes lie in.
func permute(s *selector, in *vec.Instr) {
	x, n := s.Parts(in.Src[0]), perRegister(in.Type.Bytes())
	order := make([]int, vec.Lanes)
	for i := range order {
		order[i] = vec.PermuteLane(in.Imm, i)
	}
	period := len(x) // of registers that are alike
	for period > 1 && repeats(order, period/2*n) {
		period /= 2
	}
	made := make(isel.Parts, period)
	for p := range made {
		made[p] = s.lanesOf(x, in.Type.Bytes(), order[p*n:][:n])
		if in.Dst == in.Src[0] && slices.Contains(x, made[p]) { // it would be overwritten
			t := s.Vector()
			s.move(isel.Parts{t}, made[p:][:1])
			made[p] = t
		}
	}
	d, fill := s.Uniform(in, period)
	for i, r := range d[:fill] {
		s.move(isel.Parts{r}, isel.Parts{made[i%period]})
	}
}

// repeats reports whether numbers are the same again after so many.
func repeats(order []int, n int) bool { return slices.Equal(order[n:], order[:len(order)-n]) }

// lanesOf gives a register with some lanes of a vector. It may be one of the vector's.
func (s *selector) lanesOf(x isel.Parts, size int, lanes []int) mach.Reg {
	lanes, size = widest(lanes, size)
	n, w := len(lanes), widths[size]
	first := x[lanes[0]/n]
	var from []int // registers
	for _, l := range lanes {
		if !slices.Contains(from, l/n) {
			from = append(from, l/n)
		}
	}
	if !slices.ContainsFunc(lanes, func(l int) bool { return l != lanes[0] }) {
		t := s.Vector()
		s.op(arm64.DUP, isel.Def(w.whole, t), lane(isel.Use(w.lane, first), lanes[0]%n))
		return t
	}
	if size == 8 {
		return s.pair(first, lanes[0]%2, x[lanes[1]/2], lanes[1]%2)
	}
	if len(from) == 1 {
		for _, r := range inOne {
			if r.size == size && !mismatch(lanes, r.lane) {
				t := s.Vector()
				out := s.op(r.op, isel.Def(w.whole, t), isel.Use(w.whole, first))
				if r.twice {
					out.Append(isel.Use(w.whole, first))
				}
				return t
			}
		}
	}
	return s.lookUp(x, size, lanes, from)
}

// inOne are the instructions that move lanes of a size inside of a register, and the lane that each becomes.
var inOne = func() (list []inOneRow) {
	for size := 1; size <= 4; size *= 2 {
		for group, op := range map[int]arm64.Op{2: arm64.REV16, 4: arm64.REV32, 8: arm64.REV64} {
			if n := group / size; n > 1 {
				list = append(list, inOneRow{op, size, false, func(k int) int { return k ^ (n - 1) }})
			}
		}
		list = append(list, inOneRow{arm64.TRN1, size, true, func(k int) int { return k &^ 1 }}, inOneRow{arm64.TRN2, size, true, func(k int) int { return k | 1 }})
	}
	return list
}()

type inOneRow struct {
	op    arm64.Op
	size  int
	twice bool // both operands are the register
	lane  func(k int) int
}

func mismatch(lanes []int, want func(k int) int) bool {
	for k, l := range lanes {
		if l%len(lanes) != want(k) {
			return true
		}
	}
	return false
}

// pair gives a register with two lanes of 64 bits of others, or one of these.
func (s *selector) pair(x mach.Reg, i int, y mach.Reg, j int) mach.Reg {
	if x == y && i == 0 && j == 1 {
		return x
	}
	t := s.Vector()
	if i == 0 && j == 1 {
		s.move(isel.Parts{t}, isel.Parts{y})
		s.op(arm64.INS, lane(isel.UseDef(viewD, t), 0), lane(isel.Use(viewD, x), 0))
		return t
	}
	op, view := arm64.ZIP1, view2D
	switch {
	case i == 1 && j == 1:
		op = arm64.ZIP2
	case i == 1:
		op, view = arm64.EXT, view16B
	}
	out := s.op(op, isel.Def(view, t), isel.Use(view, x), isel.Use(view, y))
	if op == arm64.EXT {
		out.Append(isel.Imm(8))
	}
	return t
}

// lookUp takes each byte from the register that it lies in, one register after the other.
func (s *selector) lookUp(x isel.Parts, size int, lanes, from []int) (t mach.Reg) {
	const nowhere = 0xff
	for i, p := range from {
		var b []byte
		for _, l := range lanes {
			for k := range size {
				at := byte(l%len(lanes)*size + k)
				if l/len(lanes) != p {
					at = nowhere
				}
				b = append(b, at)
			}
		}
		c := s.Vector()
		s.Add(setVector, isel.Def(viewQ, c), isel.Data(b))
		if i == 0 {
			t = s.Vector()
			s.op(arm64.TBL, isel.Def(view16B, t), isel.Use(view16B, x[p]), isel.Use(view16B, c))
			continue
		}
		s.op(arm64.TBX, isel.UseDef(view16B, t), isel.Use(view16B, x[p]), isel.Use(view16B, c))
	}
	return t
}

// widest gives the numbers of the largest lanes that do the same.
func widest(lanes []int, size int) ([]int, int) {
	for ; size < 8; size *= 2 {
		var out []int
		for k := 0; k < len(lanes); k += 2 {
			if lanes[k]%2 != 0 || lanes[k+1] != lanes[k]+1 {
				return lanes, size
			}
			out = append(out, lanes[k]/2)
		}
		lanes = out
	}
	return lanes, size
}

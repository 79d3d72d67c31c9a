package neon

import (
	"math/bits"

	"github.com/cutile-go/cutile/internal/native/arm64"
	"github.com/cutile-go/cutile/internal/native/isel"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// place is memory at a register plus a number of bytes.
func place(base mach.Reg, disp int) mach.Arg {
	return mach.Arg{Kind: mach.MemArg, Reg: base, Disp: int32(disp)}
}

// start gives the base of memory plus its index.
func (s *selector) start(m vec.Mem) mach.Reg {
	if m.Index == 0 {
		return s.One(m.Base)
	}
	m.Disp = 0
	return s.Once(m, []vec.Reg{m.Base, m.Index}, func() mach.Reg {
		t := s.Integer()
		s.op(arm64.ADD, isel.Def(viewX, t), s.scalar(m.Base), s.scalar(m.Index), modifier(lslBy, bits.TrailingZeros8(uint8(m.Scale))))
		return t
	})
}

// address computes where memory begins.
func (s *selector) address(m vec.Mem) mach.Reg { return s.laneAt(s.start(m), int(m.Disp)) }

// laneAt is a place as a register alone, which instructions on one lane need.
func (s *selector) laneAt(base mach.Reg, disp int) mach.Reg {
	if disp == 0 {
		return base
	}
	t := s.Integer()
	s.addInt(t, base, int64(disp))
	return t
}

// single is the memory of an instruction that reads or writes one register of a size.
func (s *selector) single(m vec.Mem, size int) mach.Arg {
	if m.Index != 0 && m.Disp == 0 && (m.Scale == 1 || int(m.Scale) == size) {
		a := place(s.One(m.Base), 0)
		a.Index, a.Indexed, a.Scale = s.One(m.Index), true, uint8(m.Scale)
		return a
	}
	if d := int(m.Disp); d >= -256 && d < 256 || d >= 0 && d%size == 0 && d < size<<12 {
		return place(s.start(m), d)
	}
	return place(s.address(m), 0)
}

// reachPair is how far instructions that access two registers reach, in both directions.
const reachPair = 1 << 10

// pairs is the memory of instructions that access n registers, two at a time: where it begins.
func (s *selector) pairs(m vec.Mem, n int) mach.Arg {
	if d := int(m.Disp); d%16 == 0 && d >= -reachPair && d+16*n <= reachPair {
		return place(s.start(m), d)
	}
	return place(s.address(m), 0)
}

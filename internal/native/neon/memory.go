package neon

import (
	"math/bits"

	"github.com/cutile-go/cutile/internal/native/arm64"
	"github.com/cutile-go/cutile/internal/native/isel"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// memory has the rules for memory.
var memory = map[vec.Op]rule{
	vec.Load: load, vec.Store: store, vec.Gather: gather, vec.Scatter: scatter,
	vec.StoreStream: func(s *selector, in *vec.Instr) { s.store(in, arm64.STNP) },
	vec.LoadFirst: func(s *selector, in *vec.Instr) {
		at := place(s.address(in.Mem), 0)
		d, n := s.Uniform(in, 1)
		for _, r := range d[:n] {
			s.op(arm64.LD1R, isel.Def(widths[in.Type.Bytes()].whole, r), at)
		}
	},
	vec.Prefetch: func(s *selector, in *vec.Instr) {
		base := s.address(in.Mem)
		for at := 0; at < vec.Lanes*in.Type.Bytes(); at += cacheLine {
			s.op(arm64.PRFM, modifier(prefetch, 0), place(base, at))
		}
	},
	vec.StoreOne: func(s *selector, in *vec.Instr) {
		size := in.Type.Bytes()
		s.op(arm64.STR, isel.Use(widths[size].lane, s.One(in.Src[0])), s.single(in.Mem, size))
	},
}

// cacheLine is the bytes that one prefetch asks for; lines of some machines are longer.
const cacheLine = 64

// load reads whole registers, or lane by lane where not all lanes of a mask are set.
func load(s *selector, in *vec.Instr) {
	d := s.Dst(in)
	if in.Mask == 0 {
		s.load(d, s.whole(in.Mem, len(d)))
		return
	}
	base, got := s.address(in.Mem), s.vectors(len(d))
	s.masked(in, func() { s.load(got, place(base, 0)) }, func(each eachLane) {
		for _, r := range got {
			s.setAll(r, 0, 8)
		}
		each(func(i int) { s.loadLane(got, in.Type, i, s.laneAt(base, i*in.Type.Bytes())) })
	})
	s.move(d, got)
}

func store(s *selector, in *vec.Instr) {
	if in.Mask == 0 {
		s.store(in, arm64.STP)
		return
	}
	base, x := s.address(in.Mem), s.Parts(in.Src[0])
	s.masked(in, func() { s.storeAt(x, arm64.STP, place(base, 0)) }, func(each eachLane) {
		each(func(i int) { s.storeLane(x, in.Type, i, s.laneAt(base, i*in.Type.Bytes())) })
	})
}

// whole is the memory of all registers of a vector.
func (s *selector) whole(m vec.Mem, n int) mach.Arg {
	if n == 1 {
		return s.single(m, 16)
	}
	return s.pairs(m, n)
}

// load reads all lanes.
func (s *selector) load(d isel.Parts, at mach.Arg) {
	if len(d) == 1 {
		s.op(arm64.LDR, isel.Def(viewQ, d[0]), at)
		return
	}
	for i := 0; i < len(d); i += 2 {
		s.op(arm64.LDP, isel.Def(viewQ, d[i]), isel.Def(viewQ, d[i+1]), at)
		at.Disp += 32
	}
}

// store writes all lanes, two registers at a time with the given operation.
func (s *selector) store(in *vec.Instr, pair arm64.Op) {
	x := s.Parts(in.Src[0])
	s.storeAt(x, pair, s.whole(in.Mem, len(x)))
}

func (s *selector) storeAt(x isel.Parts, pair arm64.Op, at mach.Arg) {
	if len(x) == 1 {
		s.op(arm64.STR, isel.Use(viewQ, x[0]), at)
		return
	}
	for i := 0; i < len(x); i += 2 {
		s.op(pair, isel.Use(viewQ, x[i]), isel.Use(viewQ, x[i+1]), at)
		at.Disp += 32
	}
}

// eachLane calls a function with the number of each lane. What it writes runs only where the lane is set.
type eachLane func(do func(i int))

// masked runs one way where all lanes of the instruction's mask are set, and another way lane by lane else.
func (s *selector) masked(in *vec.Instr, whole func(), some func(each eachLane)) {
	nibbles := s.nibbles(in.Mask)
	slow, done := s.Code.Label(), s.Code.Label()
	s.op(arm64.CMN, isel.Use(viewX, nibbles), isel.Imm(1))
	s.jump(arm64.NE, slow)
	whole()
	s.op(arm64.BRANCH, isel.Label(done))
	s.bind(slow)
	some(s.whereSet(nibbles))
	s.bind(done)
}

// nibbles has four bits of a general register for each lane of a mask.
func (s *selector) nibbles(mask vec.Reg) mach.Reg {
	return s.Once(mask, []vec.Reg{mask}, func() mach.Reg {
		t := s.narrow(s.narrow(s.Parts(mask), 4), 2)
		n, x := s.Vector(), s.Integer()
		s.op(arm64.SHRN, isel.Def(view8B, n), isel.Use(view8H, t[0]), isel.Imm(4))
		s.op(arm64.FMOV, isel.Def(viewX, x), isel.Use(viewD, n))
		return x
	})
}

// whereSet skips what belongs to lanes that are not set.
func (s *selector) whereSet(nibbles mach.Reg) eachLane {
	return func(do func(i int)) {
		for i := range vec.Lanes {
			next := s.Code.Label()
			s.op(arm64.TBZ, isel.Use(viewX, nibbles), isel.Imm(int64(4*i)), isel.Label(next))
			do(i)
			s.bind(next)
		}
	}
}

// loadLane reads lane i of a vector.
func (s *selector) loadLane(d isel.Parts, t vec.Type, i int, at mach.Reg) {
	n := perRegister(t.Bytes())
	s.op(arm64.LD1, lane(isel.UseDef(widths[t.Bytes()].lane, d[i/n]), i%n), place(at, 0))
}

// storeLane writes lane i of a vector.
func (s *selector) storeLane(x isel.Parts, t vec.Type, i int, at mach.Reg) {
	n := perRegister(t.Bytes())
	s.op(arm64.ST1, lane(isel.Use(widths[t.Bytes()].lane, x[i/n]), i%n), place(at, 0))
}

// gather reads lane by lane. The result is put together elsewhere since the indices may be in its registers.
func gather(s *selector, in *vec.Instr) {
	d := s.Dst(in)
	got := s.vectors(len(d))
	for _, r := range got {
		s.setAll(r, 0, 8)
	}
	base := s.address(in.Mem)
	s.eachIndexed(in, func(i int) { s.loadLane(got, in.Type, i, s.indexedAt(in, base, i)) })
	s.move(d, got)
}

func scatter(s *selector, in *vec.Instr) {
	base := s.address(in.Mem)
	s.eachIndexed(in, func(i int) { s.storeLane(s.Parts(in.Src[1]), in.Type, i, s.indexedAt(in, base, i)) })
}

// eachIndexed calls a function for the lanes of a gather or scatter.
func (s *selector) eachIndexed(in *vec.Instr, do func(i int)) {
	if in.Mask != 0 {
		s.whereSet(s.nibbles(in.Mask))(do)
		return
	}
	for i := range vec.Lanes {
		do(i)
	}
}

// indexedAt computes where lane i of a gather or scatter is.
func (s *selector) indexedAt(in *vec.Instr, base mach.Reg, i int) mach.Reg {
	n, size := perRegister(in.From.Bytes()), in.From.Bytes()
	index, at := s.Integer(), s.Integer()
	w := widths[size]
	s.op(arm64.UMOV, isel.Def(w.general, index), lane(isel.Use(w.lane, s.Parts(in.Src[0])[i/n]), i%n))
	shift := modifier(lslBy, bits.TrailingZeros64(uint64(in.Imm)))
	if size == 4 {
		shift.View = sxtwBy
	}
	s.op(arm64.ADD, isel.Def(viewX, at), isel.Use(viewX, base), isel.Use(w.general, index), shift)
	return at
}

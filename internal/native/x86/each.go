package x86

import (
	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// Accesses for which the machine has no instruction go lane by lane, over the lanes of the mask only: no other memory is
// touched. Vectors are in a part of the frame meanwhile.
const (
	roomLanes   = 0   // for lanes
	roomIndices = 128 // for indices
	roomBytes   = 256
)

// room is a lane in that part of the frame, or the start of it without a lane.
func (s *selector) room(at int, lane mach.Reg, size int) mach.Arg {
	s.roomUsed = true
	m := mach.Arg{Kind: mach.MemArg, Frame: true, Disp: int32(8*s.f.Frame + at)}
	if lane != 0 {
		m.Index, m.Indexed, m.Scale = lane, true, uint8(size)
	}
	return m
}

// save writes a vector there.
func (s *selector) save(r vec.Reg, at int) {
	view := s.shape(s.f.Class(r)).view
	for i, x := range s.parts(r) {
		s.op(amd64.VMOVUPS, s.room(at+i*bytesOf(view), 0, 0), use(view, x))
	}
}

// clearRoom clears what a vector like the result needs.
func (s *selector) clearRoom(in *vec.Instr) {
	zero, view := s.vector(), s.view(in)
	s.add(setZero, def(view, zero))
	for i := range s.shape(in.Type.Class()).n {
		s.op(amd64.VMOVUPS, s.room(roomLanes+i*bytesOf(view), 0, 0), use(view, zero))
	}
}

// fetch reads the result from there.
func (s *selector) fetch(in *vec.Instr) {
	view := s.view(in)
	for i, r := range s.dst(in) {
		s.op(amd64.VMOVUPS, def(view, r), s.room(roomLanes+i*bytesOf(view), 0, 0))
	}
}

// eachLane runs body for the lanes of a set of bits, from the first one on.
func (s *selector) eachLane(bits mach.Reg, body func(lane mach.Reg)) {
	begin, end, lane := s.code.Label(), s.code.Label(), s.integer()
	s.op(amd64.TEST, use(r32, bits), use(r32, bits))
	s.op(amd64.JE, label(end))
	s.add(mach.LoopBegin)
	s.add(mach.Bind, label(begin))
	s.op(amd64.TZCNT, def(r32, lane), use(r32, bits))
	body(lane)
	s.op(amd64.BLSR, def(r32, bits), use(r32, bits))
	s.op(amd64.JNE, label(begin))
	s.add(mach.LoopEnd)
	s.add(mach.Bind, label(end))
}

// bitsOf has a bit for each lane of an instruction's mask, in a new register.
func (s *selector) bitsOf(in *vec.Instr) mach.Reg {
	if in.Mask != 0 {
		return s.masking.bits(s, in.Mask)
	}
	r := s.integer()
	s.add(setInt, def(r64, r), imm(1<<vec.Lanes-1))
	return r
}

// copyLane copies a lane from one place to another.
func (s *selector) copyLane(t vec.Type, to, from mach.Arg) {
	ld, r := laneLoads[t.Bytes()], s.integer()
	from.Size = ld.bytes
	s.op(ld.load, def(ld.wide, r), from)
	s.op(amd64.MOV, to, use(ld.view, r))
}

// laneLoads say how lanes are copied, by their size.
var laneLoads = [9]struct {
	load       amd64.Op
	wide, view uint8
	bytes      uint8
}{
	1: {amd64.MOVZX, r32, r8, 1}, 2: {amd64.MOVZX, r32, r16, 2}, 4: {amd64.MOV, r32, r32, 4}, 8: {amd64.MOV, r64, r64, 8},
}

// place is the memory that a lane of a gather or scatter stands for.
func (s *selector) place(in *vec.Instr, base mach.Arg, lane mach.Reg) mach.Arg {
	ld, index := scalarLoads[in.From], s.integer()
	from := s.room(roomIndices, lane, in.From.Bytes())
	from.Size = uint8(ld.bytes)
	s.op(ld.signed, def(r64, index), from)
	base.Index, base.Indexed, base.Scale = index, true, uint8(in.Imm)
	return base
}

func gatherLanes(s *selector, in *vec.Instr) {
	s.save(in.Src[0], roomIndices)
	s.clearRoom(in)
	base := s.base(in.Mem)
	s.eachLane(s.bitsOf(in), func(lane mach.Reg) {
		s.copyLane(in.Type, s.room(roomLanes, lane, in.Type.Bytes()), s.place(in, base, lane))
	})
	s.fetch(in)
}

func scatterLanes(s *selector, in *vec.Instr) {
	s.save(in.Src[0], roomIndices)
	s.save(in.Src[1], roomLanes)
	base := s.base(in.Mem)
	s.eachLane(s.bitsOf(in), func(lane mach.Reg) {
		s.copyLane(in.Type, s.place(in, base, lane), s.room(roomLanes, lane, in.Type.Bytes()))
	})
}

// inLanes is memory of a load or store at a lane.
func inLanes(in *vec.Instr, base mach.Arg, lane mach.Reg) mach.Arg {
	base.Index, base.Indexed, base.Scale = lane, true, uint8(in.Type.Bytes())
	return base
}

// loadLanes is a masked load, which is a plain one where all lanes are set.
func loadLanes(s *selector, in *vec.Instr) {
	s.ifWhole(in, func() { s.load(in) }, func(bits mach.Reg) {
		s.clearRoom(in)
		base := s.base(in.Mem)
		s.eachLane(bits, func(lane mach.Reg) {
			s.copyLane(in.Type, s.room(roomLanes, lane, in.Type.Bytes()), inLanes(in, base, lane))
		})
		s.fetch(in)
	})
}

// storeLanes is a masked store, which is a plain one where all lanes are set.
func storeLanes(s *selector, in *vec.Instr) {
	s.ifWhole(in, func() { s.store(amd64.VMOVUPS, in) }, func(bits mach.Reg) {
		s.save(in.Src[0], roomLanes)
		base := s.base(in.Mem)
		s.eachLane(bits, func(lane mach.Reg) {
			s.copyLane(in.Type, inLanes(in, base, lane), s.room(roomLanes, lane, in.Type.Bytes()))
		})
	})
}

// ifWhole goes one way where all lanes of the mask are set, and else the other.
func (s *selector) ifWhole(in *vec.Instr, whole func(), lanes func(bits mach.Reg)) {
	bits := s.bitsOf(in)
	some, end := s.code.Label(), s.code.Label()
	s.op(amd64.CMP, use(r32, bits), imm(1<<vec.Lanes-1))
	s.op(amd64.JNE, label(some))
	whole()
	s.op(amd64.JMP, label(end))
	s.add(mach.Bind, label(some))
	lanes(bits)
	s.add(mach.Bind, label(end))
}

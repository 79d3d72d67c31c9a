package x86

import (
	"encoding/binary"

	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// avx512 is AVX-512 with the parts F, BW, DQ and VL, of which 32 registers of 512 bits and mask registers.
var avx512 = &level{
	name: "avx512",
	shapes: map[vec.Class]shape{
		vec.Scalar: {mach.Int, 1, r64}, vec.Mask: {mach.Mask, 1, kreg},
		vec.V8: {mach.Vector, 1, xmm}, vec.V16: {mach.Vector, 1, ymm}, vec.V32: {mach.Vector, 1, zmm}, vec.V64: {mach.Vector, 2, zmm},
	},
	vectors: 32,
}

func init() { // the tables refer to the level
	avx512.table, avx512.rules = table512(), rules512()
	avx512.anyBranch = func(s *selector, in *vec.Instr) {
		k := use(kreg, s.one(in.Src[0]))
		s.op(amd64.KORTESTW, k, k)
		s.openBranch(in, amd64.JE)
	}
}

// moves512 are the instructions that read, write and broadcast lanes, by the bytes of a lane.
var moves512 = map[int]struct {
	masked, plain, stream, broadcast, splat amd64.Op
	one                                     amd64.Op // stores the first lane
	first                                   amd64.Op // moves it to a general register
	general                                 uint8    // which has this view for splat
}{
	1: {amd64.VMOVDQU8, amd64.VMOVDQU8, amd64.VMOVNTDQ, amd64.VPBROADCASTB, amd64.VPBROADCASTB, amd64.VPEXTRB, amd64.VPEXTRB, r32},
	2: {amd64.VMOVDQU16, amd64.VMOVDQU16, amd64.VMOVNTDQ, amd64.VPBROADCASTW, amd64.VPBROADCASTW, amd64.VPEXTRW, amd64.VPEXTRW, r32},
	4: {amd64.VMOVDQU32, amd64.VMOVUPS, amd64.VMOVNTPS, amd64.VBROADCASTSS, amd64.VPBROADCASTD, amd64.VMOVSS, amd64.VMOVD, r32},
	8: {amd64.VMOVDQU64, amd64.VMOVUPS, amd64.VMOVNTPS, amd64.VBROADCASTSD, amd64.VPBROADCASTQ, amd64.VMOVSD, amd64.VMOVQ, r64},
}

// memory512 has the rules for memory and for constants.
var memory512 = map[vec.Op]rule{
	vec.Load: load512, vec.Store: store512,
	vec.StoreStream: func(s *selector, in *vec.Instr) {
		sh := s.shape(in.Type.Class())
		for i, r := range s.parts(in.Src[0]) {
			s.op(moves512[in.Type.Bytes()].stream, s.memory(in.Mem, 64*i), use(sh.view, r))
		}
	},
	vec.LoadFirst: func(s *selector, in *vec.Instr) {
		d, n := s.uniform(in)
		for _, r := range d[:n] {
			s.op(moves512[in.Type.Bytes()].broadcast, def(s.shape(in.Type.Class()).view, r), s.memory(in.Mem, 0))
		}
	},
	vec.StoreOne: func(s *selector, in *vec.Instr) {
		args := []mach.Arg{s.memory(in.Mem, 0), use(xmm, s.one(in.Src[0]))}
		if in.Type.Bytes() < 4 {
			args = append(args, imm(0))
		}
		s.op(moves512[in.Type.Bytes()].one, args...)
	},
	vec.Const: func(s *selector, in *vec.Instr) {
		d, n := s.uniform(in)
		view, size := s.shape(in.Type.Class()).view, in.Type.Bytes()
		bytes := element(in.Imm, size)
		for _, r := range d[:n] {
			if binary.LittleEndian.Uint64(append(bytes, make([]byte, 8)...)) == 0 {
				s.add(setZero, def(view, r))
				continue
			}
			s.add(setVector, def(view, r), data(bytes), imm(int64(moves512[size].broadcast)))
		}
	},
	vec.Iota: func(s *selector, in *vec.Instr) {
		sh, size := s.shape(in.Type.Class()), in.Type.Bytes()
		for i, r := range s.dst(in) {
			var b []byte
			for lane := range vec.Lanes / sh.n {
				b = append(b, element(int64(i*vec.Lanes/sh.n+lane), size)...)
			}
			s.add(setVector, def(sh.view, r), data(b), imm(int64(moves512[size].plain)))
		}
	},
	vec.Splat: func(s *selector, in *vec.Instr) {
		d, n := s.uniform(in)
		m := moves512[in.Type.Bytes()]
		for _, r := range d[:n] {
			s.op(m.splat, def(s.shape(in.Type.Class()).view, r), use(m.general, s.one(in.Src[0])))
		}
	},
	vec.SFirst: first512, vec.Gather: gather512, vec.Scatter: scatter512,
}

// first512 brings the first lane to a general register and extends its sign.
func first512(s *selector, in *vec.Instr) {
	d, m := s.dst(in)[0], moves512[in.Type.Bytes()]
	x := use(xmm, s.one(in.Src[0]))
	switch in.Type {
	case vec.I64:
		s.op(m.first, def(r64, d), x)
	case vec.I32:
		s.op(m.first, def(r32, d), x)
		s.op(amd64.MOVSXD, def(r64, d), use(r32, d))
	default:
		s.op(m.first, def(r32, d), x, imm(0))
		s.op(amd64.MOVSX, def(r64, d), use(scalarLoads[in.Type].view, d))
	}
}

func load512(s *selector, in *vec.Instr) {
	sh, m := s.shape(in.Type.Class()), moves512[in.Type.Bytes()]
	d := s.dst(in)
	ks := s.split(in.Mask, len(d))
	for i, r := range d {
		if in.Mask == 0 {
			s.op(m.plain, def(sh.view, r), s.memory(in.Mem, 64*i))
			continue
		}
		s.op(m.masked, def(sh.view, r), s.memory(in.Mem, 64*i), use(writeMask, ks[i])).Zero = true
	}
}

func store512(s *selector, in *vec.Instr) {
	sh, m := s.shape(in.Type.Class()), moves512[in.Type.Bytes()]
	x := s.parts(in.Src[0])
	ks := s.split(in.Mask, len(x))
	for i, r := range x {
		if in.Mask == 0 {
			s.op(m.plain, s.memory(in.Mem, 64*i), use(sh.view, r))
			continue
		}
		s.op(m.masked, s.memory(in.Mem, 64*i), use(sh.view, r), use(writeMask, ks[i]))
	}
}

// split gives a mask for each of n parts: the lower and the upper half of it where there are two.
func (s *selector) split(mask vec.Reg, n int) []mach.Reg {
	if mask == 0 {
		return nil
	}
	k := s.one(mask)
	if n == 1 {
		return []mach.Reg{k}
	}
	upper := s.code.New(mach.Mask)
	s.op(amd64.KSHIFTRW, def(kreg, upper), use(kreg, k), imm(8))
	return []mach.Reg{k, upper}
}

// whole is a mask of all lanes, or a copy of the instruction's, for instructions that clear it.
func (s *selector) whole(in *vec.Instr, n int) []mach.Reg {
	all := s.split(in.Mask, n)
	out := make([]mach.Reg, n)
	for i := range out {
		out[i] = s.code.New(mach.Mask)
		if all == nil {
			s.add(setMask, def(kreg, out[i]), imm(1))
			continue
		}
		s.add(moveMask, def(kreg, out[i]), use(kreg, all[i]))
	}
	return out
}

// gathers are the instructions by the bytes of a lane and of an index.
var gathers = map[[2]int]struct{ gather, scatter amd64.Op }{
	{4, 4}: {amd64.VPGATHERDD, amd64.VPSCATTERDD}, {4, 8}: {amd64.VPGATHERQD, amd64.VPSCATTERQD},
	{8, 4}: {amd64.VPGATHERDQ, amd64.VPSCATTERDQ}, {8, 8}: {amd64.VPGATHERQQ, amd64.VPSCATTERQQ},
}

// indexed is one of the instructions that a gather or scatter becomes: eight lanes where lanes or indices have 64 bits.
type indexed struct {
	index mach.Reg
	view  uint8
	k     mach.Reg
	data  uint8 // view of the lanes
}

// indexes splits a gather or scatter.
func (s *selector) indexes(in *vec.Instr) []indexed {
	x := s.parts(in.Src[0])
	if in.Type.Bytes() == 4 && in.From == vec.I32 {
		return []indexed{{x[0], zmm, s.whole(in, 1)[0], zmm}}
	}
	ks := s.whole(in, 2)
	out := []indexed{{x[0], zmm, ks[0], zmm}, {x[len(x)-1], zmm, ks[1], zmm}}
	if in.Type.Bytes() == 4 {
		out[0].data, out[1].data = ymm, ymm
	}
	if in.From == vec.I32 { // the upper half of the indices
		upper := s.vector()
		s.op(amd64.VEXTRACTI64X4, def(ymm, upper), use(zmm, x[0]), imm(1))
		out[0].view, out[1].view, out[1].index = ymm, ymm, upper
	}
	return out
}

func (s *selector) at64(in *vec.Instr, x indexed) mach.Arg {
	m := vec.Mem{Base: in.Mem.Base, Disp: in.Mem.Disp}
	a := s.memory(m, 0)
	if in.Mem.Index != 0 { // the address has room for one index only
		base := s.integer()
		s.op(amd64.LEA, def(r64, base), s.memory(in.Mem, 0))
		a = mach.Arg{Kind: mach.MemArg, Reg: base}
	}
	a.Index, a.Indexed, a.View, a.Scale = x.index, true, x.view, uint8(in.Imm)
	return a
}

func gather512(s *selector, in *vec.Instr) {
	row, ok := gathers[[2]int{in.Type.Bytes(), in.From.Bytes()}]
	if !ok {
		s.lacks(in)
		return
	}
	list := s.indexes(in)
	got := make(parts, len(list))
	for i, x := range list {
		got[i] = s.vector()
		s.add(setZero, def(x.data, got[i]))
		s.op(row.gather, useDef(x.data, got[i]), s.at64(in, x), mach.Arg{Kind: mach.RegArg, View: writeMask, Reg: x.k, Access: mach.UseDef})
	}
	d := s.dst(in)
	if len(got) > len(d) {
		s.op(amd64.VINSERTI64X4, def(zmm, d[0]), use(zmm, got[0]), use(ymm, got[1]), imm(1))
		return
	}
	for i := range d {
		s.add(moveVector, def(zmm, d[i]), use(zmm, got[i]))
	}
}

func scatter512(s *selector, in *vec.Instr) {
	row, ok := gathers[[2]int{in.Type.Bytes(), in.From.Bytes()}]
	if !ok {
		s.lacks(in)
		return
	}
	list := s.indexes(in)
	x := s.parts(in.Src[1])
	if len(list) > len(x) {
		upper := s.vector()
		s.op(amd64.VEXTRACTI64X4, def(ymm, upper), use(zmm, x[0]), imm(1))
		x = parts{x[0], upper}
	}
	for i, part := range list {
		s.op(row.scatter, s.at64(in, part), use(part.data, x[i]), mach.Arg{Kind: mach.RegArg, View: writeMask, Reg: part.k, Access: mach.UseDef})
	}
}

package x86

import (
	"encoding/binary"

	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// moves are the instructions that read, write and broadcast lanes, by the type.
var moves = func() (out [vec.F64 + 1]move) {
	bySize := map[int]move{
		1: {amd64.VMOVNTDQ, amd64.VPBROADCASTB, amd64.VPEXTRB, amd64.VPEXTRB},
		2: {amd64.VMOVNTDQ, amd64.VPBROADCASTW, amd64.VPEXTRW, amd64.VPEXTRW},
		4: {amd64.VMOVNTPS, amd64.VBROADCASTSS, amd64.VMOVSS, amd64.VMOVD},
		8: {amd64.VMOVNTPS, amd64.VBROADCASTSD, amd64.VMOVSD, amd64.VMOVQ},
	}
	for t := vec.I8; t <= vec.F64; t++ {
		out[t] = bySize[t.Bytes()]
	}
	return out
}()

type move struct {
	stream, broadcast amd64.Op
	one               amd64.Op // stores the first lane
	first             amd64.Op // moves it to a general register
}

// memoryRules has the rules for memory and for constants.
var memoryRules = map[vec.Op]rule{
	vec.StoreStream: func(s *selector, in *vec.Instr) { s.store(moves[in.Type].stream, in) },
	vec.LoadFirst: func(s *selector, in *vec.Instr) {
		d, n := s.uniform(in)
		for _, r := range d[:n] {
			s.op(moves[in.Type].broadcast, def(s.view(in), r), s.memory(in.Mem, 0))
		}
	},
	vec.Prefetch: func(s *selector, in *vec.Instr) {
		for at := 0; at < vec.Lanes*in.Type.Bytes(); at += cacheLine {
			s.op(amd64.PREFETCHT0, s.memory(in.Mem, at))
		}
	},
	vec.StoreOne: func(s *selector, in *vec.Instr) {
		x, op := use(xmm, s.one(in.Src[0])), moves[in.Type].one
		if in.Type.Bytes() < 4 {
			s.op(op, s.memory(in.Mem, 0), x, imm(0))
			return
		}
		s.op(op, s.memory(in.Mem, 0), x)
	},
	vec.Const: constant,
	vec.Iota: func(s *selector, in *vec.Instr) {
		size, view := in.Type.Bytes(), s.view(in)
		n := bytesOf(view) / size
		for i, r := range s.dst(in) {
			s.add(setVector, def(view, r), data(count(i*n, n, size)), imm(int64(amd64.VMOVUPS)))
		}
	},
	vec.SFirst: first,
	vec.Gather: gather, vec.Scatter: scatter,
}

// cacheLine is the bytes that one prefetch asks for.
const cacheLine = 64

// count gives n numbers from the first one on, of a size.
func count(first, n, size int) (b []byte) {
	for i := range n {
		b = append(b, element(int64(first+i), size)...)
	}
	return b
}

func constant(s *selector, in *vec.Instr) {
	d, n := s.uniform(in)
	bytes := element(in.Imm, in.Type.Bytes())
	zero := binary.LittleEndian.Uint64(append(bytes[:len(bytes):len(bytes)], 0, 0, 0, 0, 0, 0, 0)) == 0
	for _, r := range d[:n] {
		if zero {
			s.add(setZero, def(s.view(in), r))
			continue
		}
		s.add(setVector, def(s.view(in), r), data(bytes), imm(int64(moves[in.Type].broadcast)))
	}
}

// first brings the first lane to a general register and extends its sign.
func first(s *selector, in *vec.Instr) {
	d, op := s.dst(in)[0], moves[in.Type].first
	x := use(xmm, s.one(in.Src[0]))
	switch in.Type {
	case vec.I64:
		s.op(op, def(r64, d), x)
	case vec.I32:
		s.op(op, def(r32, d), x)
		s.op(amd64.MOVSXD, def(r64, d), use(r32, d))
	default:
		s.op(op, def(r32, d), x, imm(0))
		s.op(amd64.MOVSX, def(r64, d), use(scalarLoads[in.Type].view, d))
	}
}

// load reads whole registers.
func (s *selector) load(in *vec.Instr) {
	view := s.view(in)
	for i, r := range s.dst(in) {
		s.op(amd64.VMOVUPS, def(view, r), s.memory(in.Mem, i*bytesOf(view)))
	}
}

// store writes whole registers.
func (s *selector) store(op amd64.Op, in *vec.Instr) {
	x := in.Src[0]
	view := s.shape(s.f.Class(x)).view
	for i, r := range s.parts(x) {
		s.op(op, s.memory(in.Mem, i*bytesOf(view)), use(view, r))
	}
}

// gathers are the instructions by the bytes of a lane and of an index.
var gathers = map[[2]int]struct{ gather, scatter amd64.Op }{
	{4, 4}: {amd64.VPGATHERDD, amd64.VPSCATTERDD}, {4, 8}: {amd64.VPGATHERQD, amd64.VPSCATTERQD},
	{8, 4}: {amd64.VPGATHERDQ, amd64.VPSCATTERDQ}, {8, 8}: {amd64.VPGATHERQQ, amd64.VPSCATTERQQ},
}

// group is a part of a gather or scatter that is one instruction.
type group struct {
	bytes       int      // of all lanes before it
	view        uint8    // of the lanes
	place, mask mach.Arg // memory, and the mask
}

// groups splits a gather or scatter: an instruction handles as many lanes as a register has of the wider side.
func (s *selector) groups(in *vec.Instr) (out []group) {
	size, index := in.Type.Bytes(), in.From.Bytes()
	n := bytesOf(s.level.view) / max(size, index)
	m, from := s.base(in.Mem), s.shape(in.From.Class()).view
	m.Indexed, m.View, m.Scale = true, viewOf(n*index), uint8(in.Imm)
	for i, mask := range s.masking.groups(s, in.Mask, size, n) {
		m.Index = s.piece(s.parts(in.Src[0]), from, i*n*index, n*index)
		out = append(out, group{i * n * size, viewOf(n * size), m, mask})
	}
	return out
}

// base is memory whose address needs no index.
func (s *selector) base(m vec.Mem) mach.Arg {
	a := s.memory(m, 0)
	if m.Index == 0 {
		return a
	}
	r := s.integer()
	s.op(amd64.LEA, def(r64, r), a)
	return mach.Arg{Kind: mach.MemArg, Reg: r}
}

func gather(s *selector, in *vec.Instr) {
	row, ok := gathers[[2]int{in.Type.Bytes(), in.From.Bytes()}]
	if !ok {
		gatherLanes(s, in)
		return
	}
	var got parts
	var view uint8
	for _, g := range s.groups(in) {
		t := s.vector()
		s.add(setZero, def(g.view, t))
		s.op(row.gather, useDef(g.view, t), g.place, g.mask)
		got, view = append(got, t), g.view
	}
	s.assemble(in, got, bytesOf(view))
}

func scatter(s *selector, in *vec.Instr) {
	row, ok := gathers[[2]int{in.Type.Bytes(), in.From.Bytes()}]
	if !ok || !s.scatters {
		scatterLanes(s, in)
		return
	}
	for _, g := range s.groups(in) {
		x := s.piece(s.parts(in.Src[1]), s.shape(in.Type.Class()).view, g.bytes, bytesOf(g.view))
		s.op(row.scatter, g.place, use(g.view, x), g.mask)
	}
}

// assemble makes the result of registers that hold so many bytes each: one of them for each register of the result, or two.
func (s *selector) assemble(in *vec.Instr, x parts, bytes int) {
	d, view := s.dst(in), s.view(in)
	for i, r := range d {
		if len(x) == len(d) {
			s.put(view, r, x[i])
			continue
		}
		s.join(r, x[2*i], x[2*i+1], bytes)
	}
}

// join puts two registers of so many bytes together.
func (s *selector) join(d, lower, upper mach.Reg, bytes int) {
	switch bytes {
	case 8:
		s.op(amd64.VPUNPCKLQDQ, def(xmm, d), use(xmm, lower), use(xmm, upper))
	case 16:
		s.op(s.insert, def(ymm, d), use(ymm, lower), use(xmm, upper), imm(1))
	default:
		s.op(s.insertHalf, def(zmm, d), use(zmm, lower), use(ymm, upper), imm(1))
	}
}

// piece gives a register whose low n bytes are those of a vector from a byte on.
func (s *selector) piece(x parts, view uint8, at, n int) mach.Reg {
	r := x[at/bytesOf(view)]
	at %= bytesOf(view)
	if at != 0 && n > 16 {
		return s.calcImm(s.extractHalf, ymm, view, 1, r)
	}
	if at >= 16 {
		r = s.calcImm(s.extract, xmm, view, int64(at/16), r)
		at %= 16
	}
	if at > 0 {
		r = s.calcImm(amd64.VPSRLDQ, xmm, xmm, int64(at), r)
	}
	return r
}

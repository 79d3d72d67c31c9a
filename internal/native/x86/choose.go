package x86

import (
	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// maskBits gives the lanes of a mask that is always the same, as bits.
func (s *selector) maskBits(m vec.Reg) (bits int64, ok bool) {
	in := &s.f.Body[s.def[m]]
	return in.Imm & (1<<vec.Lanes - 1), s.defs[m] == 1 && in.Op == vec.MBits
}

// spreadBits gives n lanes of so many bytes that are all ones where a bit is set.
func spreadBits(bits int64, n, size int) (b []byte) {
	for i := range n {
		b = append(b, element(-(bits>>i&1), size)...)
	}
	return b
}

// selectKnown chooses by a mask that is always the same: where the bits of an immediate say so, if that is possible.
func (s *selector) selectKnown(in *vec.Instr) bool {
	bits, ok := s.maskBits(in.Src[0])
	if !ok {
		return false
	}
	size, view := in.Type.Bytes(), s.view(in)
	n := bytesOf(view) / size
	x, y := s.parts(in.Src[1]), s.parts(in.Src[2])
	for i, r := range s.dst(in) {
		part := bits >> (i * n) & (1<<n - 1)
		switch {
		case part == 0:
			s.add(moveVector, def(view, r), use(view, y[i]))
		case part == 1<<n-1:
			s.add(moveVector, def(view, r), use(view, x[i]))
		case size == 8:
			s.op(amd64.VBLENDPD, def(view, r), use(view, y[i]), use(view, x[i]), imm(part))
		case size == 4:
			s.op(amd64.VBLENDPS, def(view, r), use(view, y[i]), use(view, x[i]), imm(part))
		case size == 2 && part>>8 == part&0xff:
			s.op(amd64.VPBLENDW, def(view, r), use(view, y[i]), use(view, x[i]), imm(part&0xff))
		default:
			m := s.vector()
			s.add(setVector, def(view, m), data(spreadBits(part, n, size)), imm(int64(amd64.VMOVUPS)))
			s.op(amd64.VPBLENDVB, def(view, r), use(view, y[i]), use(view, x[i]), use(view, m))
		}
	}
	return true
}

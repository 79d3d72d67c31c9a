package x86

import (
	"bytes"
	"slices"

	"github.com/cutile-go/cutile/internal/native/amd64"
	"github.com/cutile-go/cutile/internal/native/mach"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// permute makes each register of the result of those that its lanes lie in.
func permute(s *selector, in *vec.Instr) {
	x, view, size := s.parts(in.Src[0]), s.view(in), in.Type.Bytes()
	n := bytesOf(view) / size
	order := make([]int, vec.Lanes)
	for i := range order {
		order[i] = vec.PermuteLane(in.Imm, i)
	}
	made, alike := make(parts, len(x)), true
	for p := range made {
		if p > 0 && slices.Equal(order[p*n:][:n], order[(p-1)*n:p*n]) {
			made[p] = made[p-1]
			continue
		}
		alike = alike && p == 0
		made[p] = s.lanesOf(x, view, size, order[p*n:][:n])
		if in.Dst == in.Src[0] && slices.Contains(x, made[p]) { // it would be overwritten
			t := s.vector()
			s.add(moveVector, def(view, t), use(view, made[p]))
			made[p] = t
		}
	}
	var d parts
	fill := len(x)
	if alike {
		d, fill = s.uniform(in)
	} else {
		d = s.dst(in)
	}
	for i, r := range d[:fill] {
		s.add(moveVector, def(view, r), use(view, made[i]))
	}
}

// lanesOf gives a register with some lanes of a vector. It may be one of the vector's.
func (s *selector) lanesOf(x parts, view uint8, size int, lanes []int) (t mach.Reg) {
	n := len(lanes)
	if view == zmm && len(x) > 1 && slices.ContainsFunc(lanes, func(l int) bool { return l/n != lanes[0]/n }) {
		t = s.indices(view, size, lanes)
		s.op(amd64.VPERMI2Q, useDef(view, t), use(view, x[0]), use(view, x[1]))
		return t
	}
	for p := range x {
		one, blend := make([]int, n), int64(0)
		for k, l := range lanes {
			one[k] = -1
			if l/n == p {
				one[k] = l % n
				blend |= (1<<(size/4) - 1) << (k * size / 4)
			}
		}
		if !slices.ContainsFunc(one, func(l int) bool { return l >= 0 }) {
			continue
		}
		y := s.shuffle(view, size, one, x[p])
		if t != 0 {
			both := s.vector()
			s.op(amd64.VPBLENDD, def(view, both), use(view, t), use(view, y), imm(blend))
			y = both
		}
		t = y
	}
	return t
}

// indices gives a register with numbers of lanes; -1 stands for any.
func (s *selector) indices(view uint8, size int, lanes []int) mach.Reg {
	var b []byte
	for _, l := range lanes {
		b = append(b, element(int64(max(l, 0)), size)...)
	}
	t := s.vector()
	s.add(setVector, def(view, t), data(b), imm(int64(amd64.VMOVUPS)))
	return t
}

// shuffle gives a register whose lanes are those of another one with the given numbers; -1 stands for any. It is the other one
// if all lanes stay. What the immediate of an instruction can say is the fastest, and then what stays inside of 16 bytes.
func (s *selector) shuffle(view uint8, size int, lanes []int, x mach.Reg) mach.Reg {
	if inPlace(lanes) {
		return x
	}
	four, isFour := resized(lanes, size, 4)
	if order, ok := repeated4(four); isFour && ok {
		return s.calcImm(amd64.VPSHUFD, view, view, order, x)
	}
	if inside(lanes, 16/size) {
		return s.shuffleBytes(view, size, lanes, x)
	}
	eight, isEight := resized(lanes, size, 8)
	order, ok := repeated4(eight)
	switch {
	case isEight && ok:
		return s.calcImm(amd64.VPERMQ, view, view, order, x)
	case isEight && view == zmm:
		return s.calc(amd64.VPERMQ, view, s.indices(view, 8, eight), x)
	case isFour:
		return s.calc(amd64.VPERMD, view, s.indices(view, 4, four), x)
	}
	return s.words(s, lanes, x)
}

// shuffleBytes moves lanes inside of each 16 bytes. Lanes with number -1 become zero.
func (s *selector) shuffleBytes(view uint8, size int, lanes []int, x mach.Reg) mach.Reg {
	var b []byte
	for _, l := range lanes {
		if l < 0 {
			b = append(b, bytes.Repeat([]byte{0x80}, size)...)
			continue
		}
		for k := range size {
			b = append(b, byte((l*size+k)%16))
		}
	}
	t := s.vector()
	s.op(amd64.VPSHUFB, def(view, t), use(view, x), data(b))
	return t
}

// words2 moves any lanes of 16 bits of 32 bytes: those of the lower half and those of the upper one apart, unless each half of
// the result needs only one.
func words2(s *selector, lanes []int, x mach.Reg) (t mach.Reg) {
	const half = 8                      // lanes
	halves := func(a, b int) mach.Reg { // by quarters
		order, _ := repeated4([]int{2 * a, 2*a + 1, 2 * b, 2*b + 1})
		return s.calcImm(amd64.VPERMQ, ymm, ymm, order, x)
	}
	only := func(lanes []int) bool {
		return !slices.ContainsFunc(lanes, func(l int) bool { return l/half != lanes[0]/half })
	}
	if only(lanes[:half]) && only(lanes[half:]) {
		return s.shuffleBytes(ymm, 2, lanes, halves(lanes[0]/half, lanes[half]/half))
	}
	for from := range 2 {
		some := slices.Clone(lanes)
		for k, l := range lanes {
			if l/half != from {
				some[k] = -1
			}
		}
		y := s.shuffleBytes(ymm, 2, some, halves(from, from))
		if t != 0 {
			y = s.calc(amd64.VPOR, ymm, t, y)
		}
		t = y
	}
	return t
}

func words512(s *selector, lanes []int, x mach.Reg) mach.Reg {
	return s.calc(amd64.VPERMW, ymm, s.indices(ymm, 2, lanes), x)
}

// inPlace reports whether all lanes stay.
func inPlace(lanes []int) bool {
	for k, l := range lanes {
		if l >= 0 && l != k {
			return false
		}
	}
	return true
}

// inside reports whether lanes stay in their groups of n lanes.
func inside(lanes []int, n int) bool {
	for k, l := range lanes {
		if l >= 0 && l/n != k/n {
			return false
		}
	}
	return true
}

// resized gives the numbers of lanes of another size that do the same, if there are such.
func resized(lanes []int, from, to int) (out []int, ok bool) {
	for ; from > to; from /= 2 {
		out = nil
		for _, l := range lanes {
			first, second := -1, -1
			if l >= 0 {
				first, second = 2*l, 2*l+1
			}
			out = append(out, first, second)
		}
		lanes = out
	}
	for ; from < to; from *= 2 {
		out = nil
		for k := 0; k < len(lanes); k += 2 {
			a, b := lanes[k], lanes[k+1]
			if a >= 0 && a%2 != 0 || b >= 0 && b%2 != 1 || a >= 0 && b >= 0 && b != a+1 {
				return nil, false
			}
			out = append(out, max(a, b)>>1)
		}
		lanes = out
	}
	return lanes, true
}

// repeated4 gives the immediate of an instruction that does the same in each group of four lanes, if lanes are such.
func repeated4(lanes []int) (order int64, ok bool) {
	same := [4]int{-1, -1, -1, -1}
	for k, l := range lanes {
		if l < 0 {
			continue
		}
		if was := same[k%4]; l/4 != k/4 || was >= 0 && was != l%4 {
			return 0, false
		}
		same[k%4] = l % 4
	}
	for k, l := range same {
		order |= int64(max(l, 0)) << (2 * k)
	}
	return order, len(lanes) >= 4
}

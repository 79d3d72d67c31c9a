package nativetest

import (
	"math"
	"math/rand/v2"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// operands gives the three operands of an instruction and its mask, of 128 bytes each.
func operands(r *rand.Rand, in vec.Instr) []byte {
	ops := buffer(4 * 128)
	typ := in.Type
	if in.From != vec.NoType {
		typ = in.From
	}
	fill(r, ops, typ)
	if in.Op == vec.MFirst {
		*(*int64)(unsafe.Pointer(&ops[0])) = counts[r.IntN(len(counts))] + int64(r.IntN(20))
	}
	switch in.Op {
	case vec.Shl, vec.Shr, vec.ShrU: // most counts are near the width
		for i := range vec.Lanes {
			if r.IntN(4) != 0 {
				put(ops[128+i*in.Type.Bytes():], in.Type.Bytes(), uint64(r.IntN(10*in.Type.Bytes())))
			}
		}
	}
	if r.IntN(4) == 0 { // a mask of all lanes, or of the first ones
		n := r.IntN(vec.Lanes) + r.IntN(2)*vec.Lanes
		for i := range vec.Lanes {
			put(ops[3*128+4*i:], 4, uint64(min(1, max(0, n-i))))
		}
	}
	tame(in, ops)
	return ops
}

// counts are numbers of lanes: none, some or all, and large ones whose low bits say something else.
var counts = []int64{-12, 0, 1 << 32, -1 << 40, 1<<62 + 1<<31, -1 << 63}

func put(b []byte, size int, x uint64) {
	for i := range size {
		b[i] = byte(x >> (8 * i))
	}
}

// fill gives bytes that hold interesting numbers of a type.
func fill(r *rand.Rand, b []byte, t vec.Type) {
	for at := 0; at+8 <= len(b); at += max(1, t.Bytes()) {
		x := r.Uint64()
		switch k := r.IntN(8); {
		case k == 0:
			x = uint64(r.IntN(40)) - 20
		case k == 1 && t.Float():
			x = []uint64{0, 1 << 63, 0x7ff << 52, 0x7ff8 << 48, 1, 0x3ff << 52, 0xfff << 52}[r.IntN(7)]
			if t == vec.F32 {
				x = uint64(math.Float32bits(float32(math.Float64frombits(x))))
			}
			if t == vec.F16 {
				x >>= 48
			}
		case k < 6 && t == vec.F32:
			x = uint64(math.Float32bits(float32(math.Ldexp(r.NormFloat64(), r.IntN(20)-10))))
		case k < 6 && t == vec.F64:
			x = math.Float64bits(math.Ldexp(r.NormFloat64(), r.IntN(20)-10))
		}
		put(b[at:], max(1, t.Bytes()), x)
	}
}

// same compares results lane by lane: NaNs are alike, and lanes that mean nothing do not count.
func same(in vec.Instr, a, b []byte) bool {
	t := in.Type
	if in.DstClass() == vec.Mask || in.DstClass() == vec.Scalar || in.DstClass() == vec.None || t == vec.NoType {
		return string(a) == string(b)
	}
	n := vec.Lanes
	if in.Op == vec.Down {
		n = int(in.Imm)
	}
	for i := range n {
		x, y := a[i*t.Bytes():][:t.Bytes()], b[i*t.Bytes():][:t.Bytes()]
		if string(x) != string(y) && !(nan(x, t) && nan(y, t)) {
			return false
		}
	}
	return true
}

func nan(b []byte, t vec.Type) bool {
	x := uint64(0)
	for i := range b {
		x |= uint64(b[i]) << (8 * i)
	}
	switch t {
	case vec.F16:
		return x&0x7fff > 0x7c00
	case vec.F32:
		return x&(1<<31-1) > 0x7f800000
	case vec.F64:
		return x&(1<<63-1) > 0x7ff<<52
	}
	return false
}

// tame changes operands that have no defined result: conversions to integers out of range, scaling far away, and places
// outside memory.
func tame(in vec.Instr, ops []byte) {
	switch in.Op {
	case vec.ToInt:
		eachFloat(ops, in.From, func(x float64) float64 {
			if !(math.Abs(x) < 1e6) {
				return 12.75
			}
			return x
		})
	case vec.FScale:
		eachFloat(ops, in.Type, func(x float64) float64 {
			if a := math.Abs(x); a != 0 && !math.IsInf(a, 0) && (a < 0x1p-30 || a > 0x1p30) {
				return math.Copysign(1.5, x)
			}
			return x
		})
		for i := range vec.Lanes {
			if in.Type == vec.F32 {
				p := (*int32)(unsafe.Pointer(&ops[128+4*i]))
				*p %= vec.MaxScale32 + 1
				continue
			}
			p := (*int64)(unsafe.Pointer(&ops[128+8*i]))
			*p %= vec.MaxScale64 + 1
		}
	case vec.Gather, vec.Scatter:
		for i := range vec.Lanes { // inside 4 KiB, each lane of a scatter at a place of its own
			put(ops[i*in.From.Bytes():], in.From.Bytes(), uint64(i*8+int(ops[i])%8))
		}
	}
}

// eachFloat changes the lanes of the first operand.
func eachFloat(ops []byte, t vec.Type, f func(float64) float64) {
	for i := range vec.Lanes {
		if t == vec.F32 {
			p := (*float32)(unsafe.Pointer(&ops[4*i]))
			*p = float32(f(float64(*p)))
			continue
		}
		p := (*float64)(unsafe.Pointer(&ops[8*i]))
		*p = f(*p)
	}
}

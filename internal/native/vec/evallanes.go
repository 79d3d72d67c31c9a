package vec

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/cutile-go/cutile/internal/elem"
)

// half is the format of f16.
var half = elem.ByIR("f16").Format

// vector runs an instruction that makes a vector from vectors.
func (m *Run) vector(in *Instr) {
	src := [3]*[Lanes]uint64{&m.lanes[in.Src[0]], &m.lanes[in.Src[1]], &m.lanes[in.Src[2]]}
	var d [Lanes]uint64
	for i := range d {
		d[i] = cut(m.lane(in, src, i), in.Type)
	}
	m.lanes[in.Dst] = d
}

// lane gives lane i of the result.
func (m *Run) lane(in *Instr, src [3]*[Lanes]uint64, i int) uint64 {
	switch a := src[0][i]; in.Op {
	case Const:
		return uint64(in.Imm)
	case Iota:
		return uint64(i)
	case Splat:
		return uint64(m.scalars[in.Src[0]])
	case First:
		return src[0][0]
	case Move:
		return a
	case Down:
		if i < int(in.Imm) {
			return src[0][i+int(in.Imm)]
		}
		return 0x5a5a5a5a5a5a5a5a // means nothing
	case Permute:
		return src[0][PermuteLane(in.Imm, i)]
	case Select:
		return in.Element(uint64(m.masks[in.Src[0]]>>i&1), src[1][i], src[2][i])
	default:
		return in.Element(a, src[1][i], src[2][i])
	}
}

// Element gives what an instruction makes in one lane of what its operands have there: bits beyond the lane's width are not
// set, and a mask's truth value is 0 or 1. The instruction must be one that treats each lane alone; see [Op.Alone].
func (in *Instr) Element(a, b, c uint64) uint64 { return cut(in.element(a, b, c), in.Type) }

func (in *Instr) element(a, b, c uint64) uint64 {
	switch in.Op {
	case Const:
		return uint64(in.Imm)
	case Move:
		return a
	case Select:
		if a != 0 {
			return b
		}
		return c
	case SignExtend:
		return uint64(signed(a, in.From))
	case ZeroExtend, Truncate:
		return a
	case FConvert, FromInt, ToInt:
		return convertLane(in, a)
	}
	if f, ok := bitLanes[in.Op]; ok {
		return f(a, b)
	}
	if f, ok := intLanes[in.Op]; ok {
		if Table[in.Op].imm {
			b = uint64(in.Imm)
		}
		return f(a, b, in.Type)
	}
	if in.Type == F32 {
		return uint64(math.Float32bits(float32s(in, from32(a), from32(b), from32(c), b)))
	}
	return math.Float64bits(float64s(in, math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(c), b))
}

// Holds gives the truth value that an instruction with a mask as its result has in a lane of what its operands have there.
func (in *Instr) Holds(a, b uint64) bool {
	switch in.Op {
	case MConst:
		return in.Imm != 0
	case MMove:
		return a != 0
	case MAnd:
		return a&b != 0
	case MOr:
		return a|b != 0
	case MXor:
		return a != b
	case MAndNot:
		return a&^b != 0
	}
	return in.compare(a, b)
}

// Alone reports whether an operation treats each lane alone, and reads and writes neither memory nor scalars.
func (op Op) Alone() bool {
	row := &Table[op]
	switch op {
	case Iota, First, Down, Permute, MBits:
		return false
	}
	return !row.mem && !op.Controls() && row.dst != scalar && row.dst != none && row.src[0] != scalar
}

var bitLanes = map[Op]func(a, b uint64) uint64{
	And:    func(a, b uint64) uint64 { return a & b },
	Or:     func(a, b uint64) uint64 { return a | b },
	Xor:    func(a, b uint64) uint64 { return a ^ b },
	AndNot: func(a, b uint64) uint64 { return a &^ b },
	Add:    func(a, b uint64) uint64 { return a + b },
	Sub:    func(a, b uint64) uint64 { return a - b },
	Mul:    func(a, b uint64) uint64 { return a * b },
	MinU:   func(a, b uint64) uint64 { return min(a, b) },
	MaxU:   func(a, b uint64) uint64 { return max(a, b) },
}

var intLanes = map[Op]func(a, b uint64, t Type) uint64{
	MulHi: func(a, b uint64, t Type) uint64 {
		x, y := signed(a, t), signed(b, t)
		if t == I64 {
			hi, _ := bits.Mul64(a, b)
			return hi - uint64(x>>63)&b - uint64(y>>63)&a
		}
		return uint64(x * y >> (8 * t.Bytes()))
	},
	MulHiU: func(a, b uint64, t Type) uint64 {
		if t == I64 {
			hi, _ := bits.Mul64(a, b)
			return hi
		}
		return a * b >> (8 * t.Bytes())
	},
	Shl:     shiftLeft,
	ShlImm:  shiftLeft,
	Shr:     shiftRight,
	ShrImm:  shiftRight,
	ShrU:    func(a, n uint64, _ Type) uint64 { return a >> n },
	ShrUImm: func(a, n uint64, _ Type) uint64 { return a >> n },
	Min:     func(a, b uint64, t Type) uint64 { return uint64(min(signed(a, t), signed(b, t))) },
	Max:     func(a, b uint64, t Type) uint64 { return uint64(max(signed(a, t), signed(b, t))) },
}

func shiftLeft(a, n uint64, _ Type) uint64  { return a << n }
func shiftRight(a, n uint64, t Type) uint64 { return uint64(signed(a, t) >> n) }

func from32(x uint64) float32 { return math.Float32frombits(uint32(x)) }

// float32s computes a lane of float32; n are the bits of the second operand.
func float32s(in *Instr, a, b, c float32, n uint64) float32 {
	switch in.Op {
	case FAdd:
		return a + b
	case FSub:
		return a - b
	case FMul:
		return a * b
	case FDiv:
		return a / b
	case FMulAdd:
		return FMA32(a, b, c)
	case FSqrt:
		return float32(math.Sqrt(float64(a))) // rounding twice is right for square roots
	case FScale:
		return float32(math.Ldexp(float64(a), int(signed(n, I32)))) // exact in float64
	}
	return float32(float64s(in, float64(a), float64(b), float64(c), n)) // exact
}

func float64s(in *Instr, a, b, c float64, n uint64) float64 {
	switch in.Op {
	case FAdd:
		return a + b
	case FSub:
		return a - b
	case FMul:
		return a * b
	case FDiv:
		return a / b
	case FSqrt:
		return math.Sqrt(a)
	case FMulAdd:
		return math.FMA(a, b, c)
	case FScale:
		return math.Ldexp(a, int(n))
	case FMin:
		if a < b {
			return a
		}
		return b
	case FMax:
		if a > b {
			return a
		}
		return b
	case FRound:
		return [...]func(float64) float64{math.RoundToEven, math.Floor, math.Ceil, math.Trunc}[in.Imm](a)
	}
	panic(fmt.Sprintf("BUG: vec: %s is not evaluated", in.Op))
}

// FMA32 is a*b + c, rounded once. In float64 the product is exact and the sum is rounded; rounding that to float32 can
// only go wrong where the float64 lies in the middle between two float32.
func FMA32(a, b, c float32) float32 {
	x, y, z := float64(a), float64(b), float64(c)
	s := math.FMA(x, y, z)
	if math.Float64bits(s)&(1<<29-1) != 1<<28 && math.Abs(s) >= 0x1p-125 {
		return float32(s)
	}
	return fma32slow(x*y, z, s)
}

// fma32slow rounds p + z, whose rounded sum is s, to float32 by way of a float64 that is rounded to odd.
func fma32slow(p, z, s float64) float32 {
	v := s - p
	rest := (p - (s - v)) + (z - v) // Knuth's TwoSum: s + rest is p + z exactly
	if rest == 0 || rest != rest || math.IsInf(s, 0) {
		return float32(s)
	}
	n := math.Float64bits(s)
	if n&1 == 0 {
		if (rest > 0) == (s > 0) {
			n++
		} else {
			n--
		}
	}
	return float32(math.Float64frombits(n))
}

// convertLane converts a lane.
func convertLane(in *Instr, a uint64) uint64 {
	switch in.Op {
	case ToInt:
		return uint64(int64(toFloat(a, in.From)))
	case FromInt:
		if in.Type == F32 {
			return uint64(math.Float32bits(float32(signed(a, in.From))))
		}
		return math.Float64bits(float64(signed(a, in.From)))
	}
	x := toFloat(a, in.From)
	switch in.Type {
	case F16:
		return half.Encode(x, elem.Nearest, false)
	case F32:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// toFloat is the number that the bits of a lane stand for.
func toFloat(x uint64, t Type) float64 {
	switch t {
	case F16:
		return half.Decode(x)
	case F32:
		return float64(from32(x))
	}
	return math.Float64frombits(x)
}

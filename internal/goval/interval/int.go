package interval

import (
	"cmp"
	"go/constant"
	"go/token"
	"math"
	"math/bits"
	"strconv"
)

// Int is an integer of any type of Go: from -(1<<64-1) to 1<<64-1.
type Int struct {
	neg bool // never of 0
	abs uint64
}

// Of is a signed integer.
func Of(x int64) Int {
	if x < 0 {
		return Int{true, -uint64(x)}
	}
	return Int{abs: uint64(x)}
}

// OfUint is an unsigned integer.
func OfUint(x uint64) Int { return Int{abs: x} }

// Int64 is the integer as an int64, if that holds it.
func (x Int) Int64() (int64, bool) {
	if x.neg {
		return int64(-x.abs), x.abs <= 1<<63
	}
	return int64(x.abs), x.abs <= math.MaxInt64
}

// Cmp is -1 where x < y, 0 where they are equal, 1 where x > y.
func (x Int) Cmp(y Int) int {
	switch {
	case x.neg && y.neg:
		return cmp.Compare(y.abs, x.abs)
	case x.neg:
		return -1
	case y.neg:
		return 1
	}
	return cmp.Compare(x.abs, y.abs)
}

func least(x, y Int) Int {
	if x.Cmp(y) <= 0 {
		return x
	}
	return y
}

func greatest(x, y Int) Int {
	if x.Cmp(y) >= 0 {
		return x
	}
	return y
}

// word is the integer modulo 1<<64, and the sign that goes on to its left: no bits or all.
func (x Int) word() (low, sign uint64) {
	if x.neg {
		return -x.abs, math.MaxUint64
	}
	return x.abs, 0
}

// signed is an integer by its sign and magnitude.
func signed(neg bool, abs uint64) Int { return Int{neg && abs != 0, abs} }

func (x Int) negated() Int { return signed(!x.neg, x.abs) }

// The operations below report false if no [Int] holds the result.

func add(x, y Int) (Int, bool) {
	if x.neg == y.neg {
		sum, carry := bits.Add64(x.abs, y.abs, 0)
		return signed(x.neg, sum), carry == 0
	}
	if x.abs < y.abs {
		x, y = y, x
	}
	return signed(x.neg, x.abs-y.abs), true
}

func mul(x, y Int) (Int, bool) {
	high, low := bits.Mul64(x.abs, y.abs)
	return signed(x.neg != y.neg, low), high == 0
}

func sub(x, y Int) (Int, bool) { return add(x, y.negated()) }

// quo is x / y rounded toward 0.
func quo(x, y Int) (Int, bool) {
	if y.abs == 0 {
		return Int{}, false
	}
	return signed(x.neg != y.neg, x.abs/y.abs), true
}

// quoDown is x / y rounded down.
func quoDown(x, y Int) (Int, bool) { return quoToward(true, x, y) }

// quoUp is x / y rounded up.
func quoUp(x, y Int) (Int, bool) { return quoToward(false, x, y) }

// quoToward rounds away from 0 where that is down, for a negative quotient, or up.
func quoToward(down bool, x, y Int) (Int, bool) {
	q, ok := quo(x, y)
	if !ok || (x.neg != y.neg) != down || x.abs%y.abs == 0 {
		return q, ok
	}
	return signed(down, q.abs+1), q.abs < math.MaxUint64
}

// rem is what quo leaves.
func rem(x, y Int) (Int, bool) {
	if y.abs == 0 {
		return Int{}, false
	}
	return signed(x.neg, x.abs%y.abs), true
}

// shl is x << n.
func shl(x, n Int) (Int, bool) {
	k := count(n)
	return signed(x.neg, x.abs<<k), x.abs == 0 || bits.Len64(x.abs)+int(k) <= 64
}

// shr is x >> n, rounded down as Go does.
func shr(x, n Int) (Int, bool) {
	k := count(n)
	if x.neg {
		return signed(true, (x.abs-1)>>k+1), true
	}
	return signed(false, x.abs>>k), true
}

// count is a shift count, of which 64 stands for more: those that are negative, too.
func count(n Int) uint {
	if n.neg {
		return 64
	}
	return uint(min(n.abs, 64))
}

// bitwise is an operation on the bits of two numbers, the signs included.
func bitwise(f func(x, y uint64) uint64) func(x, y Int) (Int, bool) {
	return func(x, y Int) (Int, bool) {
		xlow, xsign := x.word()
		ylow, ysign := y.word()
		low := f(xlow, ylow)
		if f(xsign, ysign) == 0 {
			return OfUint(low), true
		}
		return signed(true, -low), low != 0
	}
}

var (
	and    = bitwise(func(x, y uint64) uint64 { return x & y })
	or     = bitwise(func(x, y uint64) uint64 { return x | y })
	xor    = bitwise(func(x, y uint64) uint64 { return x ^ y })
	andNot = bitwise(func(x, y uint64) uint64 { return x &^ y })
)

// width is the least k with -1<<k <= x < 1<<k.
func (x Int) width() int {
	if x.neg {
		return bits.Len64(x.abs - 1)
	}
	return bits.Len64(x.abs)
}

// ones is 1<<k - 1, of k to 64.
func ones(k int) Int { return OfUint(1<<uint(k) - 1) }

// Constant is a constant as an Int, if it is an integer that some type of Go holds.
func Constant(c constant.Value) (Int, bool) {
	if c.Kind() != constant.Int {
		return Int{}, false
	}
	neg := constant.Sign(c) < 0
	if neg {
		c = constant.UnaryOp(token.SUB, c, 0)
	}
	abs, ok := constant.Uint64Val(c)
	return signed(neg, abs), ok
}

func (x Int) String() string {
	s := strconv.FormatUint(x.abs, 10)
	if x.neg {
		return "-" + s
	}
	return s
}

// Float is the nearest float64.
func (x Int) Float() float64 {
	if x.neg {
		return -float64(x.abs)
	}
	return float64(x.abs)
}

// Constant is the integer as a constant.
func (x Int) Constant() constant.Value {
	c := constant.MakeUint64(x.abs)
	if x.neg {
		return constant.UnaryOp(token.SUB, c, 0)
	}
	return c
}

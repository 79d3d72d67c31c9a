package eval_test

import "github.com/cutile-go/cutile/cute"

// pairs are arguments that are known when a kernel is compiled.
type pairs [8][2]int

// foldedKernel calls a function with two static numbers, and with one.
func foldedKernel(ys, both, one cute.Tensor[int64], f cute.Constexpr[func(x, y int) int], p cute.Constexpr[pairs]) (_ cute.Kernel) {
	for k := range cute.Unroll(8) {
		both.Set(int64(f.V(p.V[k][0], p.V[k][1])), k)
		one.Set(int64(f.V(p.V[k][0], int(ys.At(k)))), k)
	}
	return
}

func fold(ys, both, one cute.Tensor[int64], f cute.Constexpr[func(x, y int) int], p cute.Constexpr[pairs]) {
	foldedKernel(ys, both, one, f, p).Launch(cute.Launch{Block: cute.D3(1, 1, 1)})
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// typedPrograms compute at the borders of types.
var typedPrograms = map[string]func(x, y int) int{
	"unsigned difference": func(x, y int) int { a := uint64(x); return bit(8-a > 100) + 2*bit(a-8 > 100) + int(8-a)&0xffff },
	"difference below 32": func(x, y int) int {
		a, b := uint(uint8(x)), uint(uint8(y))
		return bit(a-b > 255) + 2*bit(a-b < 256) + int((a-b)>>40)
	},
	"least integer added":   func(x, y int) int { a := int64(int8(x)); return int(a + -1<<63) },
	"least integer and all": func(x, y int) int { return x + -1<<63 ^ (y- -1<<63)>>1 },
	"least integer taken":   func(x, y int) int { a := int64(int8(x)); return int(a-(-1<<63)) + bit(a-(-1<<63) < 0) },
	"negated": func(x, y int) int {
		return bit(-x < 0) + 2*bit(-int8(x) < 0) + 4*int(-int32(x)) + int(-int16(y)) + int(-uint8(y))
	},
	"absolute": func(x, y int) int { a := max(x, -x); return bit(a >= 0) + a>>60 },
	"products": func(x, y int) int {
		return int(uint64(x)*uint64(y)) ^ int(int8(x)*int8(y)) ^ int(uint16(x)*uint16(y))<<20
	},
	"products of products": func(x, y int) int { a, b := int(uint32(x)), int(uint32(y)); return bit(a*b*3 < 0) + a*b*b>>3 },
	"squares":              func(x, y int) int { a := int(int32(x)); return a * a * a * a >> 5 },
	"multiples that wrap":  func(x, y int) int { a := x * 6; return a/3 + a%3*1000 + (a*5)/15 + bit(a%6 == 0)*7 },
	"quotients": func(x, y int) int {
		if y == 0 {
			return 0
		}
		return x/y ^ x%y<<3
	},
	"guarded quotients": func(x, y int) int {
		return bit(y != 0 && x/y > 3) + 2*bit(y == 0 || x%y == 1) + 4*bit(uint8(y) > 0 && uint8(x)/uint8(y) == 1)
	},
	"narrow quotients": func(x, y int) int {
		a, b, c, d := int8(x), int8(y), int32(x), int32(y)
		n := 0
		if b != 0 {
			n += int(a/b) + int(a%b)*1000
		}
		if d != 0 {
			n += int(c/d)*7 + int(c%d)
		}
		return n
	},
	"unsigned quotients": func(x, y int) int {
		a, b, c := uint64(x), uint64(y)|1, uint8(y)|1
		return int(a/b) + int(a%b) + int(uint8(x)/c) + int(uint8(x)%c) + int(a/(1<<63))
	},
	"by negative numbers": func(x, y int) int {
		return x/-1 + x/-7 + x%-7 + x/(-1<<63) + x%(-1<<63) + int(int8(x)/-1) + int(int32(y)/-1) + int(int32(y)%-1)
	},
	"by ranges": func(x, y int) int {
		b := int(int8(y)) % 5
		if b == 0 {
			b = -1
		}
		return x/b + x%b + bit(x/b > 1<<62) + int(int16(x))/b
	},
	"remainder": func(x, y int) int {
		a := x % 100
		return bit(a < 0) + 2*bit(a > -100) + 4*bit(a >= 100) + int(uint(x)%100)*8
	},
	"bits of negatives": func(x, y int) int {
		a, b := int(int8(x)), int(int16(y))
		return (a | b) + (a^b)<<3 + (a&b)<<5 + (a&^b)<<7
	},
	"bits of unsigned": func(x, y int) int {
		a, b := uint64(x), uint64(y)
		return int(a|b) ^ int(a&b) ^ int(a&^b) + int(^a) + bit(a|1<<63 > 5)
	},
	"bits of constants": func(x, y int) int { return x&-8 + x | 1<<40 + x ^ -1 + x&^0xff + int(uint64(x)&(1<<63)>>60) },
	"left by uint8": func(x, y int) int {
		n := uint8(y)
		return x<<n + int(int8(x)<<n) + int(uint32(x)<<n) + int(int16(x)<<n)*3
	},
	"left by uint64": func(x, y int) int {
		n := uint64(y)
		return x<<n + int(int8(x)<<n) + int(uint32(x)<<n) + int(uint64(x)<<n)
	},
	"right by uint8": func(x, y int) int {
		n := uint8(y)
		return x>>n + int(int8(x)>>n) + int(uint32(x)>>n) + int(int16(x)>>n)*3
	},
	"right by uint64": func(x, y int) int {
		n := uint64(y)
		return x>>n + int(int8(x)>>n) + int(uint32(x)>>n) + int(uint64(x)>>n)
	},
	"right by uint32": func(x, y int) int { n := uint32(y); return x>>n + int(int8(x)>>n) + int(uint64(x)>>n) },
	"shift of small":  func(x, y int) int { a, n := int(uint8(x)), uint(y)&63; return a<<n + bit(a<<n < 0) + a<<(n&31)>>3 },
	"assigned shifts": func(x, y int) int {
		a, b, c := int8(x), x, uint64(x)
		k, m, n := uint16(256), ^uint64(0), uint32(1<<31)
		a <<= k
		b <<= ^uint32(y)
		c >>= m
		d, e := int16(x), x
		d >>= n
		e >>= uint16(y) | 256
		return int(a) + b + int(c) + int(d)*2 + e*4
	},
	"long shifts": func(x, y int) int {
		k, m, n, o := uint64(1<<32), uint64(1<<33+1), uint64(1<<63), 70
		return x<<k + x>>m + int(uint32(x)<<(k+1)) + int(int8(x)>>n) + int(int32(x)>>o) + int(int32(x)<<(o/2))
	},
	"signed and unsigned": func(x, y int) int {
		return int(uint32(x)) + int(int32(uint32(y))) + int(uint64(int32(x))>>33) + int(int16(uint8(x)))*5 + int(uint16(int8(x))) + int(uint32(int16(y))>>3)
	},
	"wide and narrow": func(x, y int) int {
		a := uint(uint32(x))
		b := int(a)
		c := int64(b - 1<<31)
		return b + int(c) + bit(b < 0) + bit(uint64(c) > 1<<40)*2 + int(int32(c)) + int(uint(c)>>1)
	},
	"compared": func(x, y int) int {
		a, b := uint64(x), uint32(y)
		return bit(a > 1<<63) + 2*bit(a >= 1<<32) + 4*bit(b > 1<<31) + 8*bit(int32(b) < 0)
	},
	"extremes": func(x, y int) int {
		a, b := uint64(x), uint64(y)
		return int(min(a, b)>>1) + int(max(a, b)>>3) + min(x, y, -5) + int(max(uint8(x), 7))
	},
	"int8 loop": func(x, y int) int {
		n := 0
		for i := int8(120); i > 0; i++ {
			n += int(i) ^ x
		}
		return n
	},
	"uint8 loop": func(x, y int) int {
		n := 0
		for i := uint8(y) | 240; i != 3; i++ {
			n += int(i)
		}
		return n
	},
	"uint8 down": func(x, y int) int {
		n := 0
		for i := uint8(3); i < 4; i-- {
			n = n*10 + int(i)
		}
		return n + x
	},
	"ranges of small types": func(x, y int) int {
		n := 0
		for i := range uint8(x) {
			n += int(i) * 3
		}
		for i := range int8(y) {
			n ^= int(i) << 2
		}
		for i := range uint64(x) & 7 {
			n += int(i - 3)
		}
		return n
	},
	"loops at the border": func(x, y int) int {
		n := 0
		for i := 1<<63 - 1 - x&7; i > 0; i++ {
			n += i & 0xff
		}
		for i := -1 << 63; i < -1<<63+y&7; i++ {
			n += i&0x7 + 1
		}
		for i := range cute.Range(cute.RangeOf{From: 1<<63 - 20, To: 1<<63 - 1 - y&3, Step: 7}) {
			n += i & 0x1ff
		}
		for i := range cute.Range(cute.RangeOf{From: 1<<63 - 1 - x&31, To: 1<<63 - 1, Step: 2, Unroll: 3}) {
			n += i & 0x1ff
		}
		return n
	},
	"variables grow": func(x, y int) int {
		a, b, c, d := int8(0), 1<<40, uint64(1), uint8(0)
		n := 0
		for i := range 6 {
			if (x>>i)&1 == 0 {
				a = 100
				d = 200
			} else if i == 3 {
				a, d = 1, 1
			}
			n += bit(a > 50) + 2*bit(d > 100) + 4*bit(b > 1<<50) + 8*bit(c > 1<<40)
			b *= 2
			c <<= 12
			a++
			d += 50
		}
		return n*1000 + int(a) + int(d)
	},
	"variables of all types": func(x, y int) int {
		a, b, c, d, e := float32(1), uint16(65535), uint64(1<<63), float64(1), int16(32767)
		var s struct {
			f [2]float32
			k [2]uint8
		}
		t := []float32{1, 2}
		u := make([]uint8, 2)
		for i := range 3 {
			if x>>i&1 != 0 {
				a, b, c, d, e = a*1.5, b+1, c+1<<63, d/3, e+1
				s.f[1], s.k[0] = s.f[1]+0.5, s.k[0]-1
				t[1] *= 3
				u[0]--
			}
		}
		return int(a*8) + int(b) + int(c>>1) + int(d*81) + int(e) + int(s.f[1]*2) + int(s.k[0]) + int(t[1]) + int(u[0])
	},
	"float32": func(x, y int) int {
		a, b := float32(16777216)+float32(x&1), float32(3e38)
		z := float32(0) * float32(y&1)
		n := bit(a+1 == a) + 2*bit(a+1-a == 1) + 4*bit(b*10 > b) + 8*bit(b*10/10 == b) + 16*bit(1/-z < 0) + 32*bit(b*10-b*10 == 0)
		c := float32(0.1)
		return n + 64*bit(float64(c) == 0.1) + 128*bit(c*3 == 0.3) + 256*bit(float64(c*3) == float64(c)*3) + 512*bit(c*c/c == c)
	},
	"nan and zeros": func(x, y int) int {
		z := float64(y & 1 >> 1)
		inf, nan := 1/z, z/z
		return bit(nan != nan) + 2*bit(min(nan, 1) == 1) + 4*bit(max(1, nan) == 1) + 8*bit(1/min(z, -z) < 0) + 16*bit(1/max(-z, z) > 0) +
			32*bit(inf > 1e300) + 64*bit(-inf < nan) + 128*bit(nan <= nan) + 256*bit(!(nan < 1)) + 512*bit(inf-inf == 0)
	},
	"from integers": func(x, y int) int {
		a, b, c := float32(x), float64(x), float32(uint64(y))
		return bit(float64(a) == b)*3 + bit(a*0.5 == float32(b/2))*5 + bit(c > 1e19)*7 + bit(float64(x|1) == float64(x))*11 + bit(float32(x) > float32(y))
	},
	"float64": func(x, y int) int {
		a, b := float64(x), 0.1
		c := a + 1<<53 - a
		return bit(c == 1<<53) + 2*bit(b+0.2 == 0.3) + 4*bit(b*3 == 0.3) + 8*bit(float64(float32(b)) == b) + int(int32(b*float64(y&0xff)))*16
	},
}

// special is a float that few integer types hold.
func special(k int) float64 {
	zero := 0.0
	switch k {
	case 0:
		return 448.1
	case 1:
		return -448.1
	case 2:
		return 3e9
	case 3:
		return -3e9
	case 5:
		return 1e19
	case 7:
		return -1e19
	case 8:
		return 1 / zero
	case 31:
		return -1 / zero
	case 4:
		return zero / zero
	case 28:
		return 1e30
	case 29:
		return 127.99
	case 30:
		return -0.75
	case 16:
		return 65535.5
	case 24:
		return 1e10
	}
	return float64(k)*1e3 - 12e3
}

// saturations convert special floats; bits are those of an integer's magnitude.
var saturations = map[string]struct {
	f                func(x, _ int) int
	bits             int
	unsigned, single bool
}{
	"int8":           {func(x, _ int) int { return int(int8(special(x & 31))) }, 7, false, false},
	"int16":          {func(x, _ int) int { return int(int16(special(x & 31))) }, 15, false, false},
	"int32":          {func(x, _ int) int { return int(int32(special(x & 31))) }, 31, false, false},
	"int64":          {func(x, _ int) int { return int(int64(special(x & 31))) }, 63, false, false},
	"uint8":          {func(x, _ int) int { return int(uint8(special(x & 31))) }, 8, true, false},
	"uint16":         {func(x, _ int) int { return int(uint16(special(x & 31))) }, 16, true, false},
	"uint32":         {func(x, _ int) int { return int(uint32(special(x & 31))) }, 32, true, false},
	"uint64":         {func(x, _ int) int { return int(uint64(special(x & 31))) }, 64, true, false},
	"float32 int8":   {func(x, _ int) int { return int(int8(float32(special(x & 31)))) }, 7, false, true},
	"float32 int32":  {func(x, _ int) int { return int(int32(float32(special(x & 31)))) }, 31, false, true},
	"float32 int64":  {func(x, _ int) int { return int(int64(float32(special(x & 31)))) }, 63, false, true},
	"float32 uint16": {func(x, _ int) int { return int(uint16(float32(special(x & 31)))) }, 16, true, true},
	"float32 uint32": {func(x, _ int) int { return int(uint32(float32(special(x & 31)))) }, 32, true, true},
	"float32 uint64": {func(x, _ int) int { return int(uint64(float32(special(x & 31)))) }, 64, true, true},
}

// quotient divides without a look.
func quotient(x, y int) int { return x / (y - 5) }

// wideFloat is a float64 between, on and beside numbers of narrow types.
func wideFloat(x, y int) float64 {
	switch x & 3 {
	case 0:
		return 1 + 0x1p-8 + float64(int8(y))*0x1p-40
	case 1:
		return 3 + 0x1p-10 + float64(int8(y))*0x1p-45
	case 2:
		return float64(int8(y)) * 1.0625 * 0x1p-9
	}
	return float64(y)
}

// wideInt is an integer between, on and beside numbers of narrow types.
func wideInt(x, y int) int {
	if x&1 == 0 {
		return 1<<24 | 1<<16 + int(int8(y))&3 - 1
	}
	return y
}

// narrowings convert wide numbers to narrow floats. Each has the bits of a float64 as its result.
var narrowings = map[string]struct{ ofFloat, ofInt func(x, y int) int }{
	"f16": {
		func(x, y int) int { return floatBits(float64(float32(cute.Float16(wideFloat(x, y))))) },
		func(x, y int) int { return floatBits(float64(float32(cute.Float16(wideInt(x, y))))) },
	},
	"bf16": {
		func(x, y int) int { return floatBits(float64(float32(cute.BFloat16(wideFloat(x, y))))) },
		func(x, y int) int { return floatBits(float64(float32(cute.BFloat16(wideInt(x, y))))) },
	},
	"tf32": {
		func(x, y int) int { return floatBits(float64(float32(cute.TFloat32(wideFloat(x, y))))) },
		func(x, y int) int { return floatBits(float64(float32(cute.TFloat32(wideInt(x, y))))) },
	},
	"f8e4m3": {
		func(x, y int) int { return floatBits(float64(float32(cute.Float8E4M3FN(wideFloat(x, y))))) },
		func(x, y int) int { return floatBits(float64(float32(cute.Float8E4M3FN(wideInt(x, y))))) },
	},
	"f8e5m2": {
		func(x, y int) int { return floatBits(float64(float32(cute.Float8E5M2(wideFloat(x, y))))) },
		func(x, y int) int { return floatBits(float64(float32(cute.Float8E5M2(wideInt(x, y))))) },
	},
}

// ofTF32 computes with tf32, which has no instructions of its own.
func ofTF32(x, y int) int {
	a := cute.TFloat32(wideInt(x, y))
	return floatBits(float64(float32(a/3))) + floatBits(float64(float32(a*3)))*5
}

// floatBits is a number that no two floats of narrow types share, but for infinities and NaN.
func floatBits(f float64) int {
	if f != f {
		return -1
	}
	if f > 1e30 {
		return -2
	}
	if f < -1e30 {
		return -3
	}
	if f > 1e9 || f < -1e9 {
		return int(f * 0x1p-8)
	}
	return int(f * 0x1p24)
}

package languagetest_test

import (
	"math"
	"testing"
)

const known = "kernel"

// modeOf gives a number by a text that is known.
func modeOf(s string) int {
	switch s {
	case "":
		return 1
	case "ern":
		return 2
	case known:
		return 3
	}
	return 4
}

// TestTexts: texts that are known when the kernel is compiled.
func TestTexts(t *testing.T) {
	try(t, []feature{
		{"length, bytes and parts", func(n int) int {
			s := known
			return len(s) + int(s[0])*10 + int(known[5])*10000 + len(s[2:])*1000000 + len(s[:2])*10000000 + len(s[:]) + int(s[1:4][2])
		}},
		{"comparison", func(n int) int {
			s, x := known, 0
			if s == "kernel" {
				x = 1
			}
			if s[1:4] != "ern" {
				x += 2
			}
			if s < "kerneL" {
				x += 4
			}
			if s+"s" > "kernel" {
				x += 8
			}
			return x + n
		}},
		{"a switch", func(n int) int {
			s := known
			var none string
			return modeOf(s) + modeOf(s[1:4])*10 + modeOf(none)*100 + modeOf("x")*1000 + modeOf(s[3:3])*10000
		}},
		{"zero values", func(n int) int {
			var s struct {
				name string
				ok   bool
				oks  [2]bool
				f    float64
			}
			x := len(s.name)
			if s.ok || s.oks[0] || s.oks[1] || s.f != 0 {
				return -1
			}
			var ok bool
			var oks [3]bool
			for i := range oks {
				if i < n {
					oks[i] = true
				}
			}
			if ok {
				x += 100
			}
			f := func() (yes bool) { return }
			if f() {
				x += 1000
			}
			for i := range oks {
				if oks[i] {
					x++
				}
			}
			return x
		}},
	})
}

// TestKnownMath: functions of package math whose arguments are known.
func TestKnownMath(t *testing.T) {
	try(t, []feature{
		{"bits", func(n int) int {
			x, y := -2.5, 0.1
			return int(math.Float32bits(float32(x))) ^ int(math.Float64bits(y)>>7) ^ n
		}},
		{"from bits", func(n int) int { return int(math.Float32frombits(0x42f6e979)*1000) + n }},
		{"powers", func(n int) int {
			x := math.Pow10(3) + math.Pow10(-1)*10 + math.Ldexp(0.75, 5) + math.Pow(2, 5)
			if math.Pow10(500) > 1e300 && math.Pow10(-500) == 0 && math.Ldexp(1, 20000) > 1e300 && math.Ldexp(1, -20000) == 0 {
				x += 1e6
			}
			return int(x) + n
		}},
		{"signs", func(n int) int {
			x, zero := n, 0.0
			for i, v := range []bool{math.Signbit(-1.5), math.Signbit(1.5), math.Signbit(-zero), math.Signbit(zero), math.Signbit(math.Copysign(0, -1))} {
				if v {
					x += 1 << (i + 5)
				}
			}
			return x
		}},
		{"what is no number", func(n int) int {
			x, nan, inf := n, math.NaN(), math.Inf(1)
			for i, v := range []bool{
				math.IsNaN(nan), math.IsNaN(1), math.IsNaN(inf - inf), math.IsInf(inf, 1), math.IsInf(-inf, 1), math.IsInf(-inf, -1), math.IsInf(inf, -1),
				math.IsInf(+inf, 0), math.IsInf(-inf, 0), math.IsInf(5, 0), nan == nan, nan != nan, nan < 1, nan >= 1, inf > 1, -inf < -1e300, math.Inf(-1) == -inf,
				inf <= inf, -inf > inf, +nan != 0,
			} {
				if v {
					x += 1 << (i + 5)
				}
			}
			return x
		}},
		{"roundings", func(n int) int {
			x := n
			for i, v := range []float64{math.Floor(-1.5), math.Ceil(-1.5), math.Trunc(-1.7), math.Round(2.5), math.RoundToEven(2.5), math.Abs(-3),
				math.Sqrt(49), math.Cbrt(27), math.Min(2, 3), math.Max(2, 3), math.Mod(7, 4), math.Hypot(3, 4), math.FMA(2, 3, 4), math.Dim(5, 3)} {
				x += int(v) * (i + 1) * (i + 1)
			}
			return x
		}},
	})
}

// TestExtremes: min and max of what is known and what is not, NaN included.
func TestExtremes(t *testing.T) {
	try(t, []feature{
		{"of numbers", func(n int) int {
			a, b := 3, 7
			return min(a, b) + max(a, b)*10 + min(n, 5, a+6)*100 + max(3, n, 7)*10000 + min(n, n)*1000000
		}},
		{"of floats", func(n int) int {
			a, b, nan := 1.5, 2.25, math.NaN()
			x := int(4*min(a, b)) + int(4*max(a, b))*100
			if m := min(a, nan); m != m {
				x += 10000
			}
			if m := max(nan, b); m != m {
				x += 20000
			}
			return x + n
		}},
		{"of unsigned numbers", func(n int) int {
			a, b := uint8(200), uint8(100)
			c := uint64(1) << 63
			return int(min(a, b)) + int(max(a, b))*1000 + int(max(c, 5)>>60)*1000000 + n
		}},
		{"of texts", func(n int) int {
			a, b := "abc", "abd"
			if min(a, b) == a && max(a, b) == b && min(b, a) == a {
				return n
			}
			return -1
		}},
	})
}

// TestComplements: unary operators on constants, variables that are known, and others.
func TestComplements(t *testing.T) {
	try(t, []feature{
		{"known", func(n int) int {
			a, b, c := uint8(5), int8(5), uint32(1)
			f, zero := 2.5, 0.0
			x := int(^a) + int(^b)*1000 + int(^c)*100000 + int(-a) + int(+b) + int(-b)
			if 1/-zero < 0 && 1/zero > 0 && -f < 0 && +f > 0 {
				x++
			}
			return x + n
		}},
		{"not known", func(n int) int {
			a, b := uint8(n), int8(n)
			ok := n > 4
			x := int(^a) + int(^b)*1000 + int(-a)*100 + int(+b)
			if !ok {
				x = -x
			}
			return x
		}},
		{"the least number", func(n int) int {
			m := int8(-128)
			k := int8(n - 128)
			return int(-m) + int(-k)*1000
		}},
	})
}

package constexpr_test

import (
	"embed"
	"math"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tile"
)

//go:embed *_test.go
var source embed.FS
var _ = cutile.Module(source)

type one = tile.F64T1[tile.D1]

// constant runs a function without arguments in a kernel.
func constant(f func() float64, out tile.Out[one]) { out.Store(one(f())) }

func ask(t *testing.T, dev *cutile.Device, f func() float64) (float64, error) {
	t.Helper()
	out, err := cutile.NewTensor[float64](dev, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := cutile.Launch(t.Context(), dev, constant, f, out); err != nil {
		return 0, err
	}
	v, err := out.Slice()
	if err != nil {
		t.Fatal(err)
	}
	return v[0], nil
}

func open(t *testing.T) *cutile.Device {
	t.Helper()
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

// half, brain and eighth round a number to an element type, by package dtype, whose own tests hold it.
func half(x float64) float64  { return dtype.F16.FloatFromBits(dtype.F16.FloatBits(x)) }
func brain(x float64) float64 { return dtype.BF16.FloatFromBits(dtype.BF16.FloatBits(x)) }

// Constants of the package, of which 2049 and 2051 have no float16: they become 2048 and 2052.
const (
	lone                   = tile.F16(2049) - 2048
	typed         tile.F16 = 0.1
	third                  = 1 / tile.F16(3)
	untyped                = 1.0 / 3
	first, second          = tile.F16(0.1), tile.F16(2051) - 2049
	text                   = "abc"
	truth                  = tile.F16(2049) == 2048
	line                   = tile.F16(iota) * 3
	// iota is 8 here, and the line is its own
	scaled = tile.BF16(iota*100+1) - 800
)

// Lines that repeat the one before, each with a number of its own.
const (
	step0, count0 = tile.F16(2049+iota) - 2048, iota
	step1, count1
	step2, count2
	_, _
	step4, count4
)

// The same where the type stands apart, and where the steps in between have none.
const (
	apart0 tile.F16 = 0.1 * (iota + 1)
	apart1
	other0 = tile.F16(-(iota/2)-1<<iota) + tile.F16((iota+3)/2.0)*0.1
	other1
	other2
	flag0 = iota > 5 || iota%2 == 0
	flag1
)

// A line that repeats one with a call.
const (
	called0 = tile.F16(max(iota, 1))
	called1
)

// calm repeats a line with a call that has nothing to do with the line's number.
const (
	calm0 = tile.F16(len(text)) * tile.F16(iota)
	calm1
)

// Only the last of these lines is used.
const (
	unused0 = tile.F16(2049+iota) - 2048
	unused1
	used
)

func truthOf(ok bool) float64 {
	if ok {
		return 1
	}
	return 0
}

// TestConstants computes constants in kernels. What is wanted is computed here on float64, one rounding for each typed step.
func TestConstants(t *testing.T) {
	dev := open(t)
	const (
		inner    = tile.F16(2049) - 2047
		in0, in1 = tile.I8(iota + 5), tile.BF16(0.1)
		in2, in3
		shadow tile.F32 = 0.1
	)
	for _, c := range []struct {
		name string
		f    func() float64
		want float64
	}{
		// declared
		{"lone", func() float64 { return float64(lone) }, 0},
		{"of a type", func() float64 { return float64(typed) }, half(0.1)},
		{"quotient", func() float64 { return float64(third) }, half(1 / 3.0)},
		{"untyped", func() float64 { return float64(tile.F16(untyped)) }, half(1 / 3.0)},
		{"first of two", func() float64 { return float64(first) }, half(0.1)},
		{"second of two", func() float64 { return float64(second) }, 4},
		{"truth", func() float64 { return truthOf(truth) }, 1},
		{"line", func() float64 { return float64(line) }, 3 * 7},
		{"line, rounded", func() float64 { return float64(scaled) }, brain(brain(801) - 800)},
		{"twice", func() float64 { return float64(typed) + float64(typed)*3 }, half(0.1) + half(0.1)*3},
		// lines that repeat
		{"first line", func() float64 { return float64(step0) }, 0},
		{"second line", func() float64 { return float64(step1) }, 2},
		{"third line", func() float64 { return float64(step2) }, 4},
		{"after a line without names", func() float64 { return float64(step4) }, half(2053) - 2048},
		{"numbers of lines", func() float64 { return count0 + 10*count1 + 100*count2 + 1000*count4 }, 10 + 200 + 4000},
		{"apart", func() float64 { return float64(apart0)*1000 + float64(apart1) }, half(0.1)*1000 + half(0.2)},
		{"untyped steps", func() float64 { return float64(other0) }, half(-1 - 1<<2 + half(half(2.5)*half(0.1)))},
		{"untyped steps, second", func() float64 { return float64(other1) }, half(-1 - 1 - 1<<3 + 1 + half(half(3)*half(0.1)))},
		{"untyped steps, third", func() float64 { return float64(other2) }, half(-2 - 1<<4 + half(half(3.5)*half(0.1)))},
		{"truth by lines", func() float64 { return truthOf(flag0) + 2*truthOf(flag1) }, 1*0 + 2*1},
		{"calls that do not count", func() float64 { return float64(calm0) + 10*float64(calm1) }, 30},
		{"the only line that is used", func() float64 { return float64(used) }, 4},
		// in functions
		{"inner", func() float64 { return float64(inner) }, 1},
		{"inner lines", func() float64 { return float64(in0) + 10*float64(in1) + 100*float64(in2) + 1000*float64(in3) }, 6 + 10*brain(0.1) + 700 + 1000*brain(0.1)},
		{"inner type", func() float64 { return float64(shadow) }, float64(float32(0.1))},
		{"shadowed", func() float64 { const typed = tile.F16(0.3); return float64(typed) }, half(0.3)},
		// operators
		{"not", func() float64 { return truthOf(!(tile.F16(2049) == 2048)) + 2*truthOf(!(tile.F16(2049) != 2048)) }, 2},
		{"minus", func() float64 { return float64(-tile.F16(2051)) }, -2052},
		{"plus", func() float64 { return float64(+tile.F16(2051)) }, 2052},
		{"complement of unsigned", func() float64 { return float64(^tile.U8(5)) }, 250},
		{"complement of 16 bits", func() float64 { return float64(^tile.U16(5)) }, 65530},
		{"complement of 64 bits", func() float64 { return float64(^tile.U64(0) >> 40) }, 1<<24 - 1},
		{"complement of signed", func() float64 { return float64(^tile.I8(5)) }, -6},
		{"complement of Go's own", func() float64 { return float64(^uint8(5)) - float64(^int8(5)) }, 250 + 6},
		{"quotient of integers", func() float64 { return float64(tile.I8(-100)/7) + 1000*float64(tile.U8(200)/7) }, -14 + 28000},
		{"rest", func() float64 { return float64(tile.I8(-100) % 7) }, -2},
		{"quotient of floats", func() float64 { return float64(tile.F16(7) / 2) }, 3.5},
		{"untyped before typed", func() float64 { return float64(2049 + tile.F16(0)) }, 2048},
		{"shifts", func() float64 { return float64(tile.U8(1)<<7) + 1000*float64(tile.I8(-100)>>2) }, 128 - 25000},
		{"shift of an untyped number", func() float64 { return float64(tile.F16(1 << 11)) }, 2048},
		{"shift by a typed one", func() float64 { return float64(tile.I16(3) << tile.U8(4)) }, 48},
		{"less", func() float64 {
			return truthOf(tile.F16(2049) < 2049) + 2*truthOf(tile.F16(2050) <= 2049) + 4*truthOf(tile.F16(2051) > 2051) + 8*truthOf(tile.F16(1) >= 2)
		}, 0 + 4*0 + 8*0},
		{"less, of integers", func() float64 {
			return truthOf(tile.I8(3) < 4) + 2*truthOf(tile.I8(5) <= 4) + 4*truthOf(tile.U8(5) > 4) + 8*truthOf(tile.U8(4) >= 4)
		}, 1 + 4 + 8},
		{"and, or", func() float64 {
			return truthOf(tile.F16(2049) == 2048 && typed > 0) + 2*truthOf(typed < 0 || lone == 0) + 4*truthOf(typed < 0 && lone == 0)
		}, 3},
		{"conversions", func() float64 { return float64(tile.F32(tile.BF16(tile.F16(0.1)))) }, brain(half(0.1))},
		{"to an integer", func() float64 { return float64(tile.I8(tile.F16(100))) }, 100},
		{"numbers of other packages", func() float64 { return float64(tile.F16(math.Pi)) }, half(math.Pi)},
		{"parts of a text", func() float64 { return float64(tile.F16(len(text + "de"))) }, 5},
		{"chars", func() float64 { return float64(tile.F16('a')) }, 97},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := ask(t, dev, c.f); err != nil || got != c.want {
				t.Errorf("got %v, %v, want %v", got, err, c.want)
			}
		})
	}
}

// TestConstantsRefused: what a type does not hold, and what cannot be told, with its place.
func TestConstantsRefused(t *testing.T) {
	dev := open(t)
	for want, f := range map[string]func() float64{
		"the constant 300 does not fit in uint8":      func() float64 { return float64(tile.U8(100) * 3) },
		"the constant 256 does not fit in uint8":      func() float64 { return float64(tile.U8(128) << 1) },
		"the constant 8 does not fit in int4":         func() float64 { return float64(-tile.I4(-8)) },
		"the constant 131072 does not fit in float16": func() float64 { return float64(tile.F16(32768) * 4) },
		"division by zero":                            func() float64 { return float64(tile.F16(1) / (tile.F16(2049) - 2048)) },
		"a constant whose expression other lines repeat cannot have iota here: write the expression on each line": func() float64 { return float64(called1) },
	} {
		if _, err := ask(t, dev, f); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "constexpr_test.go:") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

package goval_test

import (
	"go/constant"
	"go/token"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/goval"
)

type integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

func known[T integer](x T) constant.Value {
	if x < 0 {
		return constant.MakeInt64(int64(x))
	}
	return constant.MakeUint64(uint64(x))
}

// TestIntegers: each operator on each pair of 8-bit integers, and on random ones of the wider types, as Go computes it.
func TestIntegers(t *testing.T) {
	integers[int8](t, dtype.I8)
	integers[uint8](t, dtype.U8)
	integers[int16](t, dtype.I16)
	integers[uint16](t, dtype.U16)
	integers[int32](t, dtype.I32)
	integers[uint32](t, dtype.U32)
	integers[int64](t, dtype.I64)
	integers[uint64](t, dtype.U64)
}

func integers[T integer](t *testing.T, d dtype.Type) {
	typ := goval.Type{Type: d}
	operators := map[token.Token]func(x, y T) T{
		token.ADD: func(x, y T) T { return x + y }, token.SUB: func(x, y T) T { return x - y }, token.MUL: func(x, y T) T { return x * y },
		token.AND: func(x, y T) T { return x & y }, token.OR: func(x, y T) T { return x | y }, token.XOR: func(x, y T) T { return x ^ y },
		token.AND_NOT: func(x, y T) T { return x &^ y },
		token.QUO:     func(x, y T) T { return x / y }, token.REM: func(x, y T) T { return x % y },
	}
	compares := map[token.Token]func(x, y T) bool{
		token.EQL: func(x, y T) bool { return x == y }, token.NEQ: func(x, y T) bool { return x != y }, token.LSS: func(x, y T) bool { return x < y },
		token.LEQ: func(x, y T) bool { return x <= y }, token.GTR: func(x, y T) bool { return x > y }, token.GEQ: func(x, y T) bool { return x >= y },
	}
	try := func(x, y T) {
		for op, f := range operators {
			got, err := typ.Binary(op, known(x), known(y))
			if (op == token.QUO || op == token.REM) && y == 0 {
				if err == nil || err.Error() != "division by zero" {
					t.Fatalf("%v: %v %s %v is %v, %v", d, x, op, y, got, err)
				}
				continue
			}
			if err != nil || !goval.Same(got, known(f(x, y))) {
				t.Fatalf("%v: %v %s %v is %v, %v, want %v", d, x, op, y, got, err, f(x, y))
			}
		}
		for op, f := range compares {
			if got, err := typ.Compare(op, known(x), known(y)); err != nil || got != f(x, y) {
				t.Fatalf("%v: %v %s %v is %v, %v", d, x, op, y, got, err)
			}
		}
		small, err := typ.Extreme("min", known(x), known(y))
		large, err2 := typ.Extreme("max", known(x), known(y))
		if err != nil || err2 != nil || !goval.Same(small, known(min(x, y))) || !goval.Same(large, known(max(x, y))) {
			t.Fatalf("%v: %v and %v have the extremes %v and %v", d, x, y, small, large)
		}
		for _, n := range []uint64{0, 1, uint64(y) % 70, uint64(y), 1 << 40} {
			l, err := typ.Binary(token.SHL, known(x), known(n))
			r, err2 := typ.Binary(token.SHR, known(x), known(n))
			if err != nil || err2 != nil || !goval.Same(l, known(x<<n)) || !goval.Same(r, known(x>>n)) {
				t.Fatalf("%v: %v shifted by %d is %v and %v", d, x, n, l, r)
			}
		}
		if got, err := typ.Negate(known(x)); err != nil || !goval.Same(got, known(-x)) {
			t.Fatalf("%v: -%v is %v, %v", d, x, got, err)
		}
		if got := typ.Complement(known(x)); !goval.Same(got, known(^x)) {
			t.Fatalf("%v: ^%v is %v", d, x, got)
		}
		conversions(t, d, x)
	}
	if d.Size() == 1 {
		for i := range 256 {
			for j := range 256 {
				try(T(i), T(j))
			}
		}
		return
	}
	r := rand.New(rand.NewPCG(1, uint64(d)))
	for range 3000 {
		try(T(r.Uint64()>>r.IntN(64)), T(r.Uint64()>>r.IntN(64)))
	}
}

// conversions converts an integer to every other type.
func conversions[T integer](t *testing.T, d dtype.Type, x T) {
	from := goval.Type{Type: d}
	for to, want := range map[dtype.Type]goval.Value{
		dtype.I8: known(int8(x)), dtype.U8: known(uint8(x)), dtype.I16: known(int16(x)), dtype.U16: known(uint16(x)), dtype.I32: known(int32(x)),
		dtype.U32: known(uint32(x)), dtype.I64: known(int64(x)), dtype.U64: known(uint64(x)), dtype.F32: goval.FromFloat(float64(float32(x))),
		dtype.F64: goval.FromFloat(float64(x)),
	} {
		if got := goval.Convert(known(x), from, goval.Type{Type: to}); goval.Float(got) != goval.Float(want) {
			t.Fatalf("%v of the %v %v is %v, want %v", to, d, x, got, want)
		}
	}
}

// TestFloats: each operator on random float32 and float64, as Go computes it.
func TestFloats(t *testing.T) {
	f32, f64 := goval.Type{Type: dtype.F32}, goval.Type{Type: dtype.F64}
	specials := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32, math.SmallestNonzeroFloat32, 3e38, 16777216}
	r := rand.New(rand.NewPCG(3, 4))
	random := func() float64 {
		if r.IntN(3) == 0 {
			return specials[r.IntN(len(specials))]
		}
		return math.Ldexp(r.Float64()-0.5, r.IntN(250)-125)
	}
	same := func(got goval.Value, err error, want float64) bool {
		g := goval.Float(got)
		return err == nil && (g == want && math.Signbit(g) == math.Signbit(want) || g != g && want != want)
	}
	for range 20_000 {
		x, y := random(), random()
		a, b := float32(x), float32(y)
		va, vb := goval.FromFloat(float64(a)), goval.FromFloat(float64(b))
		vx, vy := goval.FromFloat(x), goval.FromFloat(y)
		for op, want := range map[token.Token][2]float64{
			token.ADD: {float64(a + b), x + y}, token.SUB: {float64(a - b), x - y}, token.MUL: {float64(a * b), x * y}, token.QUO: {float64(a / b), x / y},
		} {
			got, err := f32.Binary(op, va, vb)
			if !same(got, err, want[0]) {
				t.Fatalf("float32: %v %s %v is %v, %v, want %v", a, op, b, got, err, want[0])
			}
			if got, err = f64.Binary(op, vx, vy); !same(got, err, want[1]) {
				t.Fatalf("float64: %v %s %v is %v, %v, want %v", x, op, y, got, err, want[1])
			}
		}
		if got, err := f32.Extreme("min", va, vb); !same(got, err, float64(min(a, b))) {
			t.Fatalf("min of %v and %v is %v", a, b, got)
		}
		if got, err := f64.Extreme("max", vx, vy); !same(got, err, max(x, y)) {
			t.Fatalf("max of %v and %v is %v", x, y, got)
		}
		if got, err := f32.Negate(va); !same(got, err, float64(-a)) {
			t.Fatalf("-%v is %v, %v", a, got, err)
		}
		if got, err := f32.Compare(token.LSS, va, vb); err != nil || got != (a < b) {
			t.Fatalf("%v < %v is %v, %v", a, b, got, err)
		}
		if got := goval.Convert(vx, f64, f32); !same(got, nil, float64(float32(x))) {
			t.Fatalf("float32(%v) is %v", x, got)
		}
		if n := math.Trunc(x); math.Abs(n) < 1<<31 {
			if got := goval.Convert(vx, f64, goval.Type{Type: dtype.I32}); !goval.Same(got, constant.MakeInt64(int64(int32(x)))) {
				t.Fatalf("int32(%v) is %v", x, got)
			}
		}
	}
}

// TestRefusals: what a type does not hold, and operations that there are not, are errors with their texts.
func TestRefusals(t *testing.T) {
	i8, u8, f16, tf32 := goval.Type{Type: dtype.I8}, goval.Type{Type: dtype.U8}, goval.Type{Type: dtype.F16}, goval.Type{Type: dtype.TF32, TiesAway: true}
	num, flt := func(n int64) goval.Value { return constant.MakeInt64(n) }, constant.MakeFloat64
	for _, c := range []struct {
		got  func() (goval.Value, error)
		want string
	}{
		{func() (goval.Value, error) { return i8.Hold(num(300)) }, "the constant 300 does not fit in int8"},
		{func() (goval.Value, error) { return u8.Hold(num(-1)) }, "the constant -1 does not fit in uint8"},
		{func() (goval.Value, error) { return u8.Hold(flt(1.5)) }, "the constant 1.5 is not an integer, as elements of uint8 are"},
		{func() (goval.Value, error) { return i8.Hold(goval.NonFinite(math.Inf(1))) }, "the constant +Inf is not an integer"},
		{func() (goval.Value, error) { return f16.Hold(flt(1e6)) }, "the constant 1e+06 does not fit in float16"},
		{func() (goval.Value, error) { return f16.Hold(constant.MakeFromLiteral("1e400", token.FLOAT, 0)) }, "the constant 1e+400 does not fit in float16"},
		{func() (goval.Value, error) { return i8.Binary(token.ADD, num(1), num(200)) }, "the constant 200 does not fit in int8"},
		{func() (goval.Value, error) { return i8.Binary(token.SHL, num(1), num(-1)) }, "negative shift count -1"},
		{func() (goval.Value, error) { return i8.Binary(token.SHL, num(1), flt(0.5)) }, "the shift count 0.5 is not an integer"},
		{func() (goval.Value, error) { return i8.Binary(token.ADD, goval.NonFinite(math.Inf(-1)), num(1)) }, "the constant -Inf is not an integer"},
		{func() (goval.Value, error) { return f16.Binary(token.REM, num(1), num(1)) }, "the operator % does not take float16"},
		{func() (goval.Value, error) { return f16.Binary(token.ADD, flt(1e6), num(1)) }, "the constant 1e+06 does not fit in float16"},
		{func() (goval.Value, error) { return i8.Hold(num(-128)) }, ""},
		{func() (goval.Value, error) { return i8.Hold(constant.MakeString("x")) }, ""},
		{func() (goval.Value, error) { return tf32.Hold(flt(0.1)) }, ""},
	} {
		got, err := c.got()
		if (err != nil) != (c.want != "") || err != nil && err.Error() != c.want {
			t.Errorf("%v, %v, want %q", got, err, c.want)
		}
	}
	for _, c := range []struct {
		typ  goval.Type
		x    goval.Value
		want float64
	}{
		{f16, flt(0.1), 0.0999755859375}, {f16, num(2049), 2048}, {f16, flt(-1e-30), 0}, {tf32, flt(1 + 1.0/2048), 1 + 1.0/1024},
		{goval.Type{Type: dtype.TF32}, flt(1 + 1.0/2048), 1},
	} {
		if got, err := c.typ.Hold(c.x); err != nil || goval.Float(got) != c.want || math.Signbit(goval.Float(got)) {
			t.Errorf("%v in %v is %v, %v, want %v", c.x, c.typ, got, err, c.want)
		}
	}
	for f, want := range map[float64]int64{448.1: 127, -1e300: -128, math.Inf(-1): -128, math.NaN(): 0, 3.9: 3, -3.9: -3} {
		if got := i8.Saturate(f); !goval.Same(got, constant.MakeInt64(want)) {
			t.Errorf("int8(%v) is %v, want %v", f, got, want)
		}
	}
}

// TestMath: functions of package math by their names.
func TestMath(t *testing.T) {
	for _, c := range []struct {
		name string
		xs   []float64
		want goval.Value
	}{
		{"Sqrt", []float64{2}, goval.FromFloat(math.Sqrt2)}, {"Pow", []float64{2, 10}, goval.FromFloat(1024)}, {"Inf", []float64{-1}, goval.NonFinite(math.Inf(-1))},
		{"IsNaN", []float64{math.NaN()}, constant.MakeBool(true)}, {"IsInf", []float64{math.Inf(1), -1}, constant.MakeBool(false)}, {"FMA", []float64{2, 3, 4}, goval.FromFloat(10)},
		{"Signbit", []float64{-1}, constant.MakeBool(true)}, {"Pow10", []float64{3}, goval.FromFloat(1000)}, {"Ldexp", []float64{1, 5}, goval.FromFloat(32)},
		{"Float32bits", []float64{1}, constant.MakeUint64(0x3f800000)}, {"Float64bits", []float64{1}, constant.MakeUint64(0x3ff0000000000000)},
		{"Float32frombits", []float64{0x3f800000}, goval.FromFloat(1)}, {"NaN", nil, goval.NonFinite(math.NaN())},
	} {
		if got, ok := goval.Math(c.name, c.xs); !ok || !goval.Same(got, c.want) {
			t.Errorf("math.%s%v is %v, %v, want %v", c.name, c.xs, got, ok, c.want)
		}
	}
	if got, ok := goval.Math("Modf", []float64{1}); ok {
		t.Errorf("math.Modf is %v", got)
	}
}

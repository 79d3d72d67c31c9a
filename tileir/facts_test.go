package tileir_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	. "github.com/cutile-go/cutile/tileir"
)

// TestElements: the facts of each element type, from NVIDIA's specification of Tile IR and package dtype.
func TestElements(t *testing.T) {
	for _, c := range []struct {
		e          Elem
		name, text string
		bits, size int
		float      bool
		since      Version
	}{
		{I1, "i1", "i1", 1, 1, false, V13_1}, {I8, "i8", "i8", 8, 1, false, V13_1}, {I16, "i16", "i16", 16, 2, false, V13_1},
		{I32, "i32", "i32", 32, 4, false, V13_1}, {I64, "i64", "i64", 64, 8, false, V13_1}, {I4, "i4", "i4", 4, 1, false, V13_3},
		{F16, "f16", "f16", 16, 2, true, V13_1}, {BF16, "bf16", "bf16", 16, 2, true, V13_1}, {F32, "f32", "f32", 32, 4, true, V13_1},
		{TF32, "tf32", "tf32", 19, 4, true, V13_1}, {F64, "f64", "f64", 64, 8, true, V13_1}, {F8E4M3FN, "f8e4m3fn", "f8E4M3FN", 8, 1, true, V13_1},
		{F8E5M2, "f8e5m2", "f8E5M2", 8, 1, true, V13_1}, {F8E8M0FNU, "f8e8m0fnu", "f8E8M0FNU", 8, 1, true, V13_2},
		{F4E2M1FN, "f4e2m1fn", "f4E2M1FN", 4, 1, true, V13_3}, {FNV8E5M3FNU, "fnv8e5m3fnu", "fnv8E5M3FNU", 8, 1, true, V13_4},
	} {
		shared := 1
		if c.e == F4E2M1FN {
			shared = 2
		}
		if c.e.Name() != c.name || c.e.String() != c.text || c.e.Bits() != c.bits || c.e.Bytes() != c.size || c.e.IsFloat() != c.float ||
			c.e.IsInt() == c.float || c.e.Since() != c.since || c.e.PerByte() != shared {
			t.Errorf("%v: %q %q %d %d %v %v %v %d", c.e, c.e.Name(), c.e, c.e.Bits(), c.e.Bytes(), c.e.IsFloat(), c.e.IsInt(), c.e.Since(), c.e.PerByte())
		}
	}
	floats := Lookup("ftof").Operands[0].Constraint.Elems
	for _, e := range Elems() {
		if floats>>e&1 == 1 != e.IsFloat() {
			t.Errorf("ftof takes %v: %v", e, !e.IsFloat())
		}
	}
	if NoElem.IsFloat() || NoElem.IsInt() || NoElem.String() != "none" || NoElem.Bits() != 0 {
		t.Error("no element is one")
	}
}

// TestFloatBits compares with package dtype on numbers that the types hold: every number of 8 bits, those beside and between.
func TestFloatBits(t *testing.T) {
	types := map[Elem]dtype.Type{F16: dtype.F16, BF16: dtype.BF16, TF32: dtype.TF32, F32: dtype.F32, F64: dtype.F64, F8E4M3FN: dtype.F8E4M3FN,
		F8E5M2: dtype.F8E5M2, F8E8M0FNU: dtype.F8E8M0FNU, FNV8E5M3FNU: dtype.F8E5M3FNU}
	var numbers []float64
	for _, d := range []dtype.Type{dtype.F8E4M3FN, dtype.F8E5M2, dtype.F8E5M3FNU, dtype.F8E8M0FNU} {
		for bits := range 256 {
			x := d.FloatFromBits(uint64(bits))
			if next := d.FloatFromBits(uint64(bits+1) & 0xff); !math.IsNaN(next) {
				numbers = append(numbers, (x+next)/2, math.Nextafter((x+next)/2, 0))
			}
			numbers = append(numbers, x, x*(1+1e-9), x*(1-1e-9), x/3, x*0x1p-20)
		}
	}
	seen := 0
	for e, d := range types {
		for _, x := range numbers {
			if !d.Holds(x) || e == F8E8M0FNU && x <= 0 {
				continue
			}
			seen++
			if got, want := FloatBits(e, x), d.FloatBits(x); got != want && !(e == TF32 && got<<13 == want) && !math.IsNaN(x) {
				t.Errorf("%v: %v is %#x, want %#x", e, x, got, want)
			}
		}
	}
	if seen < 10000 {
		t.Errorf("only %d numbers", seen)
	}
}

// TestFloatBitsBeyond: what a type does not hold becomes an infinity, else NaN, else the greatest number.
func TestFloatBitsBeyond(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		e    Elem
		x    float64
		want uint64
	}{
		{F16, 65519, 0x7bff}, {F16, 65520, 0x7c00}, {F16, -65520, 0xfc00}, {F16, inf, 0x7c00}, {F16, -inf, 0xfc00}, {F16, nan, 0x7e00},
		{BF16, 1e39, 0x7f80}, {BF16, nan, 0x7fc0}, {F8E5M2, 1e9, 0x7c}, {F8E5M2, -1e9, 0xfc}, {F8E5M2, nan, 0x7e},
		{F8E4M3FN, 448, 0x7e}, {F8E4M3FN, 464, 0x7e}, {F8E4M3FN, 465, 0x7f}, {F8E4M3FN, -1e9, 0xff}, {F8E4M3FN, inf, 0x7f}, {F8E4M3FN, nan, 0x7f},
		{F8E8M0FNU, inf, 0xff}, {F8E8M0FNU, nan, 0xff}, {F8E8M0FNU, -1, 0}, {F8E8M0FNU, 3, 129}, {F8E8M0FNU, 2.9, 128}, {F8E8M0FNU, 0x1.7p127, 254}, {F8E8M0FNU, 0x1.8p127, 255}, {F8E8M0FNU, 0x1p-200, 0},
		{F4E2M1FN, 6, 7}, {F4E2M1FN, 100, 7}, {F4E2M1FN, -100, 15}, {F4E2M1FN, inf, 7}, {F4E2M1FN, math.Copysign(0, -1), 8}, {F4E2M1FN, 0.25, 0}, {F4E2M1FN, 0.75, 2}, {F4E2M1FN, -2.5, 12},
		{F32, inf, 0x7f800000}, {F64, -inf, 0xfff0000000000000}, {F32, 1e60, 0x7f800000},
	} {
		if got := FloatBits(c.e, c.x); got != c.want {
			t.Errorf("%v: %v is %#x, want %#x", c.e, c.x, got, c.want)
		}
	}
}

// TestConstantElements: what a constant holds, by its data or one element for all.
func TestConstantElements(t *testing.T) {
	for _, c := range []struct {
		c     *Constant
		want  []uint64
		splat bool
	}{
		{IntConstant(Tile(I32, 3), 1, -2, 3), []uint64{1, 0xfffffffe, 3}, false},
		{IntConstant(Tile(I8, 3), -2), []uint64{0xfe, 0xfe, 0xfe}, true},
		{IntConstant(Tile(I16, 2), 7, 7), []uint64{7, 7}, true},
		{IntConstant(Tile(I64), -1), []uint64{math.MaxUint64}, true},
		{IntConstant(Tile(I1, 3), 1, 0, 5), []uint64{1, 0, 1}, false},
		{IntConstant(Tile(I1, 10), 1), []uint64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, true},
		{IntConstant(Tile(I1, 10), 0), make([]uint64, 10), true},
		{IntConstant(Tile(I1, 2), -3), []uint64{1, 1}, true},
		{IntConstant(Tile(F16, 2), 1, 2), []uint64{0x3c00, 0x4000}, false},
		{FloatConstant(Tile(F32, 2), 1.5, 1.5), []uint64{0x3fc00000, 0x3fc00000}, true},
		{FloatConstant(Tile(I8, 2), 1.9, -3), []uint64{1, 0xfd}, false},
		{FloatConstant(Tile(I64, 3), 0x1p63, -0x1p63, 1<<53-1), []uint64{1 << 63, 1 << 63, 1<<53 - 1}, false},
		{FloatConstant(Tile(I64, 2), 0x1p64-0x1p11, 1), []uint64{1<<64 - 1<<11, 1}, false},
		{IntConstant(Tile(I64, 2), 1<<53+1, math.MinInt64+1), []uint64{1<<53 + 1, 1<<63 + 1}, false},
		{IntConstant(Tile(F64, 2), 1<<53+1, math.MinInt64), []uint64{math.Float64bits(1 << 53), math.Float64bits(-0x1p63)}, false},
		// Above the middle between two float32 by so little that it is the middle to a float64.
		{IntConstant(Tile(F32, 3), 1<<62+1<<38+1, -(1<<62 + 1<<38 + 1), 1<<62+1<<38), []uint64{0x5e800001, 0xde800001, 0x5e800000}, false},
		{FloatConstant(Tile(TF32, 2), 1, -2), []uint64{0x3f800000 >> 13, 0xc0000000 >> 13}, false},
		{FloatConstant(Tile(F4E2M1FN, 2), 1, -2), []uint64{2, 12}, false},
	} {
		for i, want := range c.want {
			if got := c.c.Element(i); got != want {
				t.Errorf("%v: element %d is %#x, want %#x", c.c.Type, i, got, want)
			}
		}
		if bits, ok := c.c.Splat(); ok != c.splat || ok && bits != c.want[0] {
			t.Errorf("%v: splat %#x, %v, want %v", c.c.Type, bits, ok, c.splat)
		}
	}
	for _, c := range []*Constant{nil, {}, {Type: Tile(I32, 3), Data: make([]byte, 5)}, {Type: PointerTile(I32, 1), Data: make([]byte, 4)}, {Type: Tile(I4), Data: []byte{1}},
		{Type: Tile(I1, 9), Data: make([]byte, 3)}, {Type: Tile(I32, 2)}, {Type: &TileType{Shape: []int{1}}, Data: []byte{1}}} {
		if _, ok := c.Splat(); ok {
			t.Errorf("%+v has an element for all", c)
		}
	}
}

// TestVersionText: versions go through JSON as their text.
func TestVersionText(t *testing.T) {
	for i, v := range Versions() {
		if v.Major() != 13 || v.Minor() != i+1 || v.String() != fmt.Sprintf("13.%d", i+1) {
			t.Errorf("%d, %d, %v", v.Major(), v.Minor(), v)
		}
		data, err := json.Marshal(map[string]Version{"v": v})
		if err != nil || string(data) != fmt.Sprintf(`{"v":"13.%d"}`, i+1) {
			t.Errorf("%s, %v", data, err)
		}
		var back map[string]Version
		if err := json.Unmarshal(data, &back); err != nil || back["v"] != v {
			t.Errorf("%v, %v", back, err)
		}
	}
	var v Version
	if err := v.UnmarshalText([]byte("14")); err == nil || err.Error() != `tileir: version "14" is not one of [13.1 13.2 13.3 13.4]` {
		t.Error(err)
	}
	if Newest != Versions()[len(Versions())-1] {
		t.Error("the newest version is not the last")
	}
}

// TestCheckEntryHint: what a hint of an entry may be, by version.
func TestCheckEntryHint(t *testing.T) {
	i32 := func(n int64) HintValue { return HintValue{Elem: I32, Int: n} }
	for _, c := range []struct {
		name string
		v    HintValue
		in   Version
		want string
	}{
		{"occupancy", i32(1), V13_1, ""}, {"occupancy", i32(32), V13_1, ""}, {"occupancy", i32(0), Newest, "expected 1 to 32, but found 0"},
		{"occupancy", i32(33), Newest, "expected 1 to 32, but found 33"}, {"occupancy", HintValue{Elem: I64, Int: 2}, Newest, "expected an i32, but found i64"},
		{"occupancy", HintValue{Bool: true}, Newest, "expected an i32, but found none"},
		{"occupancy", HintValue{Other: String("x")}, Newest, "expected a number or truth value, but found a tileir.String"},
		{"num_cta_in_cga", i32(1), V13_1, ""}, {"num_cta_in_cga", i32(16), V13_1, ""}, {"num_cta_in_cga", i32(17), V13_1, "expected 1 to 16, but found 17"},
		{"num_cta_in_cga", i32(6), Newest, "expected a power of two, but found 6"},
		{"num_worker_warps_per_cta", i32(4), V13_3, ""}, {"num_worker_warps_per_cta", i32(8), V13_3, ""},
		{"num_worker_warps_per_cta", i32(2), V13_3, "expected 4 to 8, but found 2"},
		{"num_worker_warps_per_cta", i32(4), V13_2, "needs version 13.3, but the target is 13.2"},
		{"latency", i32(2), Newest, `unknown hint "latency"`},
	} {
		err := CheckEntryHint(Hint{Name: c.name, Value: c.v}, c.in)
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("%s %+v in %v: %v, want %q", c.name, c.v, c.in, err, c.want)
		}
	}
	for name, want := range map[string]Version{"occupancy": V13_1, "num_cta_in_cga": V13_1, "num_worker_warps_per_cta": V13_3, "latency": V13_1, "none": V13_1} {
		if got := HintSince(name); got != want {
			t.Errorf("%s: since %v, want %v", name, got, want)
		}
	}
	for p, want := range map[Padding]string{NoPadding: "none", PadZero: "zero", PadNegZero: "neg_zero", PadNaN: "nan", PadPosInf: "pos_inf", PadNegInf: "neg_inf", 5: "none", -2: "none"} {
		if got := p.String(); got != want {
			t.Errorf("padding %d is %q, want %q", int(p), got, want)
		}
	}
}

package bytecode_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// wrong is a module that Verify must refuse with a text.
type wrong struct {
	op      string
	s       sample
	want    string
	lenient bool // tileirdisasm takes it: the assembler refuses it later, or silently does something else
	version Version
}

func bin(name string, a, b, r Type, attrs named, want string) wrong {
	return wrong{op: name, s: sample{operands: each(a, b), results: ts(r), attrs: attrs}, want: want}
}

func un(name string, a, r Type, attrs named, want string) wrong {
	return wrong{op: name, s: sample{operands: each(a), results: ts(r), attrs: attrs}, want: want}
}

var (
	nearest = named{"rounding_mode": RoundingNearestEven}
	relaxed = named{"memory_ordering_semantics": MemoryRelaxed, "memory_scope": ScopeDevice}
	f16v    = Tile(F16, 4)
)

// wrongMath are faults of arithmetic and conversions.
var wrongMath = []wrong{
	bin("addf", i32v, i32v, i32v, nearest, "operand lhs: expected a tile of f16, bf16, f32 or f64, but found tile<4xi32>"),
	bin("addf", f32v, f16v, f32v, nearest, "rhs: expected the type of lhs, tile<4xf32>, but found tile<4xf16>"),
	bin("addf", f32v, f32v, Tile(F32, 8), nearest, "result: expected the type of lhs"),
	bin("addf", f32v, f32v, f32v, named{"rounding_mode": RoundingApprox}, "attribute rounding_mode: expected nearest_even, zero, negative_inf or positive_inf, but found approx"),
	bin("addf", f32v, f32v, f32v, named{"rounding_mode": Int(99)}, "attribute rounding_mode: expected nearest_even"),
	bin("mulf", f16v, f16v, f16v, nearest.with("flush_to_zero", Bool(true)), "flush_to_zero needs elements of f32, but found f16"),
	bin("subf", f16v, f16v, f16v, nearest.with("flush_to_zero", Bool(true)), "flush_to_zero needs"),
	bin("maxf", f16v, f16v, f16v, named{"flush_to_zero": Bool(true)}, "flush_to_zero needs"),
	bin("minf", f16v, f16v, f16v, named{"flush_to_zero": Bool(true)}, "flush_to_zero needs"),
	bin("divf", f16v, f16v, f16v, named{"rounding_mode": RoundingFull}, "full needs elements of f32, but found f16"),
	bin("divf", f32v, f32v, f32v, named{"rounding_mode": RoundingNearestAway}, "but found nearest_away"),
	un("sqrt", f32v, f32v, named{"rounding_mode": RoundingFull}, "but found full"),
	un("sqrt", f16v, f16v, named{"rounding_mode": RoundingApprox}, "approx needs elements of f32"),
	un("exp", f16v, f16v, named{"rounding_mode": RoundingApprox}, "approx needs elements of f32"),
	un("exp", f32v, f32v, named{"rounding_mode": RoundingZero}, "expected full or approx, but found zero"),
	un("tanh", f16v, f16v, named{"rounding_mode": RoundingApprox}, "approx needs elements of f32"),
	un("exp2", f16v, f16v, named{"flush_to_zero": Bool(true)}, "flush_to_zero needs"),
	un("rsqrt", f16v, f16v, named{"flush_to_zero": Bool(true)}, "flush_to_zero needs"),
	bin("fpowi", f32v, Tile(I64, 4), f32v, nil, "operand exponent: expected a tile of i1, i8, i16 or i32"),
	bin("fpowi", f32v, Tile(I32, 8), f32v, nil, "exponent: expected the shape of source"),
	bin("divi", i32v, i32v, i32v, named{"signedness": Signed, "rounding": RoundingNearestEven}, "expected zero, negative_inf or positive_inf"),
	bin("divi", i32v, i32v, i32v, named{"signedness": Unsigned, "rounding": RoundingNegativeInf}, "negative_inf needs signed operands"),
	bin("remi", i32v, i32v, i32v, nil, "attribute signedness is missing").unwritable(),
	un("negi", i32v, i32v, named{"overflow": OverflowNoUnsignedWrap}, "no_unsigned_wrap means nothing"),
	bin("cmpi", i32v, Tile(I32, 8), i1v, named{"comparison_predicate": CompareEqual, "signedness": Signed}, "rhs: expected the type of lhs"),
	bin("cmpi", i32v, i32v, Tile(I1, 8), named{"comparison_predicate": CompareEqual, "signedness": Signed}, "with the shape of lhs"),
	bin("cmpf", f32v, f32v, i32v, named{"comparison_predicate": CompareEqual, "comparison_ordering": CompareOrdered}, "result: expected a tile of i1"),
	un("bitcast", f32v, Tile(I16, 4), nil, "f32 has 32 bits and i16 has 16"),
	un("bitcast", Tile(TF32, 4), i32v, nil, "tf32 has 19 bits"),
	un("bitcast", f32v, Tile(I32, 8), nil, "result: expected the shape of source"),
	un("exti", i32v, Tile(I16, 4), named{"signedness": Signed}, "result: expected a wider element than i32"),
	un("trunci", i32v, Tile(I32, 4), nil, "result: expected a narrower element than i32"),
	un("ftof", f32v, f32v, nearest, "result: expected another element than f32"),
	un("ftof", f32v, Tile(F8E8M0FNU, 4), nearest, "expected zero or positive_inf, but found nearest_even"),
	un("ftof", f32v, Tile(F8E4M3FN, 4), named{"rounding_mode": RoundingZero}, "expected nearest_even, but found zero"),
	un("ftof", f32v, f16v, named{"rounding_mode": RoundingPositiveInf}, "expected nearest_even or zero, but found positive_inf"),
	un("ftof", f32v, Tile(TF32, 4), named{"rounding_mode": RoundingPositiveInf}, "expected nearest_even, zero or nearest_away"),
	un("ftoi", f32v, i32v, named{"signedness": Signed, "rounding_mode": RoundingZero}, "expected nearest_int_to_zero, but found zero"),
	un("itof", i32v, f32v, named{"signedness": Signed, "rounding_mode": RoundingZero}, "expected nearest_even, but found zero"),
	un("itof", i32v, Tile(F8E8M0FNU, 4), nearest.with("signedness", Signed), "integers do not convert to f8E8M0FNU"),
	un("ptr_to_int", ptrs, Tile(I64, 8), nil, "result: expected the shape of source"),
	un("int_to_ptr", i32v, ptrs, nil, "operand source: expected a tile of i64"),
	un("ptr_to_ptr", ptrs, f32v, nil, "result: expected a tile of pointers"),
	mmaWrong("mmaf", Tile(F32, 4, 8), Tile(F32, 4, 16), Tile(F32, 4, 16), "operand rhs: expected extent 8 along K, as lhs has, but found 4"),
	mmaWrong("mmaf", Tile(F32, 4, 8), Tile(F32, 8, 16), Tile(F32, 8, 16), "operand acc: expected a 4x16 matrix, but found 8x16"),
	mmaWrong("mmaf", Tile(F32, 2, 4, 8), Tile(F32, 4, 8, 16), Tile(F32, 2, 4, 16), "expected one batch extent, but found 2, 4 and 2"),
	mmaWrong("mmaf", Tile(F32, 4), Tile(F32, 4), Tile(F32, 4), "expected tiles of rank 2 or 3, but found rank 1"),
	mmaWrong("mmaf", Tile(BF16, 4, 8), Tile(BF16, 8, 16), Tile(F16, 4, 16), "a product of bf16 accumulates in f32, but found f16"),
	mmaWrong("mmaf", Tile(F16, 4, 8), Tile(BF16, 8, 16), Tile(F32, 4, 16), "rhs: expected the element type of lhs"),
	{op: "mmaf_scaled", s: scaled(F8E4M3FN, F8E8M0FNU, 16), want: "blocks of 16 elements along K: expected one of [32]"},
	{op: "mmaf_scaled", s: scaled(F8E4M3FN, F8E4M3FN, 32), want: "scales of f8E4M3FN need operands of f4E2M1FN"},
	{op: "mmaf_scaled", s: scaled(F8E5M2, FNV8E5M3FNU, 32), want: "scales of fnv8E5M3FNU need operands of f4E2M1FN, but found f8E5M2"},
	{op: "mmaf_scaled", s: scaled(F4E2M1FN, F8E4M3FN, 32), want: "expected one of [16]"},
	{op: "mmaf_scaled", s: scaled(F4E2M1FN, FNV8E5M3FNU, 8), want: "blocks of 8 elements along K: expected one of [16 32] for f4E2M1FN with scales of fnv8E5M3FNU"},
	{op: "mmaf_scaled", s: sample{operands: each(Tile(F8E5M2, 4, 64), Tile(F8E5M2, 64, 8), Tile(F32, 4, 8), Tile(F8E8M0FNU, 8, 2), Tile(F8E8M0FNU, 2, 8)),
		results: ts(Tile(F32, 4, 8))}, want: "do not fit operands"},
}

// unwritable marks a module that Write refuses too.
func (w wrong) unwritable() wrong {
	w.lenient = true
	return w
}

func mmaWrong(name string, a, b, acc Type, want string) wrong {
	return wrong{op: name, s: sample{operands: each(a, b, acc), results: ts(acc)}, want: want}
}

// wrongCore are faults of operations on shapes, constants and values.
var wrongCore = []wrong{
	un("broadcast", Tile(F32, 2, 4), Tile(F32, 8, 4), nil, "dimension 0: cannot stretch extent 2 to 8"),
	un("broadcast", Tile(F32, 4), Tile(F32, 8, 4), nil, "result: expected the rank of source"),
	un("broadcast", Tile(F32, 1), Tile(F16, 4), nil, "expected the same element type everywhere"),
	bin("cat", tileV, tileV, Tile(F32, 4, 8), named{"dim": Int(0)}, "result: expected extent 8 in dimension 0, but found 4"),
	bin("cat", tileV, tileV, Tile(F32, 8, 8), named{"dim": Int(2)}, "attribute dim: 2 is not in 0..1"),
	bin("cat", tileV, Tile(F32, 4, 4), Tile(F32, 8, 8), named{"dim": Int(0)}, "dimension 1: expected equal extents, but found 8, 4 and 8"),
	{op: "constant", s: constantOf(f32v, 1, 2, 3), want: "tile<4xf32> takes 16 bytes, or 4 for one element that fills it, but found 3"},
	{op: "constant", s: constantOf(i1v, 1, 2), want: "takes 1 bytes"},
	{op: "constant", s: sample{attrs: named{"value": &Constant{Type: f32v, Data: make([]byte, 4)}}, results: ts(i32v)},
		want: "attribute value: expected the type of the result, tile<4xi32>, but found tile<4xf32>", lenient: true},
	{op: "constant", s: constantOf(Tile(I4, 2), 0), want: "result: expected a tile of numbers"},
	{op: "extract", s: sample{operands: [][]Type{{tileV}, {i32s}}, results: ts(Tile(F32, 2, 8))}, want: "operand indices: expected 2 values, but found 1"},
	{op: "extract", s: sample{operands: [][]Type{{tileV}, {i32s, i32s}}, results: ts(Tile(F32, 8, 8))}, want: "dimension 0: extent 4 is not a multiple of 8"},
	{op: "extract", s: sample{operands: [][]Type{{tileV}, {i32s, Tile(I64)}}, results: ts(Tile(F32, 2, 8))}, want: "operand indices: expected a tile of rank 0 of i32"},
	{op: "insert", s: sample{operands: [][]Type{{Tile(F16, 2, 8)}, {tileV}, {i32s, i32s}}, results: ts(tileV)}, want: "expected equal ranks and element types"},
	{op: "iota", s: sample{results: ts(Tile(I32, 2, 2))}, want: "result: expected rank 1, but found tile<2x2xi32>"},
	{op: "iota", s: sample{results: ts(Tile(I8, 512))}, want: "i8 cannot count to 512"},
	un("permute", tileV, Tile(F32, 8, 4), named{"permutation": Ints{1, 1}}, "expected a permutation of 0..1"),
	un("permute", tileV, tileV, named{"permutation": Ints{1, 0}}, "result: expected extent 8 in dimension 0, but found 4"),
	un("permute", f32v, f32v, named{"permutation": Ints{0}}, "rank 2 or more"),
	un("reshape", tileV, Tile(F32, 16), nil, "result: expected 32 elements, but tile<16xf32> has 16"),
	un("reshape", f32v, i32v, nil, "same element type"),
	{op: "select", s: sample{operands: each(Tile(I1), f32v, f32v), results: ts(f32v)}, want: "val_if_true: expected the shape of cond"},
	{op: "select", s: sample{operands: each(i1v, Tile(F4E2M1FN, 4), Tile(F4E2M1FN, 4)), results: ts(Tile(F4E2M1FN, 4))}, want: "no selection among elements of f4E2M1FN"},
	bin("offset", ptrs, Tile(I32, 8), ptrs, nil, "expected the same shape everywhere"),
	bin("offset", f32v, i32v, f32v, nil, "operand ptr: expected a tile of pointers, but found tile<4xf32>"),
	un("pack", tileV, Tile(I8, 128), nil, "rank of source"),
	un("pack", Tile(I8, 4), Tile(I8, 4), nil, "expected elements of different widths"),
	un("pack", f32v, Tile(I8, 8), nil, "tile<4xf32> has 128 bits and tile<8xi8> has 64"),
	un("unpack", Tile(I8, 8), f32v, nil, "expected equal numbers of whole bytes"),
	{op: "get_global", s: sample{attrs: named{"name": String("nope")}, results: ts(PointerTile(F32))}, want: `there is no global "nope"`},
	assumeWrong(f32v, DivBy{Divisor: 16}, "div_by needs a tile of integers or pointers, or a tensor view"),
	assumeWrong(i32v, DivBy{Divisor: 6}, "divisor 6 is not a power of two up to 2^62"),
	assumeWrong(i32v, DivBy{Divisor: 1 << 63}, "is not a power of two up to 2^62"),
	assumeWrong(i32v, DivBy{Divisor: 2, Every: i64p(1)}, "every and along belong together"),
	assumeWrong(i32v, DivBy{Divisor: 2, Every: i64p(1), Along: i64p(1)}, "along 1 is not in 0..0"),
	assumeWrong(i32v, DivBy{Divisor: 2, Every: i64p(5), Along: i64p(0)}, "every 5 is not in 0..4"),
	assumeWrong(tensor, DivBy{Divisor: 2, Every: i64p(1), Along: i64p(0)}, "every needs a tile with dimensions"),
	assumeWrong(f32v, Bounded{}, "bounded needs a tile of integers, but found tile<4xf32>"),
	assumeWrong(Tile(I8), Bounded{Lower: i64p(-129)}, "bound -129 does not fit a signed i8"),
	assumeWrong(i32s, Bounded{Lower: i64p(2), Upper: i64p(1)}, "the lower bound 2 is above the upper bound 1"),
	assumeWrong(i32v, SameElements{1, 1}, "same_elements with 2 runs does not fit tile<4xi32>"),
	assumeWrong(i32v, SameElements{5}, "a run of 5 in dimension 0"),
	un("assume", i32v, i32s, named{"predicate": Bounded{}}, "result: expected the type of value"),
	printWrong("%d", "has 1 conversions, but there are 0 values"),
	printWrong("%q", "has no known letter"),
	printWrong("100%", "has no known letter"),
}

func assumeWrong(t Type, p Attr, want string) wrong {
	return un("assume", t, t, named{"predicate": p}, want)
}

func printWrong(format, want string) wrong {
	return wrong{op: "print_tko", s: sample{attrs: named{"str": String(format)}, results: ts(Token)}, want: want}
}

func TestVerifyRefuses(t *testing.T) {
	seen := map[string]bool{}
	for _, list := range [][]wrong{wrongMath, wrongCore, wrongMemory, wrongTypes, wrongVersions} {
		for _, w := range list {
			seen[w.op] = true
			t.Run(w.op+"/"+w.want, func(t *testing.T) {
				m := kernel(func(b *builder) { b.add(w.op, w.s) })
				v := Newest
				if w.version != 0 {
					v = w.version
				}
				refused(t, m, v, w.want, w.lenient)
			})
		}
	}
	for _, w := range wrongStructure {
		t.Run(w.want, func(t *testing.T) { refused(t, w.build(), Newest, w.want, w.lenient) })
	}
	if len(seen) < 40 {
		t.Errorf("only %d operations are refused somewhere", len(seen))
	}
}

// refused checks that Verify refuses a module with a text, and that tileirdisasm refuses its bytes unless it is known
// to be lenient. A module that cannot be written needs no second opinion.
func refused(t *testing.T, m *Module, v Version, want string, lenient bool) {
	t.Helper()
	err := m.Verify(v)
	if err == nil {
		t.Fatalf("Verify accepts:\n%v", text.Sprint(m))
	}
	if !strings.Contains(err.Error(), want) {
		t.Errorf("Verify says\n%v\nbut expected\n%s", err, want)
	}
	data, err := bytecode.Write(m, v, bytecode.Options{})
	if err != nil {
		return
	}
	tool := testenv.ToolIfAny(t, "tileirdisasm")
	if tool == "" {
		return
	}
	if out, err := disassemble(t, tool, data); (err == nil) != lenient {
		t.Errorf("tileirdisasm accepts: %v, expected %v: %s", err == nil, lenient, out)
	}
}

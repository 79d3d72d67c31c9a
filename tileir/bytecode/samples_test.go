package bytecode_test

import (
	. "github.com/cutile-go/cutile/tileir"
)

// sample is one way to use an operation: types of operands by group, attributes, types of results.
type sample struct {
	operands [][]Type
	attrs    named
	results  []Type
	regions  func() []*Block
	since    Version
}

func ts(types ...Type) []Type { return types }

// each puts every type in a group of its own.
func each(types ...Type) [][]Type {
	var out [][]Type
	for _, t := range types {
		out = append(out, []Type{t})
	}
	return out
}

func i64p(x int64) *int64 { return &x }

var (
	f32v   = Tile(F32, 4)
	i32v   = Tile(I32, 4)
	i1v    = Tile(I1, 4)
	i32s   = Tile(I32)
	ptrs   = PointerTile(F32, 4)
	weak   = named{"memory_ordering_semantics": MemoryWeak}
	tensor = &TensorViewType{Elem: F32, Shape: []int64{Dynamic, 64}, Strides: []int64{Dynamic, 1}}
	part   = &PartitionViewType{Tile: []int{4, 8}, Tensor: tensor, DimMap: []int{0, 1}, Padding: NoPadding}
	padded = &PartitionViewType{Tile: []int{4, 8}, Tensor: tensor, DimMap: []int{1, 0}, Padding: PadNaN}
	stride = &StridedViewType{Tile: []int{4, 8}, Traversal: []int{2, 8}, Tensor: tensor, DimMap: []int{1, 0}, Padding: PadNegInf}
	plainS = &StridedViewType{Tile: []int{4, 8}, Traversal: []int{2, 8}, Tensor: tensor, DimMap: []int{0, 1}, Padding: NoPadding}
	gather = &GatherScatterViewType{Tile: []int{4, 8}, Tensor: tensor, SparseDim: 0, Padding: PadZero}
	tileV  = Tile(F32, 4, 8)
)

// elementwise is a sample of an operation whose n operands and result have one type.
func elementwise(t Type, n int, attrs named) sample {
	s := sample{attrs: attrs, results: ts(t)}
	for range n {
		s.operands = append(s.operands, ts(t))
	}
	return s
}

var ieee = []Int{RoundingNearestEven, RoundingZero, RoundingNegativeInf, RoundingPositiveInf}

// rounded makes a sample for each rounding mode, and one with flush_to_zero.
func rounded(n int, modes ...Int) []sample {
	var out []sample
	for _, m := range modes {
		out = append(out, elementwise(f32v, n, named{"rounding_mode": m}))
	}
	flush := named{"rounding_mode": modes[0], "flush_to_zero": Bool(true)}
	return append(out, elementwise(f32v, n, flush), elementwise(Tile(BF16, 2, 2), n, named{"rounding_mode": modes[0]}))
}

func flushed(n int) []sample {
	return []sample{elementwise(f32v, n, nil), elementwise(Tile(F64), n, nil),
		elementwise(f32v, n, named{"flush_to_zero": Bool(true)})}
}

func minMaxSamples() []sample {
	return append(flushed(2), elementwise(f32v, 2, named{"propagate_nan": Bool(true)}),
		elementwise(f32v, 2, named{"propagate_nan": Bool(true), "flush_to_zero": Bool(true)}))
}

func floats(n int) []sample {
	return []sample{elementwise(f32v, n, nil), elementwise(Tile(F16, 2, 4), n, nil), elementwise(Tile(F64), n, nil)}
}

func ints(n int, attrs ...named) []sample {
	if attrs == nil {
		attrs = []named{nil}
	}
	var out []sample
	for _, a := range attrs {
		for _, e := range []Elem{I1, I8, I16, I32, I64} {
			out = append(out, elementwise(Tile(e, 4), n, a))
		}
	}
	return out
}

func wraps(n int, attr string, since Version, values ...Int) []sample {
	out := ints(n, nil)
	for _, v := range values {
		s := elementwise(i32v, n, named{attr: v})
		s.since = since
		out = append(out, s)
	}
	return out
}

func signs(n int) []sample {
	return ints(n, named{"signedness": Signed}, named{"signedness": Unsigned})
}

func shaped(from, to Type) sample { return sample{operands: each(from), results: ts(to)} }

func compares(name string, t Type, second string) []sample {
	var out []sample
	for p := CompareEqual; p <= CompareGreaterThanOrEqual; p++ {
		for s := Int(0); s < 2; s++ {
			out = append(out, sample{operands: each(t, t), results: ts(i1v), attrs: named{"comparison_predicate": p, second: s}})
		}
	}
	return out
}

func mma(in, acc Elem, attrs named, since Version) []sample {
	return []sample{
		{operands: each(Tile(in, 4, 8), Tile(in, 8, 16), Tile(acc, 4, 16)), results: ts(Tile(acc, 4, 16)), attrs: attrs, since: since},
		{operands: each(Tile(in, 2, 4, 8), Tile(in, 2, 8, 16), Tile(acc, 2, 4, 16)), results: ts(Tile(acc, 2, 4, 16)), attrs: attrs, since: since},
	}
}

func scaled(in, scale Elem, block int) sample {
	s := Tile(scale, 4, 64/block)
	return sample{operands: each(Tile(in, 4, 64), Tile(in, 64, 8), Tile(F32, 4, 8), s, Tile(scale, 64/block, 8)),
		results: ts(Tile(F32, 4, 8))}
}

func join(lists ...[]sample) []sample {
	var out []sample
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// samples has the samples of each operation that has no regions and ends nothing.
var samples = map[string][]sample{
	"absf": floats(1), "ceil": floats(1), "cos": floats(1), "cosh": floats(1), "floor": floats(1), "log": floats(1),
	"log2": floats(1), "negf": floats(1), "sin": floats(1), "sinh": floats(1), "tan": floats(1), "remf": floats(2),
	"fpowf": floats(2), "atan2": floats(2), "exp2": flushed(1), "rsqrt": flushed(1),
	"maxf": minMaxSamples(), "minf": minMaxSamples(),
	"addf": rounded(2, ieee...), "subf": rounded(2, ieee...), "mulf": rounded(2, ieee...), "fma": rounded(3, ieee...),
	"divf": rounded(2, append(ieee, RoundingApprox, RoundingFull)...), "sqrt": rounded(1, append(ieee, RoundingApprox)...),
	"exp": join(floats(1), []sample{{operands: each(f32v), results: ts(f32v), attrs: named{"rounding_mode": RoundingApprox}, since: V13_3}}),
	"tanh": join(floats(1), []sample{{operands: each(f32v), results: ts(f32v), attrs: named{"rounding_mode": RoundingApprox}, since: V13_2},
		{operands: each(f32v), results: ts(f32v), attrs: named{"rounding_mode": RoundingFull}}}),
	"fpowi": {{operands: each(f32v, i32v), results: ts(f32v)}, {operands: each(Tile(F16, 2), Tile(I1, 2)), results: ts(Tile(F16, 2))}},

	"absi": ints(1), "andi": ints(2), "ori": ints(2), "xori": ints(2), "mulhii": ints(2),
	"addi": wraps(2, "overflow", 0, OverflowNone, OverflowNoSignedWrap, OverflowNoUnsignedWrap, OverflowNoWrap),
	"subi": wraps(2, "overflow", 0, OverflowNoSignedWrap), "muli": wraps(2, "overflow", 0, OverflowNoUnsignedWrap),
	"shli": wraps(2, "overflow", 0, OverflowNoWrap),
	"negi": wraps(1, "overflow", V13_2, OverflowNoSignedWrap, OverflowNoWrap),
	"maxi": signs(2), "mini": signs(2), "remi": signs(2), "shri": signs(2),
	"divi": join(signs(2), []sample{elementwise(i32v, 2, named{"signedness": Signed, "rounding": RoundingNegativeInf}),
		elementwise(i32v, 2, named{"signedness": Unsigned, "rounding": RoundingPositiveInf}),
		elementwise(i32v, 2, named{"signedness": Unsigned, "rounding": RoundingZero})}),
	"cmpf": compares("cmpf", f32v, "comparison_ordering"), "cmpi": compares("cmpi", i32v, "signedness"),
	"mmaf": join(mma(F16, F32, nil, 0), mma(F16, F16, nil, 0), mma(BF16, F32, nil, 0), mma(TF32, F32, nil, 0), mma(F64, F64, nil, 0),
		mma(F8E5M2, F16, nil, 0), mma(F8E4M3FN, F32, named{"fast_acc": Bool(true)}, V13_3)),
	"mmai": join(mma(I8, I32, named{"signedness_lhs": Signed, "signedness_rhs": Unsigned}, 0)),
	"mmaf_scaled": {scaled(F8E4M3FN, F8E8M0FNU, 32), scaled(F8E5M2, F8E8M0FNU, 32), scaled(F4E2M1FN, F8E4M3FN, 16),
		scaled(F4E2M1FN, F8E8M0FNU, 16), scaled(F4E2M1FN, F8E8M0FNU, 32), scaled(F4E2M1FN, FNV8E5M3FNU, 16), scaled(F4E2M1FN, FNV8E5M3FNU, 32)},

	"bitcast": {shaped(f32v, i32v), shaped(Tile(F8E5M2), Tile(I8))}, "broadcast": {shaped(Tile(F32, 1, 4), Tile(F32, 8, 4))},
	"int_to_ptr": {shaped(Tile(I64, 4), ptrs)}, "ptr_to_int": {shaped(ptrs, Tile(I64, 4))},
	"ptr_to_ptr": {shaped(ptrs, PointerTile(I8, 4))}, "reshape": {shaped(tileV, Tile(F32, 32)), shaped(ptrs, PointerTile(F32, 2, 2))},
	"pack":   {shaped(Tile(I32, 4), Tile(I8, 16)), {operands: each(Tile(F4E2M1FN, 4)), results: ts(Tile(I8, 2))}},
	"unpack": {shaped(Tile(I8, 16), Tile(F16, 8)), shaped(Tile(I8, 2), Tile(I4, 4))},
	"exti": {{operands: each(Tile(I8, 4)), results: ts(i32v), attrs: named{"signedness": Signed}},
		{operands: each(Tile(I4, 4)), results: ts(i32v), attrs: named{"signedness": Unsigned}, since: V13_3}},
	"trunci": {shaped(Tile(I64, 4), i32v), {operands: each(i32v), results: ts(i1v), attrs: named{"overflow": OverflowNoWrap}}},
	"ftof": {shaped(f32v, Tile(F16, 4)), shaped(Tile(F8E4M3FN, 4), f32v),
		{operands: each(f32v), results: ts(Tile(TF32, 4)), attrs: named{"rounding_mode": RoundingNearestAway}},
		{operands: each(f32v), results: ts(Tile(F8E8M0FNU, 4)), attrs: named{"rounding_mode": RoundingPositiveInf}, since: V13_2},
		{operands: each(f32v), results: ts(Tile(FNV8E5M3FNU, 4)), since: V13_4}},
	"ftoi": {{operands: each(f32v), results: ts(i32v), attrs: named{"signedness": Signed, "rounding_mode": RoundingNearestIntToZero}},
		{operands: each(f32v), results: ts(i32v), since: V13_4,
			attrs: named{"signedness": Unsigned, "rounding_mode": RoundingNearestIntToZero, "saturating": Bool(true)}}},
	"itof": {{operands: each(i32v), results: ts(f32v), attrs: named{"signedness": Signed, "rounding_mode": RoundingNearestEven}}},

	"cat":     {{operands: each(tileV, tileV), results: ts(Tile(F32, 8, 8)), attrs: named{"dim": Int(0)}}},
	"extract": {{operands: [][]Type{{tileV}, {i32s, i32s}}, results: ts(Tile(F32, 2, 8))}},
	"insert":  {{operands: [][]Type{{Tile(F32, 2, 8)}, {tileV}, {i32s, i32s}}, results: ts(tileV)}},
	"permute": {{operands: each(tileV), results: ts(Tile(F32, 8, 4)), attrs: named{"permutation": Ints{1, 0}}}},
	"select":  {{operands: each(i1v, f32v, f32v), results: ts(f32v)}, {operands: each(i1v, ptrs, ptrs), results: ts(ptrs)}},
	"offset":  {{operands: each(ptrs, i32v), results: ts(ptrs)}},
	"iota":    {{results: ts(i32v)}, {results: ts(Tile(I8, 256))}}, "make_token": {{results: ts(Token)}},
	"get_tile_block_id":   {{results: ts(i32s, i32s, i32s)}},
	"get_num_tile_blocks": {{results: ts(i32s, i32s, i32s)}},
	"assert":              {{operands: each(i1v), attrs: named{"message": String("x \"y\" \\ \n é")}}},
	"alloca": {{results: ts(PointerTile(F32)), attrs: named{"num_elem": Int(16), "alignment": Int(4)}},
		{results: ts(PointerTile(I1)), attrs: named{"num_elem": Int(1 << 40), "alignment": Int(128), "global": Bool(true)}}},
	"make_partition_view": {shaped(tensor, part), shaped(tensor, padded)}, "make_strided_view": {shaped(tensor, stride)},
	"make_gather_scatter_view": {shaped(tensor, gather)},
	"make_tensor_view": {{operands: [][]Type{{PointerTile(F32)}, {i32s}, {i32s}}, results: ts(tensor)},
		{operands: [][]Type{{PointerTile(F32)}, {}, {Tile(I64)}},
			results: ts(&TensorViewType{Elem: F32, Shape: []int64{8, 8}, Strides: []int64{Dynamic, 1}})},
		{operands: [][]Type{{PointerTile(I8)}}, results: ts(&TensorViewType{Elem: I8})},
		{operands: [][]Type{{PointerTile(I8)}}, results: ts(&TensorViewType{Elem: I8, Shape: []int64{8}, Strides: []int64{1}})}},
	"get_index_space_shape": {shaped2(part, i32s, i32s), shaped2(part, Tile(I64), Tile(I64))},
	"get_tensor_shape":      {shaped2(tensor, i32s, i32s)},
	"join_tokens":           {{operands: [][]Type{{Token, Token, Token}}, results: ts(Token)}},
	"print_tko": {{operands: [][]Type{{f32v, i32s}}, attrs: named{"str": String("%f 100%% %5d\n")}, results: ts(Token)},
		{attrs: named{"str": String("")}, results: ts(Token)},
		{operands: [][]Type{{i32s}, {Token}}, attrs: named{"str": String("%d")}, results: ts(Token), since: V13_2},
		{operands: [][]Type{{}, {Token}}, attrs: named{"str": String("x")}, results: ts(Token), since: V13_2}},
	"gdc_wait_tko":              {{operands: each(Token), results: ts(Token)}, {results: ts(Token)}},
	"gdc_launch_dependents_tko": {{operands: each(Token), results: ts(Token)}, {results: ts(Token)}},
	"memory_fence_alias_tko":    {{operands: each(Token), results: ts(Token)}},
}

func shaped2(from Type, to ...Type) sample { return sample{operands: each(from), results: to} }

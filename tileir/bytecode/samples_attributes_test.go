package bytecode_test

import (
	"math"

	. "github.com/cutile-go/cutile/tileir"
)

// attrPtrs and attrTensor carry the pointer attribute, which says nothing.
var (
	attrPtrs   = &TileType{Elem: F32, Pointer: true, PtrAttr: true, Shape: []int{4}}
	attrTensor = &TensorViewType{Elem: F32, Shape: []int64{8}, Strides: []int64{1}, PtrAttr: true}
)

// carriesAttr reports whether a sample has a type that the builder's methods cannot ask for.
func (s sample) carriesAttr() bool { return len(s.results) > 0 && s.results[0] == Type(attrPtrs) }

func init() {
	samples["constant"] = constantSamples()
	samples["assume"] = assumeSamples()
	samples["ptr_to_ptr"] = append(samples["ptr_to_ptr"], sample{operands: each(ptrs), results: ts(attrPtrs), since: V13_4},
		sample{operands: each(attrPtrs), results: ts(ptrs), since: V13_4})
	samples["make_tensor_view"] = append(samples["make_tensor_view"],
		sample{operands: each(&TileType{Elem: F32, Pointer: true, PtrAttr: true}), results: ts(attrTensor), since: V13_4},
		sample{operands: [][]Type{{&TileType{Elem: F32, Pointer: true, PtrAttr: true}}, {i32s}, {i32s}}, since: V13_4,
			results: ts(&TensorViewType{Elem: F32, Shape: []int64{Dynamic}, Strides: []int64{Dynamic}, PtrAttr: true})})
	relaxed := named{"memory_ordering_semantics": MemoryRelaxed, "memory_scope": ScopeDevice}
	hints := Hints{{Arch: "sm_90", Hints: []Hint{{Name: "latency", Value: HintValue{Elem: I32, Int: 4}}}}, {Arch: "default"}}
	viewHints := Hints{{Arch: "default", Hints: []Hint{{Name: "latency", Value: HintValue{Elem: I32, Int: 4}},
		{Name: "allow_tma", Value: HintValue{Bool: false}}}}}
	masked := [][]Type{{ptrs}, {i1v}, {f32v}, {Token}}
	samples["load_ptr_tko"] = []sample{
		{operands: each(ptrs), results: ts(f32v, Token), attrs: weak},
		{operands: masked, results: ts(f32v, Token), attrs: relaxed},
		{operands: [][]Type{{ptrs}, {}, {f32v}}, results: ts(f32v, Token), attrs: weak},
		{operands: [][]Type{{ptrs}, {}, {}, {Token}}, results: ts(f32v, Token), attrs: weak.with("optimization_hints", hints)},
	}
	samples["store_ptr_tko"] = []sample{
		{operands: each(ptrs, f32v), results: ts(Token), attrs: weak},
		{operands: each(ptrs, f32v, i1v, Token), results: ts(Token), attrs: named{"memory_ordering_semantics": MemoryRelease, "memory_scope": ScopeSystem}},
		{operands: [][]Type{{ptrs}, {f32v}, {}, {Token}}, results: ts(Token), attrs: weak.with("optimization_hints", hints)},
	}
	samples["load_view_tko"] = []sample{
		{operands: [][]Type{{part}, {i32s, i32s}}, results: ts(tileV, Token), attrs: weak},
		{operands: [][]Type{{padded}, {i32s, i32s}, {Token}}, results: ts(tileV, Token), attrs: relaxed.with("optimization_hints", viewHints)},
		{operands: [][]Type{{stride}, {Tile(I64), Tile(I64)}}, results: ts(tileV, Token), attrs: weak, since: V13_3},
		{operands: [][]Type{{gather}, {i32v, i32s}, {Token}}, results: ts(tileV, Token), attrs: weak, since: V13_3},
		{operands: [][]Type{{part}, {i32s, i32s}}, results: ts(tileV, Token), attrs: weak.with("inbounds", Bools{true, false}), since: V13_4},
		{operands: [][]Type{{part}, {i32s, i32s}}, results: ts(tileV, Token), attrs: weak.with("inbounds", Bools{false, false})},
	}
	samples["store_view_tko"] = []sample{
		{operands: [][]Type{{tileV}, {part}, {i32s, i32s}}, results: ts(Token), attrs: weak},
		{operands: [][]Type{{tileV}, {part}, {i32s, i32s}, {Token}}, results: ts(Token), attrs: named{
			"memory_ordering_semantics": MemoryRelease, "memory_scope": ScopeTileBlock, "optimization_hints": viewHints}},
		{operands: [][]Type{{tileV}, {gather}, {i32v, i32s}, {Token}}, results: ts(Token), attrs: weak, since: V13_3},
		{operands: [][]Type{{tileV}, {part}, {i32s, i32s}}, results: ts(Token), attrs: weak.with("inbounds", Bools{true, true}), since: V13_4},
	}
	samples["atomic_cas_tko"] = []sample{
		{operands: each(ptrs, f32v, f32v), results: ts(f32v, Token), attrs: relaxed},
		{operands: each(ptrs, f32v, f32v, i1v, Token), results: ts(f32v, Token), attrs: named{"memory_ordering_semantics": MemoryAcqRel, "memory_scope": ScopeSystem}},
	}
	for mode := AtomicAnd; mode <= AtomicXchg; mode++ {
		v := i32v
		if mode == AtomicAddF {
			v = Tile(F16, 4)
		}
		attrs := relaxed.with("mode", mode)
		samples["atomic_rmw_tko"] = append(samples["atomic_rmw_tko"],
			sample{operands: each(PointerTile(v.Elem, 4), v), results: ts(v, Token), attrs: attrs},
			sample{operands: each(PointerTile(v.Elem, 4), v, i1v, Token), results: ts(v, Token), attrs: attrs})
		if mode != AtomicXchg {
			samples["atomic_red_view_tko"] = append(samples["atomic_red_view_tko"], redView(v.Elem, attrs)...)
		}
	}
}

func redView(e Elem, attrs named) []sample {
	tensor := &TensorViewType{Elem: e, Shape: []int64{Dynamic}, Strides: []int64{1}}
	part := &PartitionViewType{Tile: []int{4}, Tensor: tensor, DimMap: []int{0}, Padding: NoPadding}
	stride := &StridedViewType{Tile: []int{4}, Traversal: []int{8}, Tensor: tensor, DimMap: []int{0}, Padding: NoPadding}
	return []sample{{operands: [][]Type{{part}, {i32s}, {Tile(e, 4)}}, results: ts(Token), attrs: attrs},
		{operands: [][]Type{{stride}, {i32s}, {Tile(e, 4)}, {Token}}, results: ts(Token), attrs: attrs}}
}

// with copies attributes and adds one.
func (n named) with(name string, a Attr) named {
	out := named{name: a}
	for k, v := range n {
		out[k] = v
	}
	return out
}

func constantOf(t *TileType, data ...byte) sample {
	return sample{attrs: named{"value": &Constant{Type: t, Data: data}}, results: ts(t)}
}

// constantSamples has every bit pattern of the small types, values that are hard to print of the others, and tiles of
// several elements.
func constantSamples() []sample {
	var out []sample
	for _, e := range []Elem{I8, F8E4M3FN, F8E5M2, F8E8M0FNU, F4E2M1FN, FNV8E5M3FNU} {
		n := 256
		if e == F4E2M1FN {
			n = 16
		}
		for b := range n {
			if e == FNV8E5M3FNU && b >= 128 && b < 255 {
				continue // tileirdisasm 13.4.92 crashes while it prints these
			}
			s := constantOf(Tile(e, 2), byte(b))
			s.since = e.Since()
			out = append(out, s)
		}
	}
	bits := func(e Elem, x uint64) {
		n := (e.Bits() + 7) / 8
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(x >> (8 * i))
		}
		out = append(out, constantOf(Tile(e), data...))
	}
	for i := range 1 << 11 {
		x := uint64(i) * 0x9E3779B97F4A7C15
		bits(F16, x>>48)
		bits(BF16, x>>48)
		bits(TF32, x>>45)
		if i < 512 {
			bits(F32, x>>32)
			bits(F64, x)
			bits(I64, x)
		}
	}
	for _, f := range []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 0.7, 0.9, 1e10, 123456, 1234567, 16777216, 1e30, 9.765625e-4,
		3.14159265358979, 65504, 1e-45, 1e-40, math.Inf(1), math.Inf(-1), math.NaN(), 1 << 62, 1 << 63, 1 << 64, 999999.5, 0.00765, 131072.5} {
		bits(F32, uint64(math.Float32bits(float32(f))))
		bits(F64, math.Float64bits(f))
	}
	out = append(out, constantOf(Tile(I1, 4), 0xff), constantOf(Tile(I1, 4), 0), constantOf(Tile(I1, 4), 5), constantOf(Tile(I1), 1),
		constantOf(Tile(I1, 16), 0xff), constantOf(Tile(I1, 16), 0xff, 0x0f), constantOf(Tile(I1, 16), 0xfe), constantOf(Tile(I1, 64), 1), constantOf(Tile(I1, 2, 2), 6),
		constantOf(Tile(I8, 2, 2), 1, 2, 3, 4), constantOf(Tile(I8, 2, 2), 7, 7, 7, 7), constantOf(Tile(I8, 2, 1, 2), 1, 2, 3, 4),
		constantOf(Tile(F16, 2), 0, 0x3c, 0, 0xbc), constantOf(Tile(TF32, 2), 1, 2, 3, 4, 5, 6))
	long, packed := make([]byte, 128), make([]byte, 16)
	for i := range long {
		long[i] = byte(i * 7)
		packed[i%16] = byte(i)
	}
	return append(out, constantOf(Tile(I8, 128), long...), constantOf(Tile(I8, 64), long[:64]...), constantOf(Tile(F16, 64), long...),
		constantOf(Tile(I1, 128), packed...), constantOf(Tile(F32, 32), long...))
}

func assumeSamples() []sample {
	on := func(t Type, p Attr) sample {
		return sample{operands: each(t), results: ts(t), attrs: named{"predicate": p}}
	}
	return []sample{
		on(i32s, DivBy{Divisor: 16}), on(ptrs, DivBy{Divisor: 1 << 62}), on(tensor, DivBy{Divisor: 4}),
		on(Tile(I32, 4, 8), DivBy{Divisor: 2, Every: i64p(4), Along: i64p(1)}),
		on(i32v, Bounded{Lower: i64p(-5)}), on(i32v, Bounded{Upper: i64p(7)}), on(i32v, Bounded{}),
		on(Tile(I64), Bounded{Lower: i64p(math.MinInt64), Upper: i64p(math.MaxInt64)}),
		on(Tile(I32, 4, 8), SameElements{1, 8}), on(i32s, SameElements{}),
	}
}

package bytecode_test

import . "github.com/cutile-go/cutile/tileir"

func mem(name string, operands [][]Type, results []Type, attrs named, want string) wrong {
	return wrong{op: name, s: sample{operands: operands, results: results, attrs: attrs}, want: want}
}

// wrongMemory are faults of accesses, views and tokens.
var wrongMemory = []wrong{
	mem("load_ptr_tko", each(ptrs), ts(Tile(F32, 8), Token), weak, "result: expected the shape of source"),
	mem("load_ptr_tko", each(ptrs), ts(f16v, Token), weak, "result: expected elements of f32, which source point to"),
	mem("load_ptr_tko", each(ptrs, Tile(I1)), ts(f32v, Token), weak, "operand mask: expected the shape of"),
	mem("load_ptr_tko", each(ptrs, i1v, f16v), ts(f32v, Token), weak, "operand paddingValue: expected the type of the result"),
	mem("load_ptr_tko", each(ptrs), ts(f32v, Token), weak.with("memory_scope", ScopeDevice), "a weak access has no scope"),
	mem("load_ptr_tko", each(ptrs), ts(f32v, Token), named{"memory_ordering_semantics": MemoryRelaxed}, "memory_scope is missing"),
	mem("load_ptr_tko", each(ptrs), ts(f32v, Token), named{"memory_ordering_semantics": MemoryRelease, "memory_scope": ScopeDevice},
		"memory_ordering_semantics: expected weak, relaxed or acquire, but found release"),
	mem("store_ptr_tko", each(ptrs, f32v), ts(Token), named{"memory_ordering_semantics": MemoryAcquire, "memory_scope": ScopeDevice}, "expected weak, relaxed or release"),
	mem("store_ptr_tko", each(ptrs, f16v), ts(Token), weak, "operand value: expected elements of f32, which destination point to"),
	mem("store_ptr_tko", each(ptrs, f32v, Tile(I1, 8)), ts(Token), weak, "operand mask"),
	mem("atomic_cas_tko", each(PointerTile(F16, 4), f16v, f16v), ts(f16v, Token), relaxed, "operand val: expected elements of i32, i64, f32 or f64"),
	mem("atomic_cas_tko", each(ptrs, f32v, f32v), ts(f32v, Token), named{"memory_ordering_semantics": MemoryWeak, "memory_scope": ScopeDevice}, "expected relaxed, acquire, release or acq_rel, but found weak"),
	mem("atomic_cas_tko", each(ptrs, f32v, i32v), ts(f32v, Token), relaxed, "val: expected the type of cmp"),
	mem("atomic_rmw_tko", each(ptrs, f32v), ts(f32v, Token), relaxed.with("mode", AtomicAdd), "add needs elements of i32 or i64, but found tile<4xf32>"),
	mem("atomic_rmw_tko", each(PointerTile(I32, 4), i32v), ts(i32v, Token), relaxed.with("mode", AtomicAddF), "addf needs elements of f16, bf16, f32 or f64"),
	mem("atomic_rmw_tko", each(PointerTile(I32, 4), i32v, Tile(I1, 8)), ts(i32v, Token), relaxed.with("mode", AtomicMax), "operand mask"),
	mem("atomic_red_view_tko", [][]Type{{part}, {i32s, i32s}, {tileV}}, ts(Token), relaxed.with("mode", AtomicXchg), "attribute mode: expected and, or"),
	mem("atomic_red_view_tko", [][]Type{{padded}, {i32s, i32s}, {tileV}}, ts(Token), relaxed.with("mode", AtomicAddF), "expected a view without padding"),
	mem("atomic_red_view_tko", [][]Type{{gather}, {i32s, i32s}, {tileV}}, ts(Token), relaxed.with("mode", AtomicAddF), "expected a partition or strided view"),
	mem("atomic_red_view_tko", [][]Type{{part}, {i32s}, {tileV}}, ts(Token), relaxed.with("mode", AtomicAddF), "operand index: expected 2 values"),
	mem("atomic_red_view_tko", [][]Type{{part}, {i32s, i32s}, {f32v}}, ts(Token), relaxed.with("mode", AtomicAddF), "operand value: expected the tile of the view"),
	mem("atomic_red_view_tko", [][]Type{{part}, {i32s, i32s}, {tileV}}, ts(Token), named{"memory_ordering_semantics": MemoryRelaxed,
		"memory_scope": ScopeSystem, "mode": AtomicAddF}, "attribute memory_scope: expected tl_blk or device, but found sys"),
	mem("alloca", nil, ts(PointerTile(F32)), named{"num_elem": Int(1), "alignment": Int(2)}, "expected a power of two of 4 or more, but found 2"),
	mem("alloca", nil, ts(PointerTile(F32)), named{"num_elem": Int(1), "alignment": Int(12)}, "expected a power of two"),
	mem("alloca", nil, ts(PointerTile(F32)), named{"num_elem": Int(-1), "alignment": Int(4)}, "num_elem: -1 is negative"),
	mem("join_tokens", [][]Type{{Token}}, ts(Token), nil, "expected two or more, but found 1"),
	mem("make_tensor_view", [][]Type{{PointerTile(F16)}, {i32s}, {i32s}}, ts(tensor), nil, "operand base: expected a pointer to f32"),
	mem("make_tensor_view", [][]Type{{PointerTile(F32)}, {}, {i32s}}, ts(tensor), nil, "has 1 dynamic extents, but found 0 values"),
	mem("make_tensor_view", [][]Type{{PointerTile(F32)}, {i32s}, {}}, ts(tensor), nil, "has 1 dynamic strides, but found 0 values"),
	mem("make_tensor_view", [][]Type{{PointerTile(F32)}, {i32s}, {Tile(I64)}}, ts(tensor), nil, "expected extents and strides of one type"),
	mem("make_partition_view", each(&TensorViewType{Elem: F32, Shape: []int64{4, 64}, Strides: []int64{64, 1}}), ts(part), nil, "operand tensor_view: expected tensor_view<?x64xf32"),
	mem("get_tensor_shape", each(tensor), ts(i32s), nil, "expected 2 results, one a dimension, but found 1"),
	mem("get_index_space_shape", each(part), ts(i32s, i32s, i32s), nil, "expected 2 results"),
	mem("load_view_tko", [][]Type{{part}, {i32s}}, ts(tileV, Token), weak, "operand index: expected 2 values, one a dimension, but found 1"),
	mem("load_view_tko", [][]Type{{part}, {i32s, Tile(I64)}}, ts(tileV, Token), weak, "expected scalars of one integer type"),
	mem("load_view_tko", [][]Type{{part}, {i32s, i32s}}, ts(f32v, Token), weak, "tile: expected the tile of the view, tile<4x8xf32>, but found tile<4xf32>"),
	mem("load_view_tko", [][]Type{{gather}, {i32s, i32s}}, ts(tileV, Token), weak, "expected 4 indices along the sparse dimension 0"),
	mem("load_view_tko", [][]Type{{part}, {i32s, i32s}}, ts(tileV, Token), weak.with("inbounds", Bools{true}), "attribute inbounds: expected 2 truth values, but found 1"),
	mem("store_view_tko", [][]Type{{tileV}, {part}, {i32s, i32s}}, ts(Token), named{"memory_ordering_semantics": MemoryAcquire, "memory_scope": ScopeDevice}, "expected weak, relaxed or release"),
	mem("store_view_tko", [][]Type{{f32v}, {part}, {i32s, i32s}}, ts(Token), weak, "tile: expected the tile of the view"),
}

func hint(name string, v HintValue) Hints {
	return Hints{{Arch: "default", Hints: []Hint{{Name: name, Value: v}}}}
}

func typeWrong(t Type, want string) wrong {
	return wrong{op: "absi", s: sample{operands: each(i32v), results: ts(t)}, want: want}
}

func viewWrong(t Type, want string) wrong {
	return wrong{op: "assume", s: sample{operands: each(t), results: ts(t), attrs: named{"predicate": Bounded{}}}, want: want}
}

// wrongTypes are types that cannot be.
var wrongTypes = []wrong{
	mem("load_view_tko", [][]Type{{farGather}, {i32s, i32s}}, ts(tileV, Token), weak, "sparse dimension 64 is not below the rank 2"),
	typeWrong(Tile(I32, 3), "tile<3xi32>: extent 3 is not a power of two"),
	typeWrong(Tile(I32, 0), "extent 0 is not a power of two"),
	typeWrong(Tile(I32, 1<<13, 1<<12), "has more than 16777216 elements"),
	{op: "unpack", s: sample{operands: each(Tile(I8, 2)), results: ts(Tile(F4E2M1FN, 1))}, want: "needs an even extent"},
	viewWrong(&TensorViewType{Elem: I4, Shape: []int64{4}, Strides: []int64{1}}, "there are no tensors of i4"),
	viewWrong(&TensorViewType{Elem: F32, Shape: []int64{4}, Strides: []int64{}}, "has 1 extents but 0 strides"),
	viewWrong(&TensorViewType{Elem: F32, Shape: []int64{-4}, Strides: []int64{1}}, "-4 is not a positive extent or stride"),
	viewWrong(&PartitionViewType{Tile: []int{4}, Tensor: tensor, DimMap: []int{0, 1}, Padding: NoPadding}, "the tile's rank 1 is not the tensor's rank 2"),
	viewWrong(&PartitionViewType{Tile: []int{4, 3}, Tensor: tensor, DimMap: []int{0, 1}, Padding: NoPadding}, "extent 3 is not a power of two"),
	viewWrong(&PartitionViewType{Tile: []int{4, 4}, Tensor: tensor, DimMap: []int{0, 0}, Padding: NoPadding}, "is not a permutation of 0..1"),
	viewWrong(&PartitionViewType{Tile: []int{1}, Tensor: tensorOf(F4E2M1FN), DimMap: []int{0}, Padding: NoPadding}, "needs an even extent, since two elements share a byte"),
	viewWrong(&GatherScatterViewType{Tile: []int{1}, Tensor: tensorOf(F4E2M1FN), Padding: NoPadding}, "needs an even extent"),
	viewWrong(&PartitionViewType{Tile: []int{4}, Tensor: ints1D, DimMap: []int{0}, Padding: PadNaN}, "padding nan needs a float element"),
	viewWrong(&StridedViewType{Tile: []int{4, 4}, Traversal: []int{1, 0}, Tensor: tensor, DimMap: []int{0, 1}, Padding: NoPadding}, "needs a positive traversal stride"),
	viewWrong(&GatherScatterViewType{Tile: []int{4, 4}, Tensor: tensor, SparseDim: 2, Padding: NoPadding}, "sparse dimension 2 is not below the rank 2"),
}

// farGather has a sparse dimension that the tensor lacks. Only its first use is reported; later ones must not trip.
var farGather = &GatherScatterViewType{Tile: []int{4, 8}, Tensor: tensor, SparseDim: 64, Padding: NoPadding}

var ints1D = tensorOf(I32)

// tensorOf is a tensor of one dimension.
func tensorOf(e Elem) *TensorViewType {
	return &TensorViewType{Elem: e, Shape: []int64{Dynamic}, Strides: []int64{1}}
}

func since(v Version, w wrong) wrong {
	w.version = v
	return w
}

// wrongVersions use what the target version lacks.
var wrongVersions = []wrong{
	since(V13_1, bin("atan2", f32v, f32v, f32v, nil, "the operation needs version 13.2, but the target is 13.1")),
	since(V13_2, un("pack", i32v, Tile(I8, 16), nil, "the operation needs version 13.3")),
	since(V13_3, bin("fpowi", f32v, i32v, f32v, nil, "the operation needs version 13.4")),
	since(V13_1, un("ftof", f32v, Tile(F8E8M0FNU, 4), named{"rounding_mode": RoundingZero}, "f8E8M0FNU> needs version 13.2")),
	since(V13_3, un("ftof", f32v, Tile(FNV8E5M3FNU, 4), nil, "needs version 13.4")),
	since(V13_2, un("trunci", i32v, Tile(I4, 4), nil, "tile<4xi4> needs version 13.3")),
	since(V13_1, un("tanh", f32v, f32v, named{"rounding_mode": RoundingApprox}, "attribute rounding_mode needs version 13.2")),
	since(V13_2, un("exp", f32v, f32v, named{"rounding_mode": RoundingApprox}, "attribute rounding_mode needs version 13.3")),
	since(V13_1, un("negi", i32v, i32v, named{"overflow": OverflowNoWrap}, "attribute overflow needs version 13.2")),
	since(V13_2, wrong{op: "mmaf", s: mma(F8E4M3FN, F32, named{"fast_acc": Bool(true)}, 0)[0], want: "attribute fast_acc needs version 13.3"}),
	since(V13_3, un("ftoi", f32v, i32v, named{"signedness": Signed, "rounding_mode": RoundingNearestIntToZero, "saturating": Bool(true)}, "attribute saturating needs version 13.4")),
	since(V13_3, mem("load_view_tko", [][]Type{{part}, {i32s, i32s}}, ts(tileV, Token), weak.with("inbounds", Bools{true, true}), "attribute inbounds needs version 13.4")),
	since(V13_1, mem("print_tko", [][]Type{{}, {Token}}, ts(Token), named{"str": String("")}, "operand token needs version 13.2")),
	since(V13_2, un("make_strided_view", tensor, stride, nil, "the operation needs version 13.3")),
	since(V13_2, un("make_gather_scatter_view", tensor, gather, nil, "the operation needs version 13.3")),
}

package main

import "github.com/cutile-go/cutile/tileir"

// difference is a feature that was added in a version. The function uses it in a kernel, or in its module.
type difference struct {
	version tileir.Version
	what    string
	use     func(k *kernel)
	absent  string // error of Verify for the previous version
}

// kernel is a kernel that uses features.
type kernel struct {
	*tileir.Builder
	m     *tileir.Module
	entry *tileir.Entry // set when the body is complete

	x, n, ptr, token, view, index *tileir.Value
}

// of returns a constant tile of ones.
func (k *kernel) of(e tileir.Elem, shape ...int) *tileir.Value {
	if e == tileir.I4 {
		return k.TruncI(k.of(tileir.I8, shape...), e)
	}
	return k.Constant(tileir.IntConstant(tileir.Tile(e, shape...), 1))
}

var (
	tensor = &tileir.TensorViewType{Elem: tileir.F32, Shape: []int64{tileir.Dynamic}, Strides: []int64{1}}
	part   = &tileir.PartitionViewType{Tile: []int{4}, Tensor: tensor, DimMap: []int{0}, Padding: tileir.NoPadding}
)

// differences lists the features of each version that the previous version does not have.
var differences = []difference{
	{tileir.V13_2, "atan2", func(k *kernel) { k.Atan2(k.x, k.x) }, "the operation needs version 13.2"},
	{tileir.V13_2, "elements of f8e8m0fnu", func(k *kernel) { k.of(tileir.F8E8M0FNU, 4) }, "tile<4xf8E8M0FNU> needs version 13.2"},
	{tileir.V13_2, "unsigned loops", func(k *kernel) {
		k.For(k.n, k.n, k.n, nil, func(*tileir.Value, []*tileir.Value) {}, tileir.WithUnsigned())
	}, "attribute unsignedCmp needs version 13.2"},
	{tileir.V13_2, "overflow of negi", func(k *kernel) { k.NegI(k.n, tileir.WithOverflow(tileir.OverflowNoSignedWrap)) },
		"attribute overflow needs version 13.2"},
	{tileir.V13_2, "a token that print_tko waits for", func(k *kernel) { k.PrintTko("", nil, tileir.WithToken(k.token)) },
		"operand token needs version 13.2"},
	{tileir.V13_2, "a token that print_tko gives", func(k *kernel) { k.JoinTokens(k.token, k.PrintTko("", nil)) },
		"is the result of print_tko, which needs version 13.2"},
	{tileir.V13_2, "rounding of tanh", func(k *kernel) { k.TanH(k.x, tileir.WithRounding(tileir.RoundingApprox)) },
		"attribute rounding_mode needs version 13.2"},

	{tileir.V13_3, "pack", func(k *kernel) { k.Pack(k.x, tileir.Tile(tileir.I8, 16)) }, "the operation needs version 13.3"},
	{tileir.V13_3, "unpack", func(k *kernel) { k.Unpack(k.of(tileir.I8, 16), tileir.Tile(tileir.F32, 4)) }, "the operation needs version 13.3"},
	{tileir.V13_3, "alloca", func(k *kernel) { k.Alloca(16, 16, tileir.F32) }, "the operation needs version 13.3"},
	{tileir.V13_3, "mmaf_scaled", func(k *kernel) {
		k.MmaFScaled(k.of(tileir.F8E5M2, 4, 32), k.of(tileir.F8E5M2, 32, 8), k.of(tileir.F32, 4, 8),
			k.of(tileir.F8E8M0FNU, 4, 1), k.of(tileir.F8E8M0FNU, 1, 8))
	}, "the operation needs version 13.3"},
	{tileir.V13_3, "make_gather_scatter_view", func(k *kernel) {
		k.MakeGatherScatterView(k.MakeTensorView(k.ptr, []*tileir.Value{k.n}, nil, tensor),
			&tileir.GatherScatterViewType{Tile: []int{4}, Tensor: tensor, Padding: tileir.PadZero})
	}, "the operation needs version 13.3"},
	{tileir.V13_3, "make_strided_view", func(k *kernel) {
		k.MakeStridedView(k.MakeTensorView(k.ptr, []*tileir.Value{k.n}, nil, tensor),
			&tileir.StridedViewType{Tile: []int{4}, Traversal: []int{2}, Tensor: tensor, DimMap: []int{0}, Padding: tileir.PadNaN})
	}, "the operation needs version 13.3"},
	{tileir.V13_3, "atomic_red_view_tko", func(k *kernel) {
		k.AtomicRedViewTko(k.view, []*tileir.Value{k.index}, k.x, tileir.MemoryRelaxed, tileir.ScopeDevice, tileir.AtomicAddF)
	}, "the operation needs version 13.3"},
	{tileir.V13_3, "elements of f4e2m1fn", func(k *kernel) { k.of(tileir.F4E2M1FN, 4) }, "tile<4xf4E2M1FN> needs version 13.3"},
	{tileir.V13_3, "elements of i4", func(k *kernel) { k.of(tileir.I4, 4) }, "tile<4xi4> needs version 13.3"},
	{tileir.V13_3, "rounding of exp", func(k *kernel) { k.Exp(k.x, tileir.WithRounding(tileir.RoundingApprox)) },
		"attribute rounding_mode needs version 13.3"},
	{tileir.V13_3, "fast_acc of mmaf", func(k *kernel) {
		k.MmaF(k.of(tileir.F8E5M2, 4, 32), k.of(tileir.F8E5M2, 32, 8), k.of(tileir.F32, 4, 8), tileir.WithFastAcc())
	}, "attribute fast_acc needs version 13.3"},
	{tileir.V13_3, "private globals", func(k *kernel) { k.global("p").Private = true }, "global p is private or constant, which needs version 13.3"},
	{tileir.V13_3, "constant globals", func(k *kernel) { k.global("c").Constant = true }, "global c is private or constant, which needs version 13.3"},
	{tileir.V13_3, "the hint num_worker_warps_per_cta", func(k *kernel) {
		k.entry.Hints = tileir.Hints{{Arch: "default", Hints: []tileir.Hint{{Name: "num_worker_warps_per_cta",
			Value: tileir.HintValue{Elem: tileir.I32, Int: 4}}}}}
	}, "hint num_worker_warps_per_cta: needs version 13.3"},
	{tileir.V13_3, "a producer", func(k *kernel) { k.m.Producer = "cuTile for Go" }, ""}, // older files leave it out

	{tileir.V13_4, "insert", func(k *kernel) { k.Insert(k.of(tileir.F32, 2), k.x, k.index) }, "the operation needs version 13.4"},
	{tileir.V13_4, "gdc_wait_tko", func(k *kernel) { k.GdcWaitTko(tileir.WithToken(k.token)) }, "the operation needs version 13.4"},
	{tileir.V13_4, "gdc_launch_dependents_tko", func(k *kernel) { k.GdcLaunchDependentsTko() }, "the operation needs version 13.4"},
	{tileir.V13_4, "fpowi", func(k *kernel) { k.FPowI(k.x, k.of(tileir.I32, 4)) }, "the operation needs version 13.4"},
	{tileir.V13_4, "memory_fence_alias_tko", func(k *kernel) { k.MemoryFenceAliasTko(k.token) }, "the operation needs version 13.4"},
	{tileir.V13_4, "elements of fnv8e5m3fnu", func(k *kernel) { k.of(tileir.FNV8E5M3FNU, 4) }, "tile<4xfnv8E5M3FNU> needs version 13.4"},
	{tileir.V13_4, "pointer attributes", func(k *kernel) {
		k.Reshape(k.param(tileir.ScalarType{Elem: tileir.F32, Pointer: true, PtrAttr: true}), 1)
	},
		"pointer attributes need version 13.4"},
	{tileir.V13_4, "saturating ftoi", func(k *kernel) {
		k.FToI(k.x, tileir.Signed, tileir.RoundingNearestIntToZero, tileir.I32, tileir.WithSaturation())
	}, "attribute saturating needs version 13.4"},
	{tileir.V13_4, "inbounds of loads", func(k *kernel) {
		k.LoadViewTko(k.view, []*tileir.Value{k.index}, tileir.MemoryWeak, tileir.WithInBounds(true))
	}, "attribute inbounds needs version 13.4"},
	{tileir.V13_4, "inbounds of stores", func(k *kernel) {
		k.StoreViewTko(k.x, k.view, []*tileir.Value{k.index}, tileir.MemoryWeak, tileir.WithInBounds(true))
	}, "attribute inbounds needs version 13.4"},
}

func (k *kernel) global(name string) *tileir.Global {
	return k.Global(name, tileir.IntConstant(i32v, 1))
}

var i32v = tileir.Tile(tileir.I32, 1)

// param adds a parameter to the kernel.
func (k *kernel) param(t tileir.ScalarType) *tileir.Value {
	v := &tileir.Value{Type: &tileir.TileType{Elem: t.Elem, Pointer: t.Pointer, PtrAttr: t.PtrAttr}}
	k.entry.Params = append(k.entry.Params, v)
	return v
}

// common uses features that all versions have but encode differently: view padding, the flags of for, mmaf, print_tko,
// ftoi, pointers and views, rounding of exp and tanh, overflow of negi, inbounds, the fields of globals, pow.
func common(k *kernel) {
	k.For(k.n, k.n, k.n, nil, func(*tileir.Value, []*tileir.Value) {})
	k.NegI(k.n)
	k.PrintTko("x = %f\n", []*tileir.Value{k.x})
	k.TanH(k.x)
	k.Exp(k.x)
	k.FPowF(k.x, k.x)
	k.MmaF(k.of(tileir.F16, 4, 32), k.of(tileir.F16, 32, 8), k.of(tileir.F32, 4, 8))
	k.FToI(k.x, tileir.Signed, tileir.RoundingNearestIntToZero, tileir.I32)
	padded := *part
	padded.Padding = tileir.PadNaN
	v := k.MakePartitionView(k.MakeTensorView(k.ptr, []*tileir.Value{k.n}, nil, tensor), &padded)
	t, token := k.LoadViewTko(v, []*tileir.Value{k.index}, tileir.MemoryWeak)
	k.StoreViewTko(t, k.view, []*tileir.Value{k.index}, tileir.MemoryWeak, tileir.WithToken(token))
	k.GetGlobal("g", tileir.I32)
	k.global("g")
}

// versioned builds a module of one kernel that uses the given features and those of all versions.
func versioned(uses ...func(*kernel)) *tileir.Builder {
	b := tileir.NewBuilder()
	k := &kernel{Builder: b, m: b.Module, entry: &tileir.Entry{}}
	e := b.Entry("k", []tileir.Type{tileir.PointerTile(tileir.F32), i32}, func(p []*tileir.Value) {
		k.ptr, k.n = p[0], p[1]
		k.x, k.index, k.token = k.of(tileir.F32, 4), k.of(tileir.I32), k.MakeToken()
		k.view = b.MakePartitionView(b.MakeTensorView(k.ptr, []*tileir.Value{k.n}, nil, tensor), part)
		common(k)
		for _, use := range uses {
			use(k)
		}
	})
	e.Params, e.Hints = append(e.Params, k.entry.Params...), k.entry.Hints
	return b
}

package paritytest_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tile/op"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// own is a tile type of this package, whose methods are operations.
//
//cutile:type tile(shape: [A], elem: f32)
type own[A tile.Dim] float64

// own2 is one of rank 2.
//
//cutile:type tile(shape: [A, B], elem: f32)
type own2[A, B tile.Dim] float64

//cutile:op reshape(x)
func (x own[A]) As2() own2[A, tile.D1] { panic("runs through cutile.Launch") }

// reshape has another method name than the operation, and one for each rank.
//
//cutile:op reshape(x)
func (x own2[A, B]) Flat() own[A] { panic("runs through cutile.Launch") }

//cutile:op subf(y, x) {rounding_mode: r}
func (x own[A]) from(y own[A], r op.Rounding) own[A] { panic("runs through cutile.Launch") }

//cutile:op negf(x)
func (x own2[A, B]) Flip() own2[A, B] { panic("runs through cutile.Launch") }

//cutile:intrinsic size
func (own[T]) notATile() int { panic("runs through cutile.Launch") }

func declaredMethods[A tile.Dim](x, y tile.In[vec[A]], z tile.Out[vec[A]]) {
	a, b := op.Retype[own[A]](x.Load(z.Index(0))), op.Retype[own[A]](y.Load(z.Index(0)))
	z.Store(op.Retype[vec[A]](a.from(b, op.Zero).As2().Flip().Flat()))
}

// TestMethodsAreOperations: a directive may stand above a method, whose receiver is its first operand and whose name is free.
func TestMethodsAreOperations(t *testing.T) {
	m := module(t, declaredMethods[d4], nil)
	sub, neg := only(t, m, "subf"), only(t, m, "negf")
	loads := named(m, "load_view_tko")
	if sub.Operands[0] != loads[1].Results[0] || sub.Operands[1] != loads[0].Results[0] || tileir.Int(sub.Int("rounding_mode")) != tileir.RoundingZero {
		t.Errorf("%v", sub)
	}
	if neg.Results[0].Type.String() != "tile<4x1xf32>" {
		t.Errorf("%v", neg)
	}
	if n := len(named(m, "reshape")); n != 2 {
		t.Errorf("%d reshapes, want 2", n)
	}
	got := ran(t, declaredMethods[d4], 5, []float32{1, 2, 3, 4, 5}, []float32{10, 20, 30, 40, 50})
	if want := []float32{-9, -18, -27, -36, -45}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// ran runs a kernel on the CPU with tensors of one axis, the last of n elements, and gives that.
func ran(t *testing.T, kernel any, n int, in ...[]float32) []float32 {
	t.Helper()
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	var args []any
	for _, data := range in {
		x, err := cutile.FromSlice(dev, data)
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, x)
	}
	z, err := cutile.NewTensor[float32](dev, n)
	if err != nil {
		t.Fatal(err)
	}
	if err := cutile.Launch(t.Context(), dev, kernel, append(args, z)...); err != nil {
		t.Fatal(err)
	}
	got, err := z.Slice()
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// parts asks for all that travels with a tensor of its own constructor.
func parts[A, B tile.Dim](x rawIn[mat[A, B]], z tile.Out[tile.I32T1[tile.D1]]) {
	n := op.TensorOf(x.v)
	strides, extents := op.StridesOf(n), op.ExtentsOf(n)
	again := op.MakePartitionView(op.MakeTensorView(op.BaseOf(n), extents, strides), op.PadZero, []int{0, 1}, extents, op.Stored(x.v))
	v, _ := op.LoadView(again, []int{0, 0}, op.Weak, op.NoScope, op.Hints{}, op.Stored(again))
	z.Store(tile.I32T1[tile.D1](int(strides[0])) + tile.Reshape[tile.I32T1[tile.D1]](tile.I32T2[tile.D1, tile.D1](v.Sum0().Sum1())))
}

func strides[A, B tile.Dim](x tile.In[mat[A, B]], y tile.InOut[mat[A, B]], z tile.Out[mat[A, B]]) {
	y.Store(x.Load(0, 0)*mat[A, B](x.Stride(0)-y.Stride(0)+z.Stride(0)), 0, 0)
	z.Store(mat[A, B](x.Stride(1) * y.Stride(1) * z.Stride(1)))
}

// TestPartsOfTensors: a tensor's pointer, extents and strides are asked for without an operation, and are the parameters
// themselves.
func TestPartsOfTensors(t *testing.T) {
	all := func(f *compile.Facts) { f.Args[0] = compile.ArgFacts{} }
	m := module(t, parts[d4, d8], all)
	views := named(m, "make_tensor_view") // one for each tensor: those of equal parts are merged
	if len(views) != 2 || !slices.Equal(views[0].Operands, m.Entries[0].Params[:5]) {
		t.Fatalf("the second view is not made of the parts of the first, in\n%v", text.Sprint(m))
	}
	if from := only(t, m, "addi").Operands[0].Def; from.Info.Mnemonic != "reshape" || from.Operands[0] != m.Entries[0].Params[3] {
		t.Errorf("the stride is not the parameter: %v", from)
	}
	if n := len(named(m, "get_tensor_shape")) + len(named(m, "get_index_space_shape")); n != 0 {
		t.Errorf("%d operations ask for what is known", n)
	}
	if n := len(named(m, "make_token")); n != 1 {
		t.Errorf("%d tokens in\n%v", n, text.Sprint(m))
	}
	m = module(t, strides[d4, d8], nil)
	var terms []*tileir.Value
	for _, name := range []string{"subi", "addi"} {
		terms = append(terms, only(t, m, name).Operands...)
	}
	want := []int{3, 8, 13} // after pointer and extents comes the first stride; a unit stride is a number
	for _, v := range terms {
		for v.Def != nil && (v.Def.Info.Mnemonic == "assume" || v.Def.Info.Mnemonic == "exti") {
			v = v.Def.Operands[0]
		}
		if i := slices.Index(m.Entries[0].Params, v); i >= 0 {
			want = slices.DeleteFunc(want, func(n int) bool { return n == i })
		}
	}
	if len(want) > 0 {
		t.Errorf("strides %v are no terms, in\n%v", want, text.Sprint(m))
	}
	if v, ok := named(m, "store_view_tko")[1].Operand("tile").Def.Attr("value").(*tileir.Constant); !ok || v.Type.String() != "tile<4x8xf32>" {
		t.Errorf("unit strides are no number, in\n%v", text.Sprint(m))
	}
}

// shapes makes tiles whose types follow from values of shapes: nothing is ascribed.
func shapes[A, B tile.Dim](x tile.In[vec[A]], y tile.In[mat[A, B]], z tile.Out[mat[A, B]]) {
	column := tile.ReshapeTo(x.Load(0), tile.Shape[mat[A, tile.D1]]{})
	like := tile.ShapeOf(y.Load(0, 0))
	z.Store(tile.BroadcastTo(column, like) + tile.FullTo(3, like)*mat[A, B](tile.F32(like.Extents()[1])))
}

// shapesOfRanks has tiles of truth values at the greater ranks: they have few methods, which the Go compiler takes its time
// for.
type shapesOfRanks[A tile.Dim] struct {
	r0 tile.Shape[tile.F32]
	r1 tile.Shape[tile.F32T1[A]]
	r2 tile.Shape[tile.F32T2[A, A]]
	r3 tile.Shape[tile.F32T3[A, A, A]]
	r4 tile.Shape[tile.BoolTile4[A, A, A, A]]
	r5 tile.Shape[tile.BoolTile5[A, A, A, A, A]]
	r6 tile.Shape[tile.BoolTile6[A, A, A, A, A, A]]
}

// allShapes takes a struct of shapes as a parameter: a launch gives nothing for it.
func allShapes[A tile.Dim](s shapesOfRanks[A], z tile.Out[vec[tile.D1]]) {
	n := len(s.r0.Extents()) + len(s.r1.Extents())*10 + len(s.r2.Extents())*100 + len(s.r3.Extents())*1000
	n += len(s.r4.Extents())*10_000 + len(s.r5.Extents())*100_000 + len(s.r6.Extents())*1_000_000
	cube := tile.ReshapeTo(tile.FullTo(0.5, s.r3), tile.Shape[vec[tile.D8]]{})
	z.Store(vec[tile.D1](tile.F32(n) + tile.ReshapeTo(cube.Sum0(), s.r0)))
}

// TestShapesAreValues: a shape of any rank is a constant; functions that are given one give tiles of it.
func TestShapesAreValues(t *testing.T) {
	m := module(t, shapes[d4, d8], nil)
	has(t, m, ": tile<4xf32> -> tile<4x1xf32>", 1)
	has(t, m, ": tile<4x1xf32> -> tile<4x8xf32>", 1)
	has(t, m, "<f32: 3.000000e+00> : tile<4x8xf32>", 1)
	has(t, m, "<f32: 8.000000e+00> : tile<4x8xf32>", 1)
	refused(t, wrongShape[d4, d8], "Reshape from [4] to [4 8] changes the number of elements")
	if got := ran(t, allShapes[d2], 1); got[0] != 6_543_210+4 {
		t.Errorf("got %v", got)
	}
}

func wrongShape[A, B tile.Dim](x tile.In[vec[A]], z tile.Out[mat[A, B]]) {
	z.Store(tile.ReshapeTo(x.Load(0), tile.Shape[mat[A, B]]{}))
}

// edge reads its own tile, part of which lies outside.
func edge[A tile.Dim](x tile.In[vec[A]], z tile.Out[vec[A]]) {
	z.Store(x.Load(z.Index(0)))
	z.Store(z.Load() + vec[A](z.Load().Sum0()))
}

// TestOutPads: what an Out reads outside the tensor is zero, by its view's type; a store waits for no padding.
func TestOutPads(t *testing.T) {
	m := module(t, edge[d4], nil)
	for _, o := range named(m, "load_view_tko") {
		has := strings.Contains(o.Operand("view").Type.String(), "padding_value = zero")
		if !has {
			t.Errorf("a load without padding: %v", o)
		}
	}
	stores, loads := named(m, "store_view_tko"), named(m, "load_view_tko")
	if len(stores) != 2 || len(loads) != 3 || loads[1].Operand("token") != stores[0].Results[0] {
		t.Errorf("the second load does not wait for the first store, in\n%v", text.Sprint(m))
	}
	if got, want := ran(t, edge[d4], 6, []float32{1, 2, 3, 4, 5, 6}), []float32{11, 12, 13, 14, 16, 17}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

package paritytest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tile/op"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

type (
	d1  = tile.D1
	d2  = tile.D2
	d4  = tile.D4
	d8  = tile.D8
	d16 = tile.D16
	d64 = tile.D64
)

// TestTileTypesOfEveryRank: each family of tiles has a type for each rank, which a view can hold.
func TestTileTypesOfEveryRank(t *testing.T) {
	for want, fn := range map[string]any{
		"tile<2xf32>": anyRank[tile.F32T1[d2]], "tile<2x4xf32>": anyRank[tile.F32T2[d2, d4]],
		"tile<2x4x8xf32>": anyRank[tile.F32T3[d2, d4, d8]], "tile<2x4x8x16xf32>": anyRank[tile.F32T4[d2, d4, d8, d16]],
		"tile<2xi16>": anyRank[tile.I16T1[d2]], "tile<2x4xi16>": anyRank[tile.I16T2[d2, d4]],
		"tile<2x4x8xi16>": anyRank[tile.I16T3[d2, d4, d8]], "tile<1x1x4x4xi16>": anyRank[tile.I16T4[d1, d1, d4, d4]],
		"tile<2xi8>": anyRank[tile.U8T1[d2]], "tile<2x4xi8>": anyRank[tile.U8T2[d2, d4]],
		"tile<2x4x8xi8>": anyRank[tile.U8T3[d2, d4, d8]], "tile<1x1x4x4xi8>": anyRank[tile.U8T4[d1, d1, d4, d4]],
	} {
		m := module(t, fn, nil)
		if got := only(t, m, "load_view_tko").Results[0].Type.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if n := len(only(t, m, "store_view_tko").Group(2)); n != strings.Count(want, "x") {
			t.Errorf("%s is stored with %d indices", want, n)
		}
	}
}

// TestExtentsAreConstants: each dimension of each rank is a number of its own, also in a function that is inlined.
func TestExtentsAreConstants(t *testing.T) {
	for want, fn := range map[uint64]any{2040816: extents[d2, d4, d8, d16], 2041608: extents[d2, d4, d16, d8]} {
		m := module(t, fn, nil)
		stored := only(t, m, "store_view_tko").Operand("tile").Def
		c, ok := stored.Attr("value").(*tileir.Constant)
		if !ok {
			t.Fatalf("the extents are no constant in\n%v", text.Sprint(m))
		}
		if got, _ := c.Splat(); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
}

// TestRanksInNames uses types of several ranks in a struct's fields, in its literal, in a declaration and in conversions.
func TestRanksInNames(t *testing.T) {
	m := module(t, ranksInNames[d4, d8], nil)
	has(t, m, "reshape %cst_3_f32 : tile<4xf32> -> tile<4x1xf32>", 1)
	has(t, m, "-> tile<4x8xf32>", 2)
}

// TestGenericBodiesAtEveryRank: the body of one generic function is compiled for each rank that it is called with.
func TestGenericBodiesAtEveryRank(t *testing.T) {
	m := module(t, everyRank[d2, d4, d8, d16], nil)
	for _, want := range []string{"tile<f32>", "tile<2xf32>", "tile<2x4xf32>", "tile<2x4x8xf32>", "tile<2x4x8x16xf32>"} {
		n := 0
		for _, o := range named(m, "mulf") {
			if o.Results[0].Type.String() == want {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%d multiplications of %s, want one, in\n%v", n, want, text.Sprint(m))
		}
	}
}

// TestOneNameForEveryRank: a declared operation serves ranks 0 to 4 under one name.
func TestOneNameForEveryRank(t *testing.T) {
	m := module(t, addEveryRank[d2, d4, d8, d16], nil)
	var got []string
	for _, o := range named(m, "addf") {
		got = append(got, o.Results[0].Type.String())
	}
	want := []string{"tile<f32>", "tile<2xf32>", "tile<2x4xf32>", "tile<2x4x8xf32>", "tile<2x4x8x16xf32>"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestUserConstraintWithMethods: a user's constraint may ask for a method that each rank has with a result of its own, and
// a user's function may spread a number over tiles of every rank.
func TestUserConstraintWithMethods(t *testing.T) {
	m := module(t, userTrait[d4, d8], nil)
	var got []string
	for _, o := range named(m, "reduce") {
		got = append(got, o.Operands[0].Type.String()+" to "+o.Results[0].Type.String())
	}
	if want := []string{"tile<4x8xf32> to tile<8xf32>", "tile<4xf32> to tile<f32>"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	got = nil
	for _, o := range named(module(t, summedAt[d2, d4, d8, d16], nil), "reduce") {
		got = append(got, o.Operands[0].Type.String()+" to "+o.Results[0].Type.String())
	}
	if want := []string{"tile<2xf32> to tile<f32>", "tile<2x4xf32> to tile<4xf32>", "tile<2x4x8xf32> to tile<4x8xf32>",
		"tile<2x4x8x16xf32> to tile<4x8x16xf32>"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	m = module(t, broadcastScalar[d4, d8], nil)
	has(t, m, "broadcast %reshape : tile<1xf32> -> tile<4xf32>", 1)
	has(t, m, ": tile<1x1xf32> -> tile<4x8xf32>", 1)
}

// TestMarksAreStatic: rounding and flushing are attributes that are known when the kernel is compiled; their Go types
// differ from all others, so that the Go compiler refuses one in another's place.
func TestMarksAreStatic(t *testing.T) {
	m := module(t, marks[d16], nil)
	has(t, m, " rounding<zero> flush_to_zero : tile<16xf32>", 1)
	has(t, m, " rounding<positive_inf> : tile<16xf32>", 1)
	if o := only(t, m, "mulf"); o.Int("flush_to_zero") != 0 {
		t.Errorf("flush_to_zero is given: %v", o)
	}
	if o := only(t, m, "sqrt"); tileir.Int(o.Int("rounding_mode")) != tileir.RoundingNearestEven || o.Int("flush_to_zero") != 1 {
		t.Errorf("got %v", o)
	}
	if o := only(t, m, "sqrt"); len(o.Operands) != 1 {
		t.Errorf("the marks are operands: %v", o)
	}
	refused(t, runtimeMark[d16], "op.Rounding cannot live on the device")
	if in := reflect.TypeOf(op.AddF[vec[d16]]).In(2); in != reflect.TypeFor[op.Rounding]() || in == reflect.TypeFor[op.Predicate]() {
		t.Errorf("a rounding mode is a %v", in)
	}
}

// TestResultTypes: the result is of the first argument's type, or follows from the arguments, or is named by the caller.
func TestResultTypes(t *testing.T) {
	m := module(t, keeps[d4, d8], nil)
	for _, name := range []string{"addf", "subf", "negf", "exp", "fma", "maxf"} {
		if o := only(t, m, name); o.Results[0].Type.String() != "tile<4x8xf32>" {
			t.Errorf("%v", o)
		}
	}
	has(t, m, "cmpf less_than ordered", 1)
	m = module(t, follows[d4, d8, d16], nil)
	has(t, m, "tile<4x16xf16>, tile<16x8xf16>, tile<4x8xf32>", 1)
	has(t, m, "tile<4x8xf32> -> tile<4x8xi1>", 1)
	has(t, m, "permute", 1)
	has(t, m, "tile<8x4xf32> -> tile<8xf32>", 1)
	m = module(t, ascribed[d4, d8], nil)
	has(t, m, "permute %tile [1, 0, 2] : tile<4x8x4xf32> -> tile<8x4x4xf32>", 1)
	has(t, m, "bitcast %1 : tile<8x4x4xf32> -> tile<8x4x4xi32>", 1)
	has(t, m, "exti %2 signed : tile<8x4x4xi32> -> tile<8x4x4xi64>", 1)
}

// TestNestedShapes: tiles inside structs and arrays, and a mask that need not be given.
func TestNestedShapes(t *testing.T) {
	m := module(t, nested[d4], nil)
	has(t, m, "select %true, ", 1)
	has(t, m, "tile<4xi1>, tile<4xf32>", 2)
}

// TestViewsAreReferences: what a function stores through a view of its caller orders the caller's later loads.
func TestViewsAreReferences(t *testing.T) {
	m := module(t, viewsAreReferences[d4], nil)
	loads, stores := named(m, "load_view_tko"), named(m, "store_view_tko")
	if len(loads) != 3 || len(stores) != 3 {
		t.Fatalf("%d loads and %d stores in\n%v", len(loads), len(stores), text.Sprint(m))
	}
	for i := 1; i < 3; i++ {
		if loads[i].Operand("token") != stores[i-1].Results[0] {
			t.Errorf("load %d does not wait for the store before it in\n%v", i, text.Sprint(m))
		}
	}
}

// TestViewReturned: a function may give a view back.
func TestViewReturned(t *testing.T) {
	m := module(t, viewReturned[d4], nil)
	v := only(t, m, "load_view_tko").Operand("view")
	for v.Def != nil {
		v = v.Def.Operands[0]
	}
	if v != m.Entries[0].Params[3] {
		t.Errorf("the second tensor is not the one that is read in\n%v", text.Sprint(m))
	}
}

// TestRankZero: every elementwise function of package tile works on single elements.
func TestRankZero(t *testing.T) {
	m := module(t, rankZero, nil)
	for _, name := range []string{"exp2", "fma", "atan2", "mulhii"} {
		if o := only(t, m, name); o.Results[0].Type.(*tileir.TileType).Rank() != 0 {
			t.Errorf("%v", o)
		}
	}
	own, err := parser.ParseFile(token.NewFileSet(), "kernels_test.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	ast.Inspect(own.Scope.Lookup("rankZero").Decl.(*ast.FuncDecl), func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			used[s.Sel.Name] = true
		}
		return true
	})
	math, err := parser.ParseFile(token.NewFileSet(), "../../../tile/math.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, d := range math.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() {
			n++
			if !used[f.Name.Name] {
				t.Errorf("tile.%s is not tried", f.Name.Name)
			}
		}
	}
	if n < 25 {
		t.Errorf("only %d functions in tile/math.go", n)
	}
}

// TestMarkedAddOfMatrices is the example of an operation with its marks on matrices.
func TestMarkedAddOfMatrices(t *testing.T) {
	o := only(t, module(t, addMarked[d4, d8], nil), "addf")
	if o.Results[0].Type.String() != "tile<4x8xf32>" || tileir.Int(o.Int("rounding_mode")) != tileir.RoundingNearestEven || o.Int("flush_to_zero") != 0 {
		t.Errorf("%v", o)
	}
}

// TestMethodsOfUserTypes runs a kernel with a struct whose methods call one another and a generic function.
func TestMethodsOfUserTypes(t *testing.T) {
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	x, err := cutile.FromSlice(dev, []float32{1, 2, 3, 4, 5})
	if err != nil {
		t.Fatal(err)
	}
	z, err := cutile.NewTensor[float32](dev, 5)
	if err != nil {
		t.Fatal(err)
	}
	if err := cutile.Launch(t.Context(), dev, methods[d4], x, z); err != nil {
		t.Fatal(err)
	}
	got, err := z.Slice()
	if want := []float32{7, 11, 15, 19, 23}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// TestTypesChooseOperations: one generic body adds floats or integers by the types that its arguments turn out to have.
func TestTypesChooseOperations(t *testing.T) {
	m := module(t, inferred[d4], nil)
	only(t, m, "addf")
	only(t, m, "addi")
}

package compile_test

import (
	"context"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/tilec/compile"
	lib "github.com/cutile-go/cutile/internal/tilec/compile/testdata/lib.go"
	asame "github.com/cutile-go/cutile/internal/tilec/compile/testdata/twin/a/same"
	bsame "github.com/cutile-go/cutile/internal/tilec/compile/testdata/twin/b/same"
	"github.com/cutile-go/cutile/tile"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

// irText compiles a kernel and gives its Tile IR as text, by default with every fact; funcs are its function arguments.
func irText(t *testing.T, fn any, change func(*compile.Facts), funcs ...any) string {
	t.Helper()
	k, err := compile.Resolve(fn)
	if err != nil {
		t.Fatal(err)
	}
	f := facts(k)
	for i, p := range k.Params() {
		if p.Kind == compile.Func {
			if f.Args[i].Func, err = compile.ResolveFunc(funcs[0]); err != nil {
				t.Fatal(err)
			}
			funcs = funcs[1:]
		}
	}
	if change != nil {
		change(&f)
	}
	c, err := k.Compile(context.Background(), f)
	if err != nil {
		t.Fatalf("%s: %v", k.Name(), err)
	}
	return irtext.Sprint(c.Module)
}

func refuse(t *testing.T, fn any, want string) {
	t.Helper()
	_, err := compile.Resolve(fn)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v\nwant %q", err, want)
	}
}

// has asserts how often a text occurs; -1 stands for at least once.
func has(t *testing.T, ir, part string, n int) {
	t.Helper()
	if got := strings.Count(ir, part); got != n && (n >= 0 || got == 0) {
		t.Errorf("%q occurs %d times, want %d, in\n%s", part, got, n, ir)
	}
}

// Each test below is a trap that Go's types, reflection, the run-time's names or the language set.

func TestTrapIntIs64Bits(t *testing.T) {
	has(t, irText(t, wholeInt[tile.D16], nil), "muli %arg0, %arg0 : tile<i64>", 1)
}

func TestTrapIndicesAreNarrowed(t *testing.T) {
	ir := irText(t, gemm[tile.D64, tile.D64, tile.D64], nil)
	has(t, ir, "i64", 0)
}

func TestTrapFactsAreNeverAssumed(t *testing.T) {
	none := irText(t, gemm[tile.D64, tile.D64, tile.D64], func(f *compile.Facts) { clear(f.Args) })
	has(t, none, "div_by", 0)
	has(t, none, "strides=[?,?]", -1)
	has(t, irText(t, gemm[tile.D64, tile.D64, tile.D64], nil), "div_by<16>", -1)
	wide := irText(t, gemm[tile.D64, tile.D64, tile.D64], func(f *compile.Facts) { f.Wide = true })
	has(t, wide, "%arg1: tile<i64>", 1)
}

func TestTrapUnitStrideElsewhere(t *testing.T) {
	ir := irText(t, gemm[tile.D64, tile.D64, tile.D64], func(f *compile.Facts) { f.Args[1].Unit = 1 })
	has(t, ir, "dim_map=[1, 0]", -1)
}

func TestTrapDimensionOnlyInBody(t *testing.T) {
	refuse(t, unseen[tile.D16], "no parameter's type mentions type parameter B, so a launch cannot infer it: add a parameter of type tile.Size[B]")
}

func TestTrapKernelInGenericCode(t *testing.T) {
	has(t, irText(t, generic[tile.D16](), nil), "addf", 1)
	has(t, irText(t, generic[tile.D32](), nil), "tile<32xf32>", -1)
	refuse(t, genericPair[tile.D16](), ", and 2 functions with the same number of parameters are at traps_kernels_test.go:")
	has(t, irText(t, genericLiteral[tile.D16](), nil), "addf", 1) // a literal has source, and its type says the rest
}

func TestTrapMethods(t *testing.T) {
	refuse(t, holder{}.Method, "is a method value: a kernel must be a function")
	refuse(t, holder.Method, "is a method: a kernel must be a function")
}

func TestTrapLocalType(t *testing.T) {
	type local struct{ n int }
	refuse(t, overAny[local], "local is not declared at package level in the registered source")
}

func TestTrapRetypedValueIsTheSame(t *testing.T) {
	ir := irText(t, retyped[tile.F32T1[tile.D16]], nil)
	has(t, ir, "reshape", 0)
	has(t, ir, "broadcast", 0)
}

func TestTrapNotAFunction(t *testing.T) {
	refuse(t, 3, "a kernel must be a function, not a int")
	refuse(t, (func())(nil), "the kernel is a nil func()")
}

func TestTrapLiteralsAreFoundByLine(t *testing.T) {
	ir := irText(t, apply[tile.D16], nil, func(x tile.F32T1[tile.D16]) tile.F32T1[tile.D16] {
		return x*x + 7
	})
	has(t, ir, "7.000000e+00", 1)
	two := [2]func(x tile.F32) tile.F32{func(x tile.F32) tile.F32 { return x }, func(x tile.F32) tile.F32 { return -x }}
	refuse(t, two[0], ", and 2 functions with the same number of parameters are at traps_test.go")
}

func TestTrapInlinedLiteralOfAnotherPackage(t *testing.T) {
	has(t, irText(t, apply[tile.D16], nil, lib.Maker()), "3.000000e+00", 1)
}

func TestTrapPackagesWithOneName(t *testing.T) {
	has(t, irText(t, apply[tile.D16], nil, asame.Literal), "1.000000e+00", 1)
	has(t, irText(t, apply[tile.D16], nil, bsame.Literal), "2.000000e+00", 1)
}

func TestTrapDotInImportPath(t *testing.T) {
	has(t, irText(t, lib.Scale[tile.D16], nil), "addf", 2)
}

func TestTrapLibraryFunctionAsArgument(t *testing.T) {
	has(t, irText(t, apply[tile.D16], nil, tile.Tanh[tile.F32T1[tile.D16]]), "tanh", 1)
	has(t, irText(t, apply[tile.D16], nil, gelu[tile.F32T1[tile.D16]]), "tanh", 1)
}

func TestTrapHelperOfAnotherPackage(t *testing.T) {
	has(t, irText(t, crossPackage[tile.D16], nil), "addf", 2)
}

func TestTrapContinueKeepsCountedLoop(t *testing.T) {
	ir := irText(t, continued[tile.D16], nil)
	has(t, ir, "for %", 1)
	has(t, ir, "loop ", 0)
}

func TestTrapTrialPassesFoldTooMuch(t *testing.T) {
	has(t, irText(t, lateDivision[tile.D16], nil), "divi", 1)
}

func TestTrapRangeOverSliceIsUnrolled(t *testing.T) {
	ir := irText(t, unrolled[tile.D16], nil)
	has(t, ir, "addf", 3)
	has(t, ir, "mulf", 1)
	has(t, ir, "for %", 1)
}

func TestTrapPlainTrueIsAMask(t *testing.T) {
	has(t, irText(t, plainTrue[tile.D16], nil), "constant <i1: true> : tile<16xi1>", 1)
}

func TestTrapRightSideIsEvaluatedAsInGo(t *testing.T) {
	ir := irText(t, lazy[tile.D16], nil)
	has(t, ir, " if %", 5) // two statements, the load, the right side of ||, the division
	has(t, ir, "andi", 1)  // cheap: both sides are computed
}

func TestTrapMaskOfConstants(t *testing.T) {
	has(t, irText(t, plainMask[tile.D16], nil), "select", 2)
}

func TestTrapIdentitiesOfIntegersAreExact(t *testing.T) {
	ir := irText(t, identities[tile.D16], nil)
	has(t, ir, "identities=[9223372036854775807]", 1)
	has(t, ir, "identities=[-1]", 1)
}

func TestTrapMethodNamedAsTypeParameter(t *testing.T) {
	has(t, irText(t, method[tile.F32T2[tile.D16, tile.D32]], nil), "permute", 0)
}

func TestTrapNewMethodOfInstantiatedType(t *testing.T) {
	irText(t, softmax[tile.D16, tile.D64], nil)
	irText(t, arg[tile.D16, tile.D64], nil) // needs a method that the first one did not
	irText(t, softmax[tile.D32, tile.D64], nil)
}

func TestTrapNaN(t *testing.T) {
	ir := irText(t, notEqual[tile.D16], nil)
	has(t, ir, "cmpf not_equal unordered", 1)
	has(t, ir, "cmpf equal ordered", 1)
	has(t, ir, "cmpf less_than ordered", 1)
	has(t, ir, "propagate_nan", 1)
}

func TestTrapDivisionTruncates(t *testing.T) {
	ir := irText(t, truncates[tile.D16], nil)
	has(t, ir, " signed : tile<16xi32>", 2)
	has(t, ir, "divi", 2)
	has(t, ir, "unsigned", 1)
	has(t, ir, "rounding", 0)
}

func TestTrapPaddingIsStated(t *testing.T) {
	ir := irText(t, padded[tile.D16], nil)
	has(t, ir, "= make_partition_view", 4)
	for _, p := range []string{"zero", "neg_inf", "nan"} {
		has(t, ir, "padding_value = "+p, -1)
	}
}

func TestTrapLoadAfterStoreWaits(t *testing.T) {
	ir := irText(t, readBack[tile.D16], nil)
	lines := strings.Split(ir, "\n")
	chain := 0
	for i, l := range lines {
		if strings.Contains(l, "load_view_tko") && i > 0 && !strings.Contains(l, "token = %0") {
			chain++
		}
	}
	if chain != 2 {
		t.Errorf("%d loads wait for a store, want 2 in\n%s", chain, ir)
	}
	has(t, ir, "iter_values", 1)
}

func TestTrapRankFourOutSharesX(t *testing.T) {
	ir := irText(t, folded[tile.D1, tile.D1, tile.D16, tile.D16], nil)
	has(t, ir, "divi", 1)
	has(t, ir, "remi", 1)
}

func TestTrapHostCodeBesideKernels(t *testing.T) {
	_ = host
	has(t, irText(t, named[tile.D16], nil), "subf", 1)
}

func TestTrapEarlyReturn(t *testing.T) {
	ir := irText(t, earlyReturn[tile.D16], nil)
	has(t, ir, "return", 2)
	has(t, ir, "yield", -1)
}

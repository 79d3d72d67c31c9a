package cute_test

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/dtype"
)

// Binding of arguments, numbers 10 to 14; what is static and dynamic, 15 to 28; type safety, 29 to 32.
var _ = []struct{}{
	add(10, "arguments are bound to the signature", func(t *testing.T) {
		call := cute.Jit(sum)
		_, err := cute.Call(t.Context(), call, 1)
		wantError(t, err, "cute_test.sum: expects 2 arguments, but got 1: missing #2 (b)")
		_, err = cute.Call(t.Context(), call, 1, 2, 3)
		wantError(t, err, "cute_test.sum: expects 2 arguments, but got 3: its signature is cute_test.sum(a int, b int)")
		if !errors.Is(err, cutile.ErrMismatch) {
			t.Errorf("%v is no ErrMismatch", err)
		}
		if out := must(cute.Call(t.Context(), call, 1, 2))(t); !slices.Equal(out, []any{3, true}) {
			t.Errorf("got %v", out)
		}
	}),
	add(11, "options come out before binding, and compile-only implies no-cache", func(t *testing.T) {
		dev, _ := open(t)
		x := vector(t, dev, 4)
		var out bytes.Buffer
		before := cute.CompileStats()
		for range 2 {
			must(cute.Call(t.Context(), cute.Jit(runScale), cute.Options{NoRun: true, Output: &out}, x, 2))(t)
		}
		if got := since(before); got.Compiled != 2 || got.Hits+got.Loaded != 0 || strings.Count(out.String(), "compile-only implies no-cache") != 2 {
			t.Errorf("%+v, printed %q", got, out.String())
		}
		wantEach(t, x, func(i int) float32 { return float32(i) })
		e := must(cute.Compile(t.Context(), cute.Jit(runScale), x, 2, cute.Options{Attrs: "nvvm.key=7;other=x"}))(t)
		if !strings.Contains(e.Module().Text(), `gpu.module @kernels attributes {nvvm.key = "7", other = "x"} {`) {
			t.Error(e.Module().Text())
		}
	}),
	add(12, "static parameters leave the signature", func(t *testing.T) {
		e := must(cute.Compile(t.Context(), cute.Jit(foo), 1, 5, quiet))(t)
		_, err := e.Run(t.Context(), 1, 5)
		wantError(t, err, "expects 1 run-time argument (x), but got 2")
		if text := e.Module().Text(); !strings.Contains(text, "(%arg0: s32)") {
			t.Error(text)
		}
	}),
	add(13, "an executor lists what was pruned", func(t *testing.T) {
		dev, _ := open(t)
		e := must(cute.Compile(t.Context(), cute.Jit(config.run), config{8, 1}, vector(t, dev, 4)))(t)
		if got := e.Pruned(); !slices.Equal(got, []cute.Pruned{{Index: 0, Name: "c"}}) {
			t.Errorf("got %v", got)
		}
		e = must(cute.Compile(t.Context(), cute.Jit(foo), 1, 5, quiet))(t)
		if got := e.Pruned(); !slices.Equal(got, []cute.Pruned{{Index: 2, Name: "y"}}) {
			t.Errorf("got %v", got)
		}
	}),
	add(14, "an executor checks the number of arguments", func(t *testing.T) {
		e := must(cute.Compile(t.Context(), cute.Jit(sum), 1, 5))(t)
		_, err := e.Run(t.Context(), 1)
		wantError(t, err, "expects 2 run-time arguments (a, b), but got 1")
		if out := must(e.Run(t.Context(), 7, -2))(t); !slices.Equal(out, []any{5, false}) {
			t.Errorf("got %v", out)
		}
	}),
	add(15, "what is not marked is dynamic, by the type at the call", func(t *testing.T) {
		var out bytes.Buffer
		call := cute.Jit(show, cute.Options{Output: &out})
		for _, c := range []struct {
			x    any
			want string
		}{
			{3, "?\n"}, {2.5, "?\n"}, {true, "?\n"}, {nil, "<nil>\n"},
			{[]any{1, []any{2.0, true}}, "[? [? ?]]\n"},
		} {
			out.Reset()
			check(t, call(c.x))
			if out.String() != c.want {
				t.Errorf("%v prints %q, want %q", c.x, out.String(), c.want)
			}
		}
		for x, want := range map[any]string{int32(1): "(%arg0: s32)", int64(1): "(%arg0: s64)", float32(1): "(%arg0: f32)", 2.0: "(%arg0: f64)", true: "(%arg0: u32)"} {
			e := must(cute.Compile(t.Context(), call, x))(t)
			if !strings.Contains(e.Module().Text(), want) {
				t.Errorf("%T: no %s in\n%s", x, want, e.Module().Text())
			}
		}
	}),
	add(16, "a Constexpr is static and no parameter", func(t *testing.T) {
		e := must(cute.Compile(t.Context(), cute.Jit(named), "text", 1, quiet))(t)
		if text := e.Module().Text(); !strings.Contains(text, "(%arg0: s32)") || !strings.Contains(text, `"text %d\n"`) {
			t.Error(text)
		}
		wantError(t, cute.Jit(plainText)("a"), "argument #1 (s) is a string", "cute.Constexpr[string]")
	}),
	add(17, "compile-time printing shows ? for what is dynamic", func(t *testing.T) {
		var out bytes.Buffer
		check(t, cute.Jit(foo, cute.Options{Output: &out})(2, cute.C(2)))
		if out.String() != "x = ?\ny = 2\n" {
			t.Errorf("printed %q", out.String())
		}
	}),
	add(18, "a receiver is static", func(t *testing.T) {
		dev, _ := open(t)
		call := cute.Jit(config.run)
		before := cute.CompileStats()
		for _, c := range []config{{8, 3}, {4, 3}, {8, 3}} {
			x := vector(t, dev, 10)
			check(t, call(c, cute.Of[float32](x)))
			wantEach(t, x, func(i int) float32 { return float32(i) + 3 })
		}
		if got := since(before); got.Evaluated != 2 {
			t.Errorf("got %+v", got)
		}
	}),
	add(19, "nil is static", func(t *testing.T) {
		dev, _ := open(t)
		call := cute.Jit(optional)
		bias := float32(10)
		for _, b := range []*float32{nil, &bias} {
			x := vector(t, dev, 4)
			check(t, call(cute.Of[float32](x), b))
			wantEach(t, x, func(i int) float32 {
				if b != nil {
					return float32(i) + *b
				}
				return float32(i)
			})
		}
		x := vector(t, dev, 4)
		e := must(cute.Compile(t.Context(), call, x, nil))(t)
		if got := e.Pruned(); !slices.Equal(got, []cute.Pruned{{Index: 2, Name: "bias"}}) {
			t.Errorf("got %v", got)
		}
	}),
	add(20, "a static function is part of the kernel", func(t *testing.T) {
		dev, _ := open(t)
		call := cute.Jit(runMap)
		x := vector(t, dev, 100)
		e := must(cute.Compile(t.Context(), call, x, epilogue(relu)))(t)
		text := must(e.Module().PTX("sm_80"))(t)
		if !strings.Contains(text, "max.") || strings.Contains(text, "call") {
			t.Error(text)
		}
		e = must(cute.Compile(t.Context(), call, x, epilogue(twice)))(t)
		if text := must(e.Module().PTX("sm_80"))(t); strings.Contains(text, "max.") {
			t.Error(text)
		}
		check(t, call(cute.Of[float32](x), cute.C(literal)))
		wantEach(t, x, func(i int) float32 { return float32(i) + 1 })
	}),
	add(21, "kernels take every kind of parameter", func(t *testing.T) {
		dev, _ := open(t)
		a, b := vector(t, dev, 64).Reshape(8, 8), vector(t, dev, 32).Reshape(4, 8)
		c := must(cutile.NewTensor[float32](dev, 8, 4))(t)
		call := cute.Jit(product.run, quiet)
		for _, tma := range []bool{false, true} {
			check(t, call(product{8, 4, tma}, cute.Of[float32](a), cute.Of[float32](b, cute.Static()), cute.Of[float32](c, cute.Static()), cute.C[epilogue](twice)))
			wantEach(t, c, func(i int) float32 {
				sum := 0
				for k := range 8 {
					sum += (i/4*8 + k) * (i%4*8 + k)
				}
				return float32(2 * sum)
			})
		}
		_, err := cute.Call(t.Context(), cute.Jit(takesAtom), cute.CopyAtom{})
		wantError(t, err, "argument #1 (a) is a cute.CopyAtom, which exists only in compiled code")
	}),
	add(22, "a layout may be static in part", func(t *testing.T) {
		var out bytes.Buffer
		before := cute.CompileStats()
		call := cute.Jit(shaped, cute.Options{Output: &out})
		check(t, call(cute.S(3, 4), 7))
		if out.String() != "(?,?)\n(?,2):(1,?)\n" {
			t.Errorf("printed %q", out.String())
		}
		check(t, call(cute.S(30, 40), 70))
		if got := since(before); got.Evaluated != 1 {
			t.Errorf("got %+v", got)
		}
		e := must(cute.Compile(t.Context(), call, cute.S(3, 4), 7))(t)
		if k := e.Module().Text(); !strings.Contains(k, `"(%d,2):(1,%d) of %d\n"`) {
			t.Error(k)
		}
	}),
	add(23, "other dynamic values are the same program", func(t *testing.T) {
		dev, _ := open(t)
		before := cute.CompileStats()
		call := cute.Jit(runScale)
		for _, n := range []int{1, 17, 4000} {
			check(t, call(cute.Of[float32](vector(t, dev, n)), float32(n)))
		}
		sums := cute.Jit(sum)
		for _, n := range []int{2, 3, -5} {
			if got, _, err := sums(n, 1); got != n+1 || err != nil {
				t.Errorf("%d, %v", got, err)
			}
		}
		if got := since(before); got.Evaluated != 2 {
			t.Errorf("got %+v", got)
		}
		if got, _, err := sums(1<<40, 1<<41); got != 3<<40 || err != nil {
			t.Errorf("%d, %v", got, err)
		}
	}),
	add(24, "what must be static may not be dynamic", func(t *testing.T) {
		wantError(t, cute.Jit(staticTest)(1), "kernels_test.go:", "dynamic")
		wantError(t, cute.Jit(unrolled)(1), "kernels_test.go:", "dynamic")
	}),
	add(25, "a static condition leaves one side", func(t *testing.T) {
		call := cute.Jit(straight)
		e := must(cute.Compile(t.Context(), call, 0, 1, false, quiet))(t)
		if strings.Contains(e.Module().Text(), "printf") {
			t.Error(e.Module().Text())
		}
		e = must(cute.Compile(t.Context(), call, 0, 1, true, quiet))(t)
		if text := e.Module().Text(); !strings.Contains(text, "printf") || !strings.Contains(text, "setp") {
			t.Error(text)
		}
	}),
	add(26, "what a branch sets keeps its type", func(t *testing.T) {
		wantError(t, cute.Jit(branchType)(1), "kernels_test.go:")
	}),
	add(27, "break leaves a dynamic loop", func(t *testing.T) {
		for n, want := range map[int]int{3: 3, 100: 10} {
			if got, err := cute.Jit(breaks)(n); got != want || err != nil {
				t.Errorf("%d: %d, %v", n, got, err)
			}
		}
	}),
	add(28, "a static number that a dynamic region assigns becomes dynamic", func(t *testing.T) {
		for x, want := range map[int]int{1: 5, -1: 7} {
			if got, err := cute.Jit(assigned)(x); got != want || err != nil {
				t.Errorf("%d: %d, %v", x, got, err)
			}
		}
	}),
	add(29, "arguments are checked before compilation", func(t *testing.T) {
		dev, _ := open(t)
		half := must(cutile.NewTensor[dtype.Float16](dev, 10, 10))(t)
		call := cute.Jit(typed)
		must(cute.Call(t.Context(), call, half, 32))(t)
		_, err := cute.Call(t.Context(), call, 32, half)
		wantError(t, err, "expects argument #1 (x) to be a tensor of float16, but got int")
		_, err = cute.Call(t.Context(), call, half, half)
		wantError(t, err, "expects argument #2 (y) to be a float16, but got *cutile.Tensor[")
		_, err = cute.Call(t.Context(), call, vector(t, dev, 3), 32)
		wantError(t, err, "expects argument #1 (x) to be a tensor of float16, but got *cutile.Tensor[float32]")
		wantError(t, call(cute.Of[cute.Float16](vector(t, dev, 3)), 1), "argument #1 (x): expected memory of float16 for a cute.Tensor[cute.Float16], but got *cutile.Tensor[float32]")
	}),
	add(30, "numbers are converted where they fit", func(t *testing.T) {
		dev, _ := open(t)
		half := must(cutile.NewTensor[dtype.Float16](dev, 4))(t)
		call := cute.Jit(typed)
		for _, x := range []any{32, int8(3), 0.5, float32(2)} {
			must(cute.Call(t.Context(), call, half, x))(t)
		}
		for x, want := range map[any]string{1e9: "1e+09, which does not fit", 4097: "4097, which does not fit", true: "bool", "x": "string"} {
			_, err := cute.Call(t.Context(), call, half, x)
			wantError(t, err, "expects argument #2 (y) to be a float16, but got "+want)
		}
		_, err := cute.Call(t.Context(), cute.Jit(sum), 1.0, 2)
		wantError(t, err, "expects argument #1 (a) to be an int, but got float64")
	}),
	add(31, "any takes anything, and one of several types is one of them", func(t *testing.T) {
		var out bytes.Buffer
		call := cute.Jit(tiled, cute.Options{Output: &out})
		l := cute.MakeLayout(cute.S(8, 8))
		for _, tiler := range []cute.Tiler{cute.S(2, 4), cute.Tile{cute.MakeLayout(cute.I(2)), cute.MakeLayout(cute.I(4))}} {
			out.Reset()
			check(t, call(l, tiler))
			if want := "((2,4),(4,2)):((1,8),(2,32))\n"; out.String() != want {
				t.Errorf("%v: %q, want %q", tiler, out.String(), want)
			}
		}
		_, err := cute.Call(t.Context(), call, l, 3)
		wantError(t, err, "expects argument #2 (t) to be a cute.Tiler, but got int")
	}),
	add(32, "a wrong argument makes no module", func(t *testing.T) {
		before := cute.CompileStats()
		_, err := cute.Call(t.Context(), cute.Jit(typed), 1, 2)
		wantError(t, err, "argument #1")
		if got := since(before); got != (cute.Stats{}) {
			t.Errorf("got %+v", got)
		}
	}),
	add(41, "what has no order is refused", func(t *testing.T) {
		wantError(t, cute.Jit(takesMap)(map[string]int{"a": 1}), "argument #1 (m)", "map[string]int", "the elements of a map have no order")
	}),
	add(42, "structs are taken field by field", func(t *testing.T) {
		dev, _ := open(t)
		call := cute.Jit(runMixed)
		before := cute.CompileStats()
		for _, scale := range []float32{2, 3} {
			x := vector(t, dev, 4)
			check(t, call(mixed{X: cute.Of[float32](x), Scale: scale, Turns: cute.C(2), Pair: [2]int32{5, 1}}))
			wantEach(t, x, func(i int) float32 { return float32(i)*scale*scale + 4 })
		}
		if got := since(before); got.Evaluated != 1 {
			t.Errorf("got %+v", got)
		}
		e := must(cute.Compile(t.Context(), call, mixed{X: cute.Of[float32](vector(t, dev, 4)), Turns: cute.C(1)}))(t)
		if got := e.Module().Text(); !strings.Contains(got, "(%arg0: u64, %arg1: s32, %arg2: f32, %arg3: s32, %arg4: s32)") {
			t.Error(got)
		}
		e = must(cute.Compile(t.Context(), cute.Jit(config.run), config{4, 1}, vector(t, dev, 4)))(t)
		if !reflect.DeepEqual(e.Pruned(), []cute.Pruned{{Index: 0, Name: "c"}}) {
			t.Errorf("got %v", e.Pruned())
		}
	}),
}

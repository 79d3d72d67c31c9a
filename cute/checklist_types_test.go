package cute_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/cute"
)

// Types of users, numbers 33 to 40.
var _ = []struct{}{
	add(33, "an argument by protocol", func(t *testing.T) {
		e := must(cute.Compile(t.Context(), cute.Jit(useHandle), held{map[string]int{"n": 4}, 2}))(t)
		if text := e.Module().Text(); !strings.Contains(text, "(%arg0: s32, %arg1: f32)") {
			t.Error(text)
		}
		wantPrinted(t, "7\n", func() { must(e.Run(t.Context(), held{map[string]int{"n": 4}, 2}))(t) })
		before := cute.CompileStats()
		call := cute.Jit(useHandle)
		wantPrinted(t, "7\n8\n", func() {
			check(t, call(held{map[string]int{"n": 6}, 0}))
			check(t, call(held{nil, 7}))
		})
		if got := since(before); got.Evaluated != 1 {
			t.Errorf("got %+v", got)
		}
	}),
	add(34, "an argument of a kernel by protocol", func(t *testing.T) {
		dev, _ := open(t)
		x, y := vector(t, dev, 4), vector(t, dev, 4)
		check(t, cute.Jit(useDevice)(cute.Of[float32](x), cute.Of[float32](y), 5))
		wantEach(t, x, func(int) float32 { return 16 + 16.5 })
		wantEach(t, y, func(int) float32 { return 20.5 })
	}),
	add(35, "methods are found by their names", func(t *testing.T) {
		type alike struct{ held } // has the methods, but makes another type
		if _, ok := any(alike{}).(cute.JitArgument); !ok {
			t.Error("a type with the methods is no JitArgument")
		}
		var _ cute.DynamicExpression[held] = held{}
		_, err := cute.Call(t.Context(), cute.Jit(show), alike{})
		wantError(t, err, "CuteFromValues")
		whole := []reflect.Type{reflect.TypeFor[int32](), reflect.TypeFor[int32]()}
		_, err = cute.Call(t.Context(), cute.Jit(show), listed{whole, []any{1}})
		wantError(t, err, "argument #1 (x): CuteTypes of cute_test.listed lists 2 types, but CuteArgs gives 1 values")
		for _, x := range []any{"two", nil, 1 << 40} {
			_, err = cute.Call(t.Context(), cute.Jit(show), listed{whole, []any{1, x}})
			wantError(t, err, "argument #1 (x): value 1 of CuteArgs must be", "int32, but it is ")
		}
	}),
	add(36, "values come back in order", func(t *testing.T) {
		dev, _ := open(t)
		x, y := vector(t, dev, 4), vector(t, dev, 4)
		e := must(cute.Compile(t.Context(), cute.Jit(useDevice), x, y, 1))(t)
		text := e.Module().Text()
		if !strings.Contains(text, "@kernel_cute_test_useDevice_1(%arg0: u64, %arg1: s32, %arg2: s64, %arg3: u64, %arg4: s32, %arg5: s64)") {
			t.Error(text)
		}
	}),
	add(37, "half a protocol serves half", func(t *testing.T) {
		call := cute.Jit(useHostOnly)
		wantPrinted(t, "3\n", func() { check(t, call(hostOnly{3}, cute.C(false))) })
		wantError(t, call(hostOnly{3}, cute.C(true)), "kernels_test.go:", "hostOnlyKernel", "CuteValues")
		wantError(t, cute.Jit(takeDevice)(deviceOnly{}), "argument #1 (d)", "CuteTypes and CuteArgs")
	}),
	add(38, "an unknown type names three ways out", func(t *testing.T) {
		err := cute.Jit(useChannel)(nil)
		wantError(t, err, "function cute_test.useChannel", "argument #1 (c)", "chan int", "cute.Constexpr", "cute.JitArgument", "cute.RegisterAdapter")
		_, err = cute.Call(t.Context(), cute.Jit(show), struct {
			f func()
			c complex128
		}{c: 2i})
		wantError(t, err, "argument #1 (x.c)", "the value (0+2i)", "complex128")
		type names map[string]int
		for n, text := range map[int]string{60: "map[%s:1]", 61: "map[%s:1..."} {
			name := strings.Repeat("n", n-len("map[:1]"))
			_, err = cute.Call(t.Context(), cute.Jit(show), names{name: 1})
			wantError(t, err, "the value "+fmt.Sprintf(text, name)+" of type cute_test.names: the elements of a map have no order")
		}
	}),
	add(39, "a type has one adapter", func(t *testing.T) {
		type own struct{ int }
		check(t, cute.RegisterAdapter(func(o own) int { return o.int }))
		wantError(t, cute.RegisterAdapter(func(o own) float64 { return 0 }), "two adapters for cute_test.own: the first gives an int, the second a float64")
		wantError(t, cute.RegisterAdapter[held, int](nil), "the adapter for cute_test.held is nil")
		wantError(t, cute.RegisterAdapter(func(x any) int { return 0 }), "interface")
		type sour struct{ what string }
		check(t, cute.RegisterAdapter(func(s sour) int { panic("no " + s.what) }))
		for want, x := range map[string]any{
			"argument #1 (x): the adapter for cute_test.sour panicked: no room":                    sour{"room"},
			"argument #1 (x): CuteTypes or CuteArgs of cute_test.panicking panicked: no types":     panicking{"types"},
			"argument #1 (x): CuteTypes or CuteArgs of cute_test.panicking panicked: no arguments": panicking{"args"},
		} {
			_, err := cute.Call(t.Context(), cute.Jit(show), x)
			wantError(t, err, want)
		}
	}),
	add(40, "adapters run at every call", func(t *testing.T) {
		dev, _ := open(t)
		x := vector(t, dev, 4)
		check(t, cute.RegisterAdapter(func(f framework) any { return f.data }))
		must(cute.Call(t.Context(), cute.Jit(useFramework), framework{x}, framework{2}))(t)
		wantEach(t, x, func(i int) float32 { return 2 * float32(i) })
		_, err := cute.Call(t.Context(), cute.Jit(useFramework), framework{x}, framework{"two"})
		wantError(t, err, "expects argument #2 (f) to be a float32, but got string, which the adapter made of a cute_test.framework")
		check(t, cute.RegisterAdapter(func(o opaque) opaqueAdapter { return opaqueAdapter{o.n + 1} }))
		wantPrinted(t, "4\n6\n", func() { check(t, cute.Jit(useOpaque)(opaque{1}, opaque{2})) })
	}),
}

package cute_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/cute"
)

// Entry points, numbers 1 to 9.
var _ = []struct{}{
	add(1, "two wraps of a function see one cache", func(t *testing.T) {
		dev, _ := open(t)
		before := cute.CompileStats()
		for range 2 {
			check(t, cute.Jit(runMap)(cute.Of[float32](vector(t, dev, 5)), cute.C[epilogue](shiftUp)))
		}
		if got := since(before); got.Compiled != 1 || got.Hits != 1 {
			t.Errorf("got %+v", got)
		}
	}),
	add(2, "nothing is set up before the first call", func(t *testing.T) {
		before := cute.CompileStats()
		for range 10 {
			cute.Jit(broken)
		}
		if got := since(before); got != (cute.Stats{}) {
			t.Errorf("got %+v", got)
		}
	}),
	add(3, "a wrapped function has the function's type", func(t *testing.T) {
		if got, want := reflect.TypeOf(cute.Jit(config.run)), reflect.TypeOf(config.run); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}),
	add(4, "the front end runs at the first call, once", func(t *testing.T) {
		dev, _ := open(t)
		call := cute.Jit(broken)
		wantError(t, call(1), "kernels_test.go:", "go")
		ok := cute.Jit(config.run)
		before := cute.CompileStats()
		for range 2 {
			check(t, ok(config{8, 0.5}, cute.Of[float32](vector(t, dev, 5))))
		}
		if got := since(before); got.Evaluated != 1 {
			t.Errorf("got %+v", got)
		}
	}),
	add(5, "options may be given", func(t *testing.T) {
		for _, call := range []func(cute.Constexpr[int], int, cute.Constexpr[bool]) error{
			cute.Jit(straight, quiet), cute.Jit(straight, quiet, cute.Straight), cute.Jit(straight, cute.Options{Straight: true, Output: &bytes.Buffer{}}),
		} {
			check(t, call(cute.C(2), 1, cute.C(false)))
		}
	}),
	add(6, "straight code unrolls, and refuses dynamic conditions", func(t *testing.T) {
		var out bytes.Buffer
		call := cute.Jit(straight, cute.Straight, cute.Options{Output: &out})
		check(t, call(cute.C(3), 1, cute.C(false)))
		if got := out.String(); got != "turn 0\nturn 1\nturn 2\n" {
			t.Errorf("printed %q", got)
		}
		wantError(t, call(cute.C(1), 1, cute.C(true)), "kernels_test.go:", "Straight")
		out.Reset()
		check(t, cute.Jit(straightRange, cute.Straight, cute.Options{Output: &out})())
		if got := out.String(); got != "2\n5\n8\n-7\n-6\n9223372036854775805\n9223372036854775806\n-9223372036854775808\n-1\n9223372036854775806\n" {
			t.Errorf("printed %q", got)
		}
		check(t, cute.Jit(straight, quiet)(cute.C(1), 1, cute.C(true)))
	}),
	add(7, "errors name the user's file and line", func(t *testing.T) {
		wantError(t, cute.Jit(staticTest)(1), "kernels_test.go:", "ConstExpr(x > 0)")
		err := cute.Jit(callsStaticTest)(1)
		wantError(t, err, "ConstExpr(x > 0)", "\n\tcalled at ")
		if n := strings.Count(err.Error(), "called at"); n != 1 {
			t.Errorf("%d calls: %v", n, err)
		}
		dev, _ := open(t)
		x := vector(t, dev, 4)
		check(t, cute.Jit(runOutside)(cute.Of[float32](x)))
		wantError(t, dev.Sync(t.Context()), "kernels_test.go:", "kernel outside, block (0, 0, 0)")
		wantError(t, cute.Jit(runOnGrid)(cute.Of[float32](x), -1), "kernels_test.go:", "the grid is [-1 1 1]: its extents must be 0 to 2147483647, 65535 and 65535")
	}),
	add(8, "a host function called in another one is part of its module", func(t *testing.T) {
		dev, _ := open(t)
		x := vector(t, dev, 10)
		e := must(cute.Compile(t.Context(), cute.Jit(outer), x))(t)
		if text := e.Module().Text(); strings.Count(text, "gpu.launch_func") != 2 || strings.Count(text, "func.func") != 1 || strings.Contains(text, "call") {
			t.Errorf("module\n%s", text)
		}
		must(e.Run(t.Context(), x))(t)
		wantEach(t, x, func(i int) float32 { return 10 * float32(i) })
	}),
	add(9, "a launch outside of host code is refused", func(t *testing.T) {
		defer func() {
			if r := recover(); r == nil || !strings.Contains(r.(string), "cute.Jit") {
				t.Errorf("recovered %v", r)
			}
		}()
		runScale(cute.Tensor[float32]{}, 1)
	}),
}

// quiet is for functions that print while they are compiled.
var quiet = cute.Options{Output: &bytes.Buffer{}}

// TestTurnsHaveVariables: an unrolled loop has variables for each turn, as Go has.
func TestTurnsHaveVariables(t *testing.T) {
	var out, want bytes.Buffer
	check(t, cute.Jit(printTurns, cute.Straight, cute.Options{Output: &out})(cute.C(5)))
	for i, x := range turns(5) {
		fmt.Fprintln(&want, i, x)
	}
	if out.String() != want.String() {
		t.Errorf("printed\n%swant\n%s", &out, &want)
	}
}

package reduce_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/testing/fakecubin"
	"github.com/cutile-go/cutile/internal/toolbox/modrun"
	"github.com/cutile-go/cutile/internal/toolbox/reduce"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// sums is a kernel that adds exponentials along a row.
const sums = `global @table <f32: [1.0, 2.0]> : tile<2xf32>
entry @other(%p: tile<ptr<f32>>) {
  return
}
entry @k(%p: tile<ptr<f32>>, %q: tile<ptr<f32>>, %n: tile<i32>) optimization_hints=<sm_100 = {num_cta_in_cga = 2}> {
  %0 = make_token : token
  %v = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %w = make_tensor_view %q, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %vp = make_partition_view %v : partition_view<tile=(64), padding_value = zero, tensor_view<?xf32, strides=[1]>>
  %wp = make_partition_view %w : partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>
  %c0 = constant <i32: 0> : tile<i32>
  %c1 = constant <i32: 1> : tile<i32>
  %c4 = constant <i32: 4> : tile<i32>
  %z = constant <f32: 0.0> : tile<64xf32>
  %sum = for %i in (%c0 to %c4, step %c1) : tile<i32> iter_values(%acc = %z) -> (tile<64xf32>) {
    %t, %tok = load_view_tko weak %vp[%i] token = %0 : partition_view<tile=(64), padding_value = zero, tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<64xf32>, token
    %e = exp %t : tile<64xf32>
    %a = addf %acc, %e : tile<64xf32>
    %m = maxf %a, %t : tile<64xf32>
    continue %m : tile<64xf32>
  }
  %s = subf %sum, %z : tile<64xf32>
  %st = store_view_tko weak %s, %wp[%c0] token = %0 : tile<64xf32>, partition_view<tile=(64), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
`

// compare compares a module with a text.
func compare(t *testing.T, m *tileir.Module, want string) {
	t.Helper()
	if got := text.Sprint(m); got != want {
		t.Errorf("the module became\n%s\nwant\n%s", got, want)
	}
}

// wrong is the interpreter for modules in which one operation has become another one, as a compiler with a bug does it.
func wrong(t *testing.T, from, to string) *reduce.Engine {
	e := open(t, "interpreter")
	run := e.Run
	return &reduce.Engine{Name: "wrong", Run: func(ctx context.Context, m *tileir.Module, l *reduce.Launch) error {
		changed := parse(t, text.Sprint(m))
		for op := range changed.All() {
			if op.Info.Mnemonic == from {
				op.Info = tileir.Lookup(to)
			}
		}
		return run(ctx, changed, l)
	}}
}

func open(t *testing.T, name string) *reduce.Engine {
	t.Helper()
	e, err := reduce.OpenEngine(name)
	if err != nil {
		t.Fatal(err)
	}
	if e.Close != nil {
		t.Cleanup(func() { e.Close() })
	}
	return e
}

// launch is a launch of the entry k.
func launch(t *testing.T, args ...string) *modrun.Launch {
	l := &modrun.Launch{Entry: "k", Grid: [3]uint32{1, 1, 1}}
	for _, a := range args {
		l.Args = append(l.Args, modrun.Argument{Flag: "-arg", Text: a})
	}
	return l
}

// TestDiffers: an engine takes maxf for minf. What is left is the operation, with operands that differ, and the store that shows its result.
func TestDiffers(t *testing.T) {
	d := &reduce.Differing{Launch: launch(t, "float32:256:iota", "float32:64", "256"), Engines: [2]*reduce.Engine{open(t, "interpreter"), wrong(t, "maxf", "minf")}}
	got, stats, err := reduce.Module(t.Context(), parse(t, sums), reduce.Options{KeepParams: true}, d.Test)
	if err != nil || !strings.HasPrefix(d.Difference(), "element 0 of parameter 1 is ") {
		t.Fatalf("%+v, %v, %s", stats, err, d.Difference())
	}
	compare(t, got, `entry @k(%arg0: tile<ptr<f32>>, %arg1: tile<ptr<f32>>, %arg2: tile<i32>) {
  %tview = make_tensor_view %arg0, shape = [%arg2], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
  %pview = make_partition_view %tview : partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<1xf32>
  %cst_1_f32 = constant <f32: 1.000000e+00> : tile<1xf32>
  %0 = maxf %cst_0_f32, %cst_1_f32 : tile<1xf32>
  %1 = store_view_tko weak %0, %pview[%cst_0_i32] : tile<1xf32>, partition_view<tile=(1), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
  return
}
`)
	for _, same := range [][2]string{{"interpreter", "cpu"}, {"cpu", "own:sm_80"}} {
		d := &reduce.Differing{Launch: launch(t, "float32:256:1", "float32:64", "256"), Tolerance: 1e-6, Engines: [2]*reduce.Engine{open(t, same[0]), open(t, same[1])}}
		if ok, err := d.Test(t.Context(), parse(t, sums)); ok || err != nil {
			t.Errorf("%v: %v, %v, %s", same, ok, err, d.Difference())
		}
	}
	if _, err := reduce.OpenEngine("abacus"); err == nil || !strings.Contains(err.Error(), `there is no engine "abacus": the engines are interpreter, cpu, `) {
		t.Errorf("error %v", err)
	}
}

// TestFaultDiffers: an engine faults where another one does not. A module of which both fault is not interesting, nor one with another number.
func TestFaultDiffers(t *testing.T) {
	broken := wrong(t, "maxf", "maxf")
	run := broken.Run
	broken.Run = func(ctx context.Context, m *tileir.Module, l *reduce.Launch) error {
		if ok, _ := has("maxf")(ctx, m); ok {
			return fmt.Errorf("it fell down")
		}
		return run(ctx, m, l)
	}
	d := &reduce.Differing{Launch: launch(t, "float32:256:iota", "float32:64", "256"), Engines: [2]*reduce.Engine{open(t, "cpu"), broken}}
	got, _, err := reduce.Module(t.Context(), parse(t, sums), reduce.Options{KeepParams: true}, d.Test)
	if err != nil || d.Difference() != "wrong: it fell down" {
		t.Fatalf("%v, %s", err, d.Difference())
	}
	compare(t, got, `entry @k(%arg0: tile<ptr<f32>>, %arg1: tile<ptr<f32>>, %arg2: tile<i32>) {
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<1xf32>
  %0 = maxf %cst_0_f32, %cst_0_f32 : tile<1xf32>
  return
}
`)
	both := &reduce.Differing{Launch: launch(t, "float32:8", "float32:8", "256"), Engines: [2]*reduce.Engine{open(t, "interpreter"), open(t, "cpu")}}
	if ok, err := both.Test(t.Context(), parse(t, sums)); ok || err != nil {
		t.Errorf("both fault: %v, %v", ok, err)
	}
}

// changing is an engine that does something after the interpreter has run.
func changing(t *testing.T, after func(m *tileir.Module, l *reduce.Launch) error) *reduce.Engine {
	e := open(t, "interpreter")
	return &reduce.Engine{Name: "changing", Run: func(ctx context.Context, m *tileir.Module, l *reduce.Launch) error {
		if err := e.Run(ctx, m, l); err != nil {
			return err
		}
		return after(m, l)
	}}
}

// TestKindOfDifference: a fault on one engine is not the difference of results that there was at first; and all NaN are equal.
func TestKindOfDifference(t *testing.T) {
	d := &reduce.Differing{Launch: launch(t, "float32:256:iota", "float32:64", "256"), Engines: [2]*reduce.Engine{open(t, "interpreter"),
		changing(t, func(m *tileir.Module, l *reduce.Launch) error {
			if ok, _ := has("exp")(t.Context(), m); !ok {
				return fmt.Errorf("it fell down")
			}
			l.Memory[1][0]++
			return nil
		})}}
	for src, want := range map[string]bool{sums: true, strings.Replace(sums, "exp", "sqrt", 1): false} {
		if ok, err := d.Test(t.Context(), parse(t, sums)); !ok || err != nil { // it is the first one
			t.Errorf("the results: %v, %v", ok, err)
		}
		if ok, err := d.Test(t.Context(), parse(t, src)); ok != want || err != nil {
			t.Errorf("%v, %v, want %v", ok, err, want)
		}
	}
	nan := &reduce.Differing{Launch: launch(t, "float32:256:-1", "float32:64", "256"), Engines: [2]*reduce.Engine{open(t, "interpreter"),
		changing(t, func(_ *tileir.Module, l *reduce.Launch) error {
			l.Memory[1][0] ^= 1
			return nil
		})}}
	roots := strings.NewReplacer("maxf %a", "sqrt %t", ", %t : tile<64xf32>\n    continue", " : tile<64xf32>\n    continue").Replace(sums)
	if ok, err := nan.Test(t.Context(), parse(t, roots)); ok || err != nil {
		t.Errorf("other NaN: %v, %v, %s", ok, err, nan.Difference())
	}
}

// asTileiras makes this program a tileiras: it crashes for modules with an exponential in a loop, hangs for those with a subtraction alone, and
// refuses those with a table.
const asTileiras = "REDUCE_TEST_TILEIRAS"

// crashed is the exit status for which the script that starts this program ends itself by a signal.
const crashed = 42

func TestMain(m *testing.M) {
	if os.Getenv(asTileiras) != "" {
		beTileiras(os.Args[1:])
	}
	os.Exit(m.Run())
}

func beTileiras(args []string) {
	data, err := os.ReadFile(args[len(args)-1])
	if err != nil {
		panic(err)
	}
	m, _, err := bytecode.Read(data)
	if err != nil {
		panic(err)
	}
	ask := func(t reduce.Test) bool { ok, _ := t(context.Background(), m); return ok }
	inLoop := false
	for op := range m.All() {
		for r := range op.Blocks() {
			for o := range r.All() {
				inLoop = inLoop || o.Info.Mnemonic == "exp"
			}
		}
	}
	switch os.Getenv(asTileiras) {
	case "crash":
		if inLoop {
			os.Exit(crashed)
		}
	case "hang":
		if ask(has("subf")) {
			time.Sleep(time.Minute)
		}
	case "refuse":
		if n := len(slices.Collect(m.All())); ask(has("maxf")) {
			fmt.Fprintf(os.Stderr, "error: 'maxf' has %d bugs\nin 7 places\n", n)
			os.Exit(3)
		}
		fmt.Fprintln(os.Stderr, "error: it is too small")
		os.Exit(3)
	}
	var names []string
	for _, e := range m.Entries {
		names = append(names, e.Name)
	}
	if err := os.WriteFile(args[slices.Index(args, "-o")+1], fakecubin.Make("sm_100", "code", names...), 0o600); err != nil {
		panic(err)
	}
	os.Exit(0)
}

// standIn is the program as a tileiras that fails in some way.
func standIn(t *testing.T, way string) toolchain.Tool {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for tileiras is started by a shell script")
	}
	path := filepath.Join(t.TempDir(), "tileiras")
	script := fmt.Sprintf("#!/bin/sh\n%s=%s '%s' \"$@\"\ncode=$?\n[ $code = %d ] && kill -SEGV $$\nexit $code\n", asTileiras, way, os.Args[0], crashed)
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return toolchain.Tool{Name: toolchain.Tileiras, Path: path}
}

// TestCrashes: assemblers that crash and refuse, each with what is left of a module.
func TestCrashes(t *testing.T) {
	for way, want := range map[string]struct{ failure, left string }{
		"crash": {"signal: segmentation fault", `entry @k() {
  %cst_0_i32 = constant <i32: 0> : tile<i32>
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<1xf32>
  for %loopIdx in (%cst_0_i32 to %cst_0_i32, step %cst_0_i32) : tile<i32> {
    %0 = exp %cst_0_f32  : tile<1xf32>
  }
  return
}
`},
		"refuse": {"exit status 3: error: _ has _ bugs", `entry @k() {
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<1xf32>
  %0 = maxf %cst_0_f32, %cst_0_f32 : tile<1xf32>
  return
}
`},
	} {
		t.Run(way, func(t *testing.T) {
			c := &reduce.Crashing{Tool: standIn(t, way), Version: tileir.V13_3, Target: "sm_100", Limit: time.Minute}
			got, stats, err := reduce.Module(t.Context(), parse(t, sums), reduce.Options{Version: tileir.V13_3}, c.Test)
			if err != nil || c.Failure() != want.failure {
				t.Fatalf("%+v, %v, %q", stats, err, c.Failure())
			}
			compare(t, got, want.left)
		})
	}
}

// TestHangs: an assembler that does not end is one that fails, and another failure is not that one.
func TestHangs(t *testing.T) {
	c := &reduce.Crashing{Tool: standIn(t, "hang"), Version: tileir.V13_3, Target: "sm_100", Limit: time.Second}
	if ok, err := c.Test(t.Context(), parse(t, sums)); !ok || err != nil || !strings.HasPrefix(c.Failure(), "it took longer than ") {
		t.Errorf("%v, %v, %s", ok, err, c.Failure())
	}
	c.Limit = time.Minute
	if ok, err := c.Test(t.Context(), parse(t, "entry @k() {\n  return\n}\n")); ok || err != nil {
		t.Errorf("it ends: %v, %v", ok, err)
	}
	c.Tool = standIn(t, "refuse")
	if ok, err := c.Test(t.Context(), parse(t, sums)); ok || err != nil {
		t.Errorf("it refuses: %v, %v", ok, err)
	}
}

// TestCommand asks a program, which gets text and bytecode.
func TestCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the command is a shell script")
	}
	path := filepath.Join(t.TempDir(), "ask")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n[ -s \"$2bc\" ] && grep -q \"$1\" \"$2\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := &reduce.Command{Words: []string{path, "exp"}, Version: tileir.V13_3, Limit: time.Minute}
	got, _, err := reduce.Module(t.Context(), parse(t, sums), reduce.Options{}, c.Test)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, got, `entry @k() {
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<1xf32>
  %0 = exp %cst_0_f32  : tile<1xf32>
  return
}
`)
	hangs := &reduce.Command{Words: []string{"sh", "-c", "sleep 60"}, Version: tileir.V13_3, Limit: 200 * time.Millisecond}
	if ok, err := hangs.Test(t.Context(), parse(t, sums)); ok || err != nil {
		t.Errorf("a command that hangs: %v, %v", ok, err)
	}
	c.Words[0] += "none"
	if _, err := c.Test(t.Context(), parse(t, sums)); err == nil || !strings.Contains(err.Error(), "asknone: ") {
		t.Errorf("error %v", err)
	}
}

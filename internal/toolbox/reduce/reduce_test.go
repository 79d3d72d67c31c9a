package reduce_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/internal/toolbox/reduce"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// parse reads a module.
func parse(t testing.TB, src string) *tileir.Module {
	t.Helper()
	m, err := text.Parse(src, text.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// has makes a test of which modules are interesting that have an operation of a kind.
func has(name string) reduce.Test {
	return func(_ context.Context, m *tileir.Module) (bool, error) {
		for op := range m.All() {
			if op.Info.Mnemonic == name {
				return true, nil
			}
		}
		return false, nil
	}
}

// rarest is the kind of operation that a module has the least of, but for those that stand for others.
func rarest(m *tileir.Module) string {
	counts, order := map[string]int{}, []string{}
	for op := range m.All() {
		name := op.Info.Mnemonic
		if op.Info.Terminator || name == "constant" || name == "make_token" {
			continue
		}
		if counts[name] == 0 {
			order = append(order, name)
		}
		counts[name]++
	}
	return slices.MinFunc(order, func(a, b string) int { return counts[a] - counts[b] })
}

// feeds makes a test of which modules are interesting in which an operation of one kind has an operand of another one.
func feeds(from, to string) reduce.Test {
	return func(_ context.Context, m *tileir.Module) (bool, error) {
		for op := range m.All() {
			for _, v := range op.Operands {
				if op.Info.Mnemonic == to && v.Def != nil && v.Def.Info.Mnemonic == from {
					return true, nil
				}
			}
		}
		return false, nil
	}
}

// lastPair are the kinds of the last two operations of a module of which one feeds the other.
func lastPair(m *tileir.Module) (from, to string) {
	for op := range m.All() {
		for _, v := range op.Operands {
			if v.Def != nil && !v.Def.Info.Terminator && v.Def.Info.Mnemonic != "constant" && v.Def.Info.Mnemonic != "make_token" && !op.Info.Terminator {
				from, to = v.Def.Info.Mnemonic, op.Info.Mnemonic
			}
		}
	}
	return from, to
}

// TestRandom makes random modules smaller that have an operation of a kind, or one that feeds another one: what stays is that, and what it
// needs. The result is valid, and the same each time.
func TestRandom(t *testing.T) {
	var all, left, tests [2]int
	for seed := range uint64(20) {
		m := nativefuzz.Generate(1000 + seed).Module
		from, to := lastPair(m)
		for i, c := range []struct {
			what string
			test reduce.Test
			most int // operations
		}{{rarest(m), has(rarest(m)), 2}, {from + " to " + to, feeds(from, to), 10}} {
			src := text.Sprint(m)
			got, stats, err := reduce.Module(t.Context(), m, reduce.Options{}, c.test)
			if err != nil {
				t.Fatalf("%d: %v", seed, err)
			}
			if err := tileir.Verify(got, tileir.Newest); err != nil {
				t.Errorf("%d: %v", seed, err)
			}
			if ok, _ := c.test(t.Context(), got); !ok || stats.Stopped || stats.After > c.most {
				t.Errorf("%d: %s: of %d operations are left\n%s", seed, c.what, stats.Before, text.Sprint(got))
			}
			if text.Sprint(m) != src {
				t.Errorf("%d: the module has changed", seed)
			}
			if again, _, err := reduce.Module(t.Context(), m, reduce.Options{}, c.test); err != nil || text.Sprint(again) != text.Sprint(got) {
				t.Errorf("%d: another time it becomes\n%s", seed, text.Sprint(again))
			}
			all[i], left[i], tests[i] = all[i]+stats.Before, left[i]+stats.After, tests[i]+stats.Tests
		}
	}
	t.Logf("operations before %v and after %v, in %v tests", all, left, tests)
}

// TestStopped: a search ends with its context, or with the number of its tests, and gives what it has found. The error of a test is the
// search's.
func TestStopped(t *testing.T) {
	m := nativefuzz.Generate(1000).Module
	ctx, cancel := context.WithCancel(t.Context())
	found := 0
	o := reduce.Options{Found: func(m *tileir.Module) error {
		if found++; found == 3 {
			cancel()
		}
		return nil
	}}
	got, stats, err := reduce.Module(ctx, m, o, has(rarest(m)))
	if err != nil || !stats.Stopped || found != 3 || stats.After >= stats.Before || tileir.Verify(got, tileir.Newest) != nil {
		t.Errorf("after %d modules: %+v, %v", found, stats, err)
	}
	if _, stats, err := reduce.Module(t.Context(), m, reduce.Options{Tests: 4}, has(rarest(m))); err != nil || !stats.Stopped || stats.Tests != 4 {
		t.Errorf("with four tests: %+v, %v", stats, err)
	}
	if _, _, err := reduce.Module(t.Context(), m, reduce.Options{}, has("mmaf_scaled")); err != reduce.ErrBoring {
		t.Errorf("a module that is not interesting: %v", err)
	}
	broken, n := errors.New("broken"), 0
	_, _, err = reduce.Module(t.Context(), m, reduce.Options{}, func(context.Context, *tileir.Module) (bool, error) {
		if n++; n > 5 {
			return false, broken
		}
		return true, nil
	})
	if err != broken {
		t.Errorf("error %v", err)
	}
	_, _, err = reduce.Module(t.Context(), m, reduce.Options{Found: func(*tileir.Module) error { return broken }}, has(rarest(m)))
	if err != broken {
		t.Errorf("error %v", err)
	}
	invalid := &tileir.Module{Entries: []*tileir.Entry{{Name: "k"}}}
	if _, _, err := reduce.Module(t.Context(), invalid, reduce.Options{}, has("addf")); err == nil {
		t.Error("a module that is not valid is reduced")
	}
}

// TestAttributes: what an attribute adds is removed, and constants become one number.
func TestAttributes(t *testing.T) {
	m := parse(t, `entry @k(%p: tile<ptr<f32>>) optimization_hints=<sm_100 = {num_cta_in_cga = 2}> {
  %a = constant <f32: [1.0, 2.0, 3.0, 4.0]> : tile<4xf32>
  %b = addf %a, %a rounding<zero> flush_to_zero : tile<4xf32>
  %c = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
  %d = broadcast %c : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %e = store_ptr_tko relaxed device %d, %b : tile<4xptr<f32>>, tile<4xf32> -> token
  return
}
`)
	got, _, err := reduce.Module(t.Context(), m, reduce.Options{}, func(ctx context.Context, m *tileir.Module) (bool, error) {
		for op := range m.All() {
			if op.Info.Opcode == tileir.OpConstant && op.Attrs[0].(*tileir.Constant).Type.Size() < 4 {
				return false, nil
			}
		}
		return feeds("addf", "store_ptr_tko")(ctx, m)
	})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, got, `entry @k(%arg0: tile<ptr<f32>>) {
  %cst_0_f32 = constant <f32: 0.000000e+00> : tile<4xf32>
  %0 = addf %cst_0_f32, %cst_0_f32  : tile<4xf32>
  %reshape = reshape %arg0 : tile<ptr<f32>> -> tile<1xptr<f32>>
  %bcast = broadcast %reshape : tile<1xptr<f32>> -> tile<4xptr<f32>>
  %1 = store_ptr_tko weak %bcast, %0 : tile<4xptr<f32>>, tile<4xf32> -> token
  return
}
`)
}

// TestFiles makes modules of compilers smaller, down to the kind of operation that each has the least of.
func TestFiles(t *testing.T) {
	files, err := filepath.Glob("../../testing/sasstest/testdata/*.tileirbc")
	more, err2 := filepath.Glob("../../../cmd/cutile/testdata/*.tileirbc")
	if err = errors.Join(err, err2); err != nil || len(files)+len(more) == 0 {
		t.Fatalf("%d files, %v", len(files)+len(more), err)
	}
	for _, name := range append(files, more...) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := bytecode.Read(data)
		if err != nil || m.Verify(tileir.Newest) != nil || len(slices.Collect(m.All())) < 3 {
			continue
		}
		got, stats, err := reduce.Module(t.Context(), m, reduce.Options{}, has(rarest(m)))
		if err != nil || stats.After > 4 {
			t.Errorf("%s: %+v, %v\n%s", name, stats, err, text.Sprint(got))
		}
		t.Logf("%s: %+v", filepath.Base(name), stats)
	}
}

// TestHalves: of a long module it does not try each operation by itself.
func TestHalves(t *testing.T) {
	var src strings.Builder
	src.WriteString("entry @k(%p: tile<f32>) {\n  %v0 = exp %p : tile<f32>\n")
	for i := range 600 {
		fmt.Fprintf(&src, "  %%v%d = addf %%v%d, %%v%d : tile<f32>\n", i+1, i, max(0, i-5))
	}
	src.WriteString("  return\n}\n")
	m := parse(t, src.String())
	_, stats, err := reduce.Module(t.Context(), m, reduce.Options{}, has("exp"))
	if err != nil || stats.Before != 601 || stats.After > 2 || stats.Tests > 30 {
		t.Errorf("%+v, %v", stats, err)
	}
	got, _, err := reduce.Module(t.Context(), m, reduce.Options{KeepParams: true}, has("addf"))
	if err != nil || len(got.Entries[0].Params) != 1 {
		t.Errorf("a parameter is gone: %v\n%s", err, text.Sprint(got))
	}
}

package reduce_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/internal/toolbox/reduce"
	"github.com/cutile-go/cutile/tileir"
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

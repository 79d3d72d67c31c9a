package paritytest_test

import (
	"embed"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

//go:embed *_test.go
var source embed.FS

var _ = cutile.Module(source)

const ownPath = "github.com/cutile-go/cutile/internal/testing/paritytest_test"

// facts promises everything about every argument.
func facts(k *compile.Kernel) compile.Facts {
	var f compile.Facts
	for _, p := range k.Params() {
		all := uint8(1<<len(p.Tile) - 1)
		f.Args = append(f.Args, compile.ArgFacts{Align16: true, Extent16: all, Stride16: all, Unit: 1 << len(p.Tile) >> 1})
	}
	return f
}

func tryCompile(t *testing.T, fn any, change func(*compile.Facts)) (*tileir.Module, error) {
	t.Helper()
	k, err := compile.Resolve(fn)
	if err != nil {
		return nil, err
	}
	f := facts(k)
	if change != nil {
		change(&f)
	}
	c, err := k.Compile(t.Context(), f)
	if err != nil {
		return nil, err
	}
	return c.Module, nil
}

// module compiles a kernel, by default with every promise.
func module(t *testing.T, fn any, change func(*compile.Facts)) *tileir.Module {
	t.Helper()
	m, err := tryCompile(t, fn, change)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// refused compiles a kernel that is wrong and wants a text in the message.
func refused(t *testing.T, fn any, want string) {
	t.Helper()
	if _, err := tryCompile(t, fn, nil); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v\nwant %q", err, want)
	}
}

// operations lists the operations of a module's first entry, those of regions after the one that holds them.
func operations(m *tileir.Module) []*tileir.Op {
	return slices.Collect(m.Entries[0].All())
}

// named lists the operations of one name.
func named(m *tileir.Module, name string) []*tileir.Op {
	return slices.DeleteFunc(operations(m), func(o *tileir.Op) bool { return o.Info.Mnemonic != name })
}

// only gives the one operation of a name.
func only(t *testing.T, m *tileir.Module, name string) *tileir.Op {
	t.Helper()
	found := named(m, name)
	if len(found) != 1 {
		t.Fatalf("%d operations %s, want one, in\n%v", len(found), name, text.Sprint(m))
	}
	return found[0]
}

// has wants a text n times; -1 stands for at least once.
func has(t *testing.T, m *tileir.Module, part string, n int) {
	t.Helper()
	text := text.Sprint(m)
	if got := strings.Count(text, part); got != n && (n >= 0 || got == 0) {
		t.Errorf("%q occurs %d times, want %d, in\n%s", part, got, n, text)
	}
}

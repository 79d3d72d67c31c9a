package lower_test

import (
	"embed"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed language_test.go
var source embed.FS
var _ = cutile.Module(source)

type base struct{ v, w int }

func (b base) sum() int { return b.v + b.w }

type derived struct {
	base
	w int
}

// promoted sets fields of a struct and of the one in it.
func promoted(n int) int {
	d := derived{base{n, 1}, 3}
	d.v += d.w
	d.base.w = d.v * 2
	if n%2 == 0 {
		d.v, d.w = d.w, d.v
	}
	return d.sum()*100 + d.v + d.w
}

func fibonacci(n int) int {
	if n < 2 {
		return n
	}
	return fibonacci(n-1) + fibonacci(n-2)
}

func expression(n int) int { return base.sum(base{n, 3}) }

// each runs a function of whole numbers in a kernel, block i with the number i.
func each(f func(int) int, out tile.Out[tile.I64T1[tile.D1]]) {
	out.Store(tile.I64T1[tile.D1](f(out.Index(0))))
}

// TestFunctions: functions that may run on the host, too, give the same in a kernel or say why they cannot be in one.
func TestFunctions(t *testing.T) {
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	for _, c := range []struct {
		name  string
		f     func(int) int
		wrong string // a part of the error
	}{
		{"promoted fields", promoted, ""},
		{"two recursive calls", fibonacci, "a recursion must end by what is known when the kernel is compiled, within 100 nested calls"}, // and it does not take 2^64 steps to see that
		{"method expression", expression, "a kernel cannot use base.sum as a function: call the method of a value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := cutile.NewTensor[int64](dev, 16)
			if err != nil {
				t.Fatal(err)
			}
			err = cutile.Launch(t.Context(), dev, each, c.f, out)
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) || strings.Count(err.Error(), c.wrong) != 1 {
					t.Errorf("error %v, want %q once", err, c.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := out.Slice()
			if err != nil {
				t.Fatal(err)
			}
			for i, g := range got {
				if want := int64(c.f(i)); g != want {
					t.Errorf("f(%d) = %d, want %d", i, g, want)
				}
			}
		})
	}
}

// kernel is a literal inside a method.
func (b base) kernel() func(tile.Out[tile.I64T1[tile.D1]]) {
	return func(out tile.Out[tile.I64T1[tile.D1]]) {
		out.Store(tile.I64T1[tile.D1](base{3, out.Index(0)}.sum()))
	}
}

// TestLiteralInMethod: a kernel may be a literal inside a method.
func TestLiteralInMethod(t *testing.T) {
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	out, err := cutile.NewTensor[int64](dev, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := cutile.Launch(t.Context(), dev, base{}.kernel(), out); err != nil {
		t.Fatal(err)
	}
	if got, err := out.Slice(); err != nil || got[0] != 3 || got[1] != 4 {
		t.Errorf("%v, %v, want [3 4]", got, err)
	}
}

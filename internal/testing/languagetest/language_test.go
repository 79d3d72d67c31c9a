package languagetest_test

import (
	"embed"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tile"
)

//go:embed *_test.go
var source embed.FS
var _ = cutile.Module(source)

// blocks is how many numbers a function is tried with: 0, 1, 2 …
const blocks = 24

type (
	one  = tile.I64T1[tile.D1]
	vec8 = tile.I64T1[tile.D8]
)

// each runs a function of whole numbers in a kernel, block i with the number i.
func each(f func(int) int, out tile.Out[one]) {
	out.Store(one(f(out.Index(0))))
}

// eachTile runs a function of tiles.
func eachTile(f func(x vec8, n int) vec8, x tile.In[vec8], out tile.Out[vec8]) {
	i := out.Index(0)
	out.Store(f(x.Load(i), i))
}

func open(t *testing.T) *cutile.Device {
	t.Helper()
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

func zeros[E dtype.Elem](t *testing.T, dev *cutile.Device, shape ...int) *cutile.Tensor[E] {
	t.Helper()
	x, err := cutile.NewTensor[E](dev, shape...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func values[E dtype.Elem](t *testing.T, x *cutile.Tensor[E]) []E {
	t.Helper()
	v, err := x.Slice()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// feature is a function that runs on the host, too.
type feature struct {
	name string
	f    func(int) int
}

// try compares functions in a kernel with the same on the host.
func try(t *testing.T, features []feature) {
	dev := open(t)
	for _, c := range features {
		t.Run(c.name, func(t *testing.T) {
			out := zeros[int64](t, dev, blocks)
			if err := cutile.Launch(t.Context(), dev, each, c.f, out); err != nil {
				t.Fatal(err)
			}
			for i, got := range values(t, out) {
				if want := int64(c.f(i)); got != want {
					t.Errorf("f(%d) = %d, want %d", i, got, want)
				}
			}
		})
	}
}

// tileFeature is a function of tiles that works element by element, so that it means the same for a number on the host.
type tileFeature struct {
	name string
	f    func(x vec8, n int) vec8
}

func tryTiles(t *testing.T, features []tileFeature) {
	dev := open(t)
	in := make([]int64, 8*blocks)
	for i := range in {
		in[i] = int64(i*i%37 - 11)
	}
	x, err := cutile.FromSlice(dev, in)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range features {
		t.Run(c.name, func(t *testing.T) {
			out := zeros[int64](t, dev, len(in))
			if err := cutile.Launch(t.Context(), dev, eachTile, c.f, x, out); err != nil {
				t.Fatal(err)
			}
			want := make([]int64, len(in))
			for i, v := range in {
				want[i] = int64(c.f(vec8(v), i/8))
			}
			if got := values(t, out); !slices.Equal(got, want) {
				t.Errorf("got  %v\nwant %v", got, want)
			}
		})
	}
}

// refused asserts that a function cannot be compiled, and why.
func refused(t *testing.T, f func(int) int, want string) {
	t.Helper()
	dev := open(t)
	err := cutile.Launch(t.Context(), dev, each, f, zeros[int64](t, dev, blocks))
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "BUG") {
		t.Errorf("error %v\nwant %q", err, want)
	}
}

package shape_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/kernels/internal/shape"
)

// TestFit compares with the definition: the least of the powers that hold n, or the greatest that may be.
func TestFit(t *testing.T) {
	for _, c := range []struct{ least, most int }{{1, 2048}, {16, 128}, {1, 1}, {8, 8}, {4, 64}} {
		for n := range 300 {
			want := 0
			for p := c.least; p <= c.most; p *= 2 {
				if want = p; p >= n {
					break
				}
			}
			if got := shape.Fit(n, c.least, c.most); got != want {
				t.Errorf("Fit(%d, %d, %d) = %d, want %d", n, c.least, c.most, got, want)
			}
		}
	}
}

// TestTogether: rows fill a tile, but are not cut for it, and no more than there are.
func TestTogether(t *testing.T) {
	for _, c := range []struct{ n, extent, most, want int }{
		{1, 8, 1024, 1}, {5, 8, 1024, 8}, {1000, 8, 1024, 128}, {1000, 1024, 1024, 1}, {1000, 512, 1024, 2}, {1000, 2048, 1024, 1},
		{1000, 8192, 1024, 1}, {0, 8, 1024, 1}, {0, 8192, 1024, 1},
	} {
		if got := shape.Together(c.n, c.extent, c.most); got != c.want {
			t.Errorf("Together(%d, %d, %d) = %d, want %d", c.n, c.extent, c.most, got, c.want)
		}
	}
}

func TestTiles(t *testing.T) {
	for extent := 1; extent < 20; extent++ {
		for n := range 100 {
			tiles := 0
			for covered := 0; covered < n; covered += extent {
				tiles++
			}
			if got := shape.Tiles(n, extent); got != tiles {
				t.Errorf("Tiles(%d, %d) = %d, want %d", n, extent, got, tiles)
			}
		}
	}
}

// array is a tensor without memory.
type array struct {
	shape []int
	err   error
}

func (a *array) Shape() []int { return a.shape }
func (a *array) Err() error   { return a.err }

func arg(name, axes string, extents ...int) shape.Arg {
	return shape.Arg{Name: name, Tensor: &array{shape: extents}, Axes: axes}
}

var errBroken = errors.New("no such view")

// TestCheck: equal names must have equal extents, numbers stand for themselves; all mistakes come at once.
func TestCheck(t *testing.T) {
	broken := shape.Arg{Name: "d", Tensor: &array{err: errBroken}, Axes: "m"}
	for _, c := range []struct {
		args []shape.Arg
		want string
	}{
		{nil, ""},
		{[]shape.Arg{arg("a", "m k", 2, 3), arg("b", "k n", 3, 4), arg("c", "m n", 2, 4)}, ""},
		{[]shape.Arg{arg("a", "m m", 2, 2), arg("s", "")}, ""},
		{[]shape.Arg{arg("a", "m 3", 2, 3)}, ""},
		{[]shape.Arg{arg("a", "m m", 2, 3)}, "f: a has shape [2 3], expected [m m]: axis 1 is 3, but m is 2 along axis 0 of a"},
		{[]shape.Arg{arg("a", "m k", 2, 3), arg("b", "k n", 4, 4)}, "f: b has shape [4 4], expected [k n]: axis 0 is 4, but k is 3 along axis 1 of a"},
		{[]shape.Arg{arg("a", "m 3", 2, 4)}, "f: a has shape [2 4], expected [m 3]: axis 1 is 4"},
		{[]shape.Arg{arg("a", "m k", 2)}, "f: a has shape [2] of rank 1, expected rank 2: [m k]"},
		{[]shape.Arg{{Name: "a", Axes: "m"}}, "f: a is nil, expected a tensor"},
		{[]shape.Arg{{Name: "a", Tensor: (*array)(nil), Axes: "m"}}, "f: a is nil, expected a tensor"},
		{[]shape.Arg{broken}, "f: d: no such view"},
		{[]shape.Arg{arg("a", "m", 2, 3), broken, arg("c", "m", 5), arg("e", "m", 6)},
			"f: a has shape [2 3] of rank 2, expected rank 1: [m]\nf: d: no such view\nf: e has shape [6], expected [m]: axis 0 is 6, but m is 5 along axis 0 of c"},
	} {
		_, err := shape.Check("f", c.args...)
		checked(t, err, c.want)
	}
	got, err := shape.Check("f", arg("a", "m 7 k", 2, 7, 3), arg("b", "k n", 3, 0))
	if err != nil || len(got) != 3 || got["m"] != 2 || got["k"] != 3 || got["n"] != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

// checked holds an error against its text; each is a mismatch, and keeps its cause.
func checked(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Error(err)
		}
		return
	}
	if err == nil || err.Error() != want || !errors.Is(err, cutile.ErrMismatch) || errors.Is(err, errBroken) != strings.Contains(want, errBroken.Error()) {
		t.Errorf("error %v\nwant %s", err, want)
	}
}

func TestSame(t *testing.T) {
	a := arg("a", "", 2, 3)
	for _, c := range []struct {
		args []shape.Arg
		want string
	}{
		{[]shape.Arg{a}, ""},
		{[]shape.Arg{a, arg("b", "", 2, 3), arg("c", "", 2, 3)}, ""},
		{[]shape.Arg{arg("a", ""), arg("b", "")}, ""},
		{[]shape.Arg{a, arg("b", "", 3, 2), arg("c", "", 2)}, "f: b has shape [3 2], expected [2 3], that of a\nf: c has shape [2], expected [2 3], that of a"},
		{[]shape.Arg{{Name: "a"}, arg("b", "", 3)}, "f: a is nil, expected a tensor"},
		{[]shape.Arg{a, {Name: "b", Tensor: &array{err: errBroken}}}, "f: b: no such view"},
	} {
		checked(t, shape.Same("f", c.args...), c.want)
	}
}

// TestGrid: a device takes the grid, and what has one already does not.
func TestGrid(t *testing.T) {
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	if on, err := shape.Grid("f", dev, 3, 4, 5); err != nil || on == nil {
		t.Errorf("%v, %v", on, err)
	}
	_, err = shape.Grid("f", dev.Grid(7), 3)
	checked(t, err, "f: the grid follows from the shapes: give a device or a stream without a grid")
	for _, on := range []cutile.Target{nil, (*cutile.Device)(nil), (*cutile.Stream)(nil)} {
		_, err = shape.Grid("f", on, 3)
		checked(t, err, "f: the target is nil: give a device or a stream")
	}
	checked(t, shape.Wrong("g", "x is %d", 5), "g: x is 5")
}

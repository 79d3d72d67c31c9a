package language

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/tile"
)

// TestDocument holds each snippet of docs/language.md against the declarations of this package: the document shows all of
// them, and nothing else, word for word.
func TestDocument(t *testing.T) {
	doc, err := os.ReadFile("../language.md")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("kernels.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "kernels.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, m := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(doc), -1) {
		for _, decl := range strings.Split(strings.TrimSpace(m[1]), "\n\n") {
			if !strings.Contains(string(text), decl+"\n") {
				t.Errorf("docs/language.md shows what kernels.go has not:\n%s", decl)
			}
			shown[decl] = true
		}
	}
	for _, d := range file.Decls {
		start, end := d.Pos(), d.End()
		if f, ok := d.(*ast.FuncDecl); ok && f.Doc != nil {
			start = f.Doc.Pos()
		}
		if g, ok := d.(*ast.GenDecl); ok {
			if g.Tok != token.TYPE {
				continue
			}
			start = g.Doc.Pos()
		}
		decl := string(text[fset.Position(start).Offset:fset.Position(end).Offset])
		if !shown[decl] {
			t.Errorf("docs/language.md does not show\n%s", decl)
		}
	}
}

// lab is a device with helpers for short tests.
type lab struct {
	*testing.T
	dev *cutile.Device
}

func newLab(t *testing.T) lab {
	dev, err := cutile.Open("cpu", cutile.WithChecks())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return lab{t, dev}
}

func tensor[E dtype.Elem](l lab, data []E, shape ...int) *cutile.Tensor[E] {
	x, err := cutile.FromSlice(l.dev, data, shape...)
	if err != nil {
		l.Fatal(err)
	}
	return x
}

func zeros[E dtype.Elem](l lab, shape ...int) *cutile.Tensor[E] {
	x, err := cutile.NewTensor[E](l.dev, shape...)
	if err != nil {
		l.Fatal(err)
	}
	return x
}

func holds[E dtype.Elem](l lab, x *cutile.Tensor[E], want string) {
	l.Helper()
	got, err := x.Slice()
	text := fmt.Sprint(got)
	if x.DType().IsFloat() {
		text = fmt.Sprintf("%.5v", got)
	}
	if err != nil || text != want {
		l.Errorf("got %s, %v; want %s", text, err, want)
	}
}

func (l lab) launch(on cutile.Target, kernel any, args ...any) {
	l.Helper()
	if err := cutile.Launch(l.Context(), on, kernel, args...); err != nil {
		l.Fatal(err)
	}
}

func TestKernels(t *testing.T) {
	l := newLab(t)
	five := []float32{1, 2, 3, 4, 5}
	x, z := tensor(l, five), zeros[float32](l, 5)

	l.launch(l.dev, add[tile.D4], x, x, z)
	holds(l, z, "[2 4 6 8 10]")
	l.launch(l.dev, axpy[tile.D4], 10, x, z)
	holds(l, z, "[12 24 36 48 60]")
	l.launch(l.dev, mapped[tile.D4], x, z, half[tile.F32T1[tile.D4]])
	holds(l, z, "[0.5 1 1.5 2 2.5]")
	l.launch(l.dev, special[tile.D4], x, z)
	holds(l, z, "[2 4 6 8 10]")
	l.launch(l.dev, special[tile.D8], x, z)
	holds(l, z, "[1 2 3 4 5]")
	l.launch(l.dev, checked[tile.D4], x, z)
	holds(l, z, "[1 1.4142 1.7321 2 2.2361]")
	l.launch(l.dev, scaled[tile.D4], x, 3, z)
	holds(l, z, fmt.Sprintf("[%.5v %.5v %.5v %.5v %.5v]", 1.*(1./3), 2.*(1./3), 3.*(1./3), 4.*(1./3), 5.*(1./3)))
	l.launch(l.dev, gather[tile.D4], x, tensor(l, []int32{4, -7, 0, 2, 1}), z)
	holds(l, z, "[5 -1 1 3 2]")

	m := tensor(l, []float64{-1, 0, 1, 2}, 2, 2)
	o := zeros[float64](l, 2, 2)
	l.launch(l.dev, activate[float64, tile.D2, tile.D2], m, o)
	holds(l, o, "[-0.15881 0 0.84119 1.9546]")
	p := zeros[float32](l, 5, 5)
	l.launch(l.dev, outer[tile.D2, tile.D4], x, x, p)
	holds(l, p.Select(0, 3), "[4 8 12 16 20]")

	pairs, turns := tensor(l, []float32{1, 2, 3, 4, 5, 6, 7, 8}, 2, 4), zeros[float32](l, 2, 4)
	l.launch(l.dev, turned[tile.D1, tile.D4], pairs, 0, 1, turns)
	holds(l, turns, "[-3 -4 1 2 -7 -8 5 6]")

	rows := tensor(l, []float32{1, 2, 3, 3, 9, 6}, 2, 3)
	n := zeros[float32](l, 2, 3)
	l.launch(l.dev, normalize[tile.D2, tile.D4], rows, n)
	holds(l, n, "[-1.2247 0 1.2247 -1.2247 1.2247 0]")
	s := zeros[float32](l, 2, 1)
	l.launch(l.dev, logSumExp[tile.D2, tile.D2], rows, s)
	holds(l, s, fmt.Sprintf("[%.5v %.5v]", float32(math.Log(math.E+math.Exp(2)+math.Exp(3))), float32(9+math.Log(math.Exp(-6)+1+math.Exp(-3)))))
	at := zeros[int32](l, 2, 1)
	l.launch(l.dev, rowArgMax[tile.D2, tile.D4], rows, at)
	holds(l, at, "[2 1]")
}

func TestNumbers(t *testing.T) {
	l := newLab(t)
	h := func(v ...float64) (out []dtype.Float16) {
		for _, f := range v {
			out = append(out, dtype.Float16FromFloat64(f))
		}
		return out
	}
	a, b := tensor(l, h(1, 2, 3, 4, 5, 6), 2, 3), tensor(l, h(1, 0, 0, 1, 1, 1), 3, 2)
	c := zeros[float32](l, 2, 2)
	l.launch(l.dev, matmul[tile.D2, tile.D2, tile.D2], a, b, c)
	holds(l, c, "[4 5 10 11]")
	seven, rows := zeros[float32](l, 7, 2), zeros[dtype.Float16](l, 7, 3)
	for i := range 7 {
		if err := rows.Select(0, i).Copy(t.Context(), a.Select(0, i%2)); err != nil {
			t.Fatal(err)
		}
	}
	l.launch(l.dev, resident[tile.D2, tile.D1, tile.D2], rows, b, seven)
	holds(l, seven, "[4 5 10 11 4 5 10 11 4 5 10 11 4 5]")

	steps := zeros[int32](l, 5)
	l.launch(l.dev, collatz[tile.D4], tensor(l, []int32{1, 2, 3, 27, 97}), steps)
	holds(l, steps, "[0 1 7 111 118]")
	bins := zeros[int32](l, 3)
	l.launch(l.dev.Grid(2), histogram[tile.D4], tensor(l, []int32{0, 2, 2, 1, 2, 0}), bins)
	holds(l, bins, "[2 1 3]")

	u, v := zeros[float32](l, 1000), zeros[float32](l, 1000)
	l.launch(l.dev, noise[tile.D64], 7, u)
	l.launch(l.dev, noise[tile.D128], 7, v)
	one, err := u.Slice()
	if err != nil {
		t.Fatal(err)
	}
	two, err := v.Slice()
	if err != nil {
		t.Fatal(err)
	}
	sum := float32(0)
	for i := range one {
		if one[i] != two[i] {
			t.Fatalf("number %d is %v in tiles of 64, and %v in tiles of 128", i, one[i], two[i])
		}
		sum += one[i]
	}
	if sum < 450 || sum > 550 {
		t.Errorf("the mean is %v", sum/1000)
	}
}

// TestPlaces runs the kernels that number, cut, order and combine elements.
func TestPlaces(t *testing.T) {
	l := newLab(t)
	five := []float32{3, -1, 4, -2, 5}
	x := tensor(l, five)
	m := zeros[float32](l, 2, 3)
	l.launch(l.dev, sheared[tile.D2, tile.D2], tensor(l, []float32{1, 2, 3, 4, 5, 6}, 2, 3), m)
	holds(l, m, "[1 2 3 0 4 5]")
	three := zeros[float32](l, 3)
	l.launch(l.dev, smoothed[tile.D4], x, three)
	holds(l, three, "[1.5 1 1.5]")
	l.launch(l.dev, peaks, x, three)
	holds(l, three, "[4 5 5]")
	sums, sorted := zeros[float32](l, 4), zeros[float32](l, 4)
	l.launch(l.dev, ranked[tile.D4], tensor(l, five[:4]), sums, sorted)
	holds(l, sums, "[3 2 6 4]")
	holds(l, sorted, "[-2 -1 3 4]")
	l.launch(l.dev, picked[tile.D4], tensor(l, five[:4]), tensor(l, []float32{1, 2, 3, 4}), true, sorted)
	holds(l, sorted, "[-1 -2 -3 -4]")
	one := zeros[float32](l, 1)
	l.launch(l.dev, nearest[tile.D8], x, one)
	holds(l, one, "[-1]")
}

// TestMistakes launches kernels with what the document says is refused.
func TestMistakes(t *testing.T) {
	l := newLab(t)
	x, z := tensor(l, []float32{1, -1, 1}), zeros[float32](l, 3)
	err := cutile.Launch(t.Context(), l.dev, checked[tile.D2], x, z)
	if err == nil || !strings.Contains(err.Error(), "kernels.go:") || !strings.Contains(err.Error(), "tiles of 2 are too small") {
		t.Errorf("got %v", err)
	}
	err = errors.Join(cutile.Launch(t.Context(), l.dev, checked[tile.D4], x, z), l.dev.Sync(t.Context()))
	if err == nil || !strings.Contains(err.Error(), "assertion failed: roots of negative numbers") {
		t.Errorf("got %v", err)
	}
	err = cutile.Launch(t.Context(), l.dev, exact[tile.D2], x, z)
	if err == nil || !strings.Contains(err.Error(), "indices 0 to 1 of tiles of 2 in an extent of 3") {
		t.Errorf("got %v", err)
	}
	err = cutile.Launch(t.Context(), l.dev, turned[tile.D4, tile.D1], x.Reshape(3, 1), 1, 0, z.Reshape(3, 1))
	if err == nil || !strings.Contains(err.Error(), "tile.Quotient[tile.D1, tile.D2] is 1/2, which is not a whole number") {
		t.Errorf("got %v", err)
	}
	l.launch(l.dev, exact[tile.D1], x, z)
	err = cutile.Launch(t.Context(), l.dev, distance[tile.D2], x, zeros[float32](l, 2), z)
	if err == nil || !strings.Contains(err.Error(), "extent 0 of argument #1 (x) is 3, but extent 0 of argument #2 (y) is 2") {
		t.Errorf("got %v", err)
	}
	v, w := tensor(l, []float32{1, 2, 3, 4}), zeros[float32](l, 4)
	l.launch(l.dev, distance[tile.D2], v, zeros[float32](l, 4), w)
	holds(l, w, "[1 4 9 16]")
	l.launch(l.dev, late[tile.D2], v, 1, w)
	holds(l, w, "[0 0 1 2]")
	sum := zeros[float32](l, 1)
	for range 3 { // forward, backward, shuffled
		l.launch(l.dev.Grid(2), total[tile.D2], v, zeros[float32](l, 2), zeros[int32](l, 1), sum)
		holds(l, sum, "[10]")
		n := zeros[int32](l, 1)
		l.launch(l.dev.Grid(100), locked, zeros[int32](l, 1), n)
		holds(l, n, "[100]")
	}
	holds(l, z, "[-1 1 -1]")
}

// Example_derivedExtents launches a kernel whose caller chooses the extents of a matrix; that of the row follows.
func Example_derivedExtents() {
	dev, err := cutile.Open("cpu")
	if err != nil {
		log.Fatal(err)
	}
	defer dev.Close()
	x, _ := cutile.FromSlice(dev, []float32{1, 2, 3, 4, 5, 6, 7, 8}, 4, 2)
	z, _ := cutile.NewTensor[float32](dev, 8)
	if err := cutile.Launch(context.Background(), dev, flattened[tile.D2, tile.D2], x, z); err != nil {
		log.Fatal(err)
	}
	fmt.Println(z.Slice())
	// Output: [1 2 3 4 5 6 7 8] <nil>
}

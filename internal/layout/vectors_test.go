package layout_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/layout"
)

// vector is one recorded case of testdata: operands and what follows them in its line.
type vector struct {
	class   string // the heading: "composition", "unit-stride composition", "divide flat_divide"
	columns []string
	place   string // file:line
}

// readVectors reads a table, each heading's cases in a row, and counts them by heading.
func readVectors(t *testing.T, name string) (vs []vector, counts map[string]int) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	counts = map[string]int{}
	class := ""
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for n := 1; s.Scan(); n++ {
		if h, ok := strings.CutPrefix(s.Text(), "@"); ok {
			class = h
			continue
		}
		counts[class]++
		vs = append(vs, vector{class, strings.Split(s.Text(), "\t"), fmt.Sprintf("%s:%d", name, n)})
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return vs, counts
}

// operation answers a case from the texts of its operands.
type operation func(in []string) (string, error)

// text makes an answer of anything that prints.
func text[V any](v V, err error) (string, error) {
	return strings.ReplaceAll(fmt.Sprint(v), " ", ""), err
}

// must reads an operand; the recorded operands are all well formed.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

func lay(s string) layout.Layout { return must(layout.ParseLayout(s)) }
func tup(s string) layout.Tuple  { return must(layout.ParseTuple(s)) }
func til(s string) layout.Tiler  { return must(layout.ParseTiler(s)) }
func comp(in []string) layout.Composed {
	return must(layout.ParseComposed(strings.Join(in[:3], " o ")))
}

// integer reads an operand that is one number or symbol.
func integer(s string) layout.Int {
	n, ok := tup(s).IsLeaf()
	if !ok {
		panic(s + " is no integer")
	}
	return n
}

func number(s string) int {
	n, ok := integer(s).Static()
	if !ok {
		panic(s + " is no number")
	}
	return n
}

func numbers(s string) (ns []int) {
	for _, part := range strings.Split(s, ",") {
		ns = append(ns, number(part))
	}
	return ns
}

// onLayout, withTiler and withLayout wrap the usual signatures.
func onLayout[V any](f func(layout.Layout) (V, error)) operation {
	return func(in []string) (string, error) { return text(f(lay(in[0]))) }
}

func withTiler(f func(layout.Layout, layout.Tiler) (layout.Layout, error)) operation {
	return func(in []string) (string, error) { return text(f(lay(in[0]), til(in[1]))) }
}

func withLayout(f func(a, b layout.Layout) (layout.Layout, error)) operation {
	return func(in []string) (string, error) { return text(f(lay(in[0]), lay(in[1]))) }
}

func onTuples(f func(a, b layout.Tuple) (layout.Tuple, error)) operation {
	return func(in []string) (string, error) { return text(f(tup(in[0]), tup(in[1]))) }
}

// sure makes an operation that never refuses look like the others.
func sure[A, V any](f func(A) V) func(A) (V, error) {
	return func(a A) (V, error) { return f(a), nil }
}

// algebra is every operation on plain layouts by the name that the tables use.
var algebra = map[string]operation{
	"size":          onLayout(sure(layout.Layout.Size)),
	"rank":          onLayout(sure(layout.Layout.Rank)),
	"depth":         onLayout(sure(layout.Layout.Depth)),
	"cosize":        onLayout(layout.Layout.Cosize),
	"shape":         onLayout(sure(layout.Layout.Shape)),
	"coalesce":      onLayout(sure(layout.Coalesce)),
	"flatten":       onLayout(sure(layout.Flatten)),
	"filter":        onLayout(sure(layout.Filter)),
	"filter_zeros":  onLayout(sure(layout.FilterZeros)),
	"right_inverse": onLayout(layout.RightInverse),
	"left_inverse":  onLayout(layout.LeftInverse),

	"composition":     withTiler(layout.Compose),
	"logical_divide":  withTiler(layout.LogicalDivide),
	"zipped_divide":   withTiler(layout.ZippedDivide),
	"tiled_divide":    withTiler(layout.TiledDivide),
	"flat_divide":     withTiler(layout.FlatDivide),
	"logical_product": withTiler(layout.LogicalProduct),
	"zipped_product":  withTiler(layout.ZippedProduct),
	"tiled_product":   withTiler(layout.TiledProduct),
	"flat_product":    withTiler(layout.FlatProduct),
	"blocked_product": withLayout(layout.BlockedProduct),
	"raked_product":   withLayout(layout.RakedProduct),

	"crd2idx": func(in []string) (string, error) { return text(lay(in[1]).Index(tup(in[0]))) },
	"idx2crd": func(in []string) (string, error) { return text(layout.Coord(integer(in[0]), tup(in[1]))) },
	"slice":   func(in []string) (string, error) { return text(layout.Slice(lay(in[0]), tup(in[1]))) },
	"coalesce_profile": func(in []string) (string, error) {
		return text(layout.CoalesceBy(lay(in[0]), tup(in[1])))
	},
	"complement": func(in []string) (string, error) {
		return text(layout.Complement(lay(in[0]), tup(in[1])))
	},
}

// check runs one case and compares; want "refused" asks for an *Error.
func check(t *testing.T, v vector, op operation, operands []string, want string) {
	t.Helper()
	got, err := op(operands)
	var refused *layout.Error
	switch {
	case want == "refused" && err == nil:
		t.Errorf("%s: %s of %q = %s, want an error", v.place, v.class, operands, got)
	case want == "refused" && (!errors.As(err, &refused) || refused.Op == "" || len(refused.Operands) == 0):
		t.Errorf("%s: %s of %q: the error does not say what was refused: %v", v.place, v.class, operands, err)
	case want == "refused":
	case err != nil:
		t.Errorf("%s: %s of %q: %v, want %s", v.place, v.class, operands, err, want)
	case strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", ""):
		t.Errorf("%s: %s of %q = %s, want %s", v.place, v.class, operands, got, want)
	}
}

// checkCounts holds the number of cases of each class against a table, so that none is dropped silently.
func checkCounts(t *testing.T, name string, got, want map[string]int) {
	t.Helper()
	for class, n := range got {
		if want[class] != n {
			t.Errorf("%s has %d cases of %q, want %d", name, n, class, want[class])
		}
	}
	for class, n := range want {
		if got[class] == 0 {
			t.Errorf("%s has no cases of %q, want %d", name, class, n)
		}
	}
}

// agreed is what both references answer alike, letter for letter.
var agreed = map[string]int{
	"size": 120, "cosize": 157, "rank": 80, "depth": 80, "crd2idx": 340, "idx2crd": 180, "coalesce": 320,
	"coalesce_profile": 140, "composition": 544, "complement": 336, "right_inverse": 261, "left_inverse": 206,
	"logical_divide": 146, "zipped_divide": 138, "tiled_divide": 143, "flat_divide": 141, "logical_product": 136,
	"zipped_product": 146, "tiled_product": 136, "flat_product": 137, "blocked_product": 130, "raked_product": 167,
	"slice": 280,
}

func TestAgreed(t *testing.T) {
	vs, counts := readVectors(t, "agreed.txt")
	checkCounts(t, "agreed.txt", counts, agreed)
	for _, v := range vs {
		k := len(v.columns) - 2
		check(t, v, algebra[v.class], v.columns[:k], v.columns[k])
	}
}

// differing is what the references answer differently: which one we follow, by class of difference.
var differing = map[string]struct {
	follow string
	cases  map[string]int
}{
	"unit-stride": {"package", map[string]int{
		"composition": 357, "logical_divide": 103, "zipped_divide": 86, "tiled_divide": 81, "flat_divide": 86,
		"logical_product": 32, "zipped_product": 21, "tiled_product": 30, "flat_product": 30, "blocked_product": 34}},
	"drops-modes": {"package", map[string]int{"composition": 158}},
	"rank": {"package", map[string]int{
		"logical_divide": 24, "zipped_divide": 22, "tiled_divide": 15, "flat_divide": 19}},
	"underscore": {"pycute, but for the stride of modes of size 1", map[string]int{
		"zipped_divide": 24, "tiled_divide": 35, "flat_divide": 29}},
	"dsl-refuses": {"package", map[string]int{
		"composition": 23, "left_inverse": 18, "logical_divide": 1, "zipped_divide": 1, "logical_product": 2,
		"zipped_product": 3, "tiled_product": 4, "flat_product": 3, "blocked_product": 4, "raked_product": 3}},
	"pycute-refuses": {"package", map[string]int{"complement": 3, "left_inverse": 1}},
	"same-function":  {"package", map[string]int{"complement": 1, "blocked_product": 2}},
	"other-function": {"package", map[string]int{
		"composition": 18, "cosize": 3, "left_inverse": 95, "right_inverse": 19, "logical_divide": 6,
		"zipped_divide": 9, "tiled_divide": 6, "flat_divide": 5}},
}

func TestDiffering(t *testing.T) {
	vs, counts := readVectors(t, "differing.txt")
	want := map[string]int{}
	for class, d := range differing {
		for op, n := range d.cases {
			want[class+" "+op] = n
		}
	}
	checkCounts(t, "differing.txt", counts, want)
	for _, v := range vs {
		class, op, _ := strings.Cut(v.class, " ")
		k := len(v.columns) - 4
		if op == "complement" { // the layouts hit an offset twice, or their modes lie between each other
			check(t, v, algebra[op], v.columns[:k], "refused")
			continue
		}
		if differing[class].follow == "package" {
			check(t, v, algebra[op], v.columns[:k], v.columns[k])
			continue
		}
		moduloUnits := func(in []string) (string, error) {
			r, err := algebra[op](in)
			if err != nil {
				return "", err
			}
			return zeroUnits(r), nil
		}
		want := v.columns[k+2]
		if w, ok := beyondUnits[strings.Join(v.columns[:k], " / ")]; ok {
			want = w
		}
		check(t, v, moduloUnits, v.columns[:k], zeroUnits(want))
	}
}

// beyondUnits are cases with an underscore whose tile also reaches past a mode of size 1: there pycute breaks the law of
// divides (it answers stride 0), as in the class other-function, so the tile's stride is the package's.
var beyondUnits = map[string]string{
	"(1,1,(2,4)):(1,1,(1,2)) / [_;8]": "(1,8,1,1,(2,4)):(0,1,0,0,(1,2))",
	"(1,4,2):(1,1,4) / [4;_;5]":       "((4,1,5),1,4,1):((1,0,4),0,1,0)",
}

// zeroUnits gives every leaf of size 1 the stride 0.
func zeroUnits(s string) string {
	var walk func(l layout.Layout) layout.Layout
	walk = func(l layout.Layout) layout.Layout {
		switch {
		case l.Depth() > 0:
			ms := l.Modes()
			for i := range ms {
				ms[i] = walk(ms[i])
			}
			return layout.Join(ms...)
		case l.Size().Is(1):
			return lay("1:0")
		}
		return l
	}
	return walk(lay(s)).String()
}

package cpu_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/tileir"
)

// body is what a reduction does with an accumulator and an element, in the IR and in Go.
type body[T any] struct {
	name  string
	build func(k *kernel, elem, acc *tileir.Value) *tileir.Value
	ref   func(elem, acc T) T
}

func two(op string, as attrs) func(k *kernel, x, y *tileir.Value) *tileir.Value {
	return func(k *kernel, x, y *tileir.Value) *tileir.Value { return k.one(op, vals{x, y}, as, x.Type) }
}

func turned(f func(k *kernel, x, y *tileir.Value) *tileir.Value) func(k *kernel, x, y *tileir.Value) *tileir.Value {
	return func(k *kernel, x, y *tileir.Value) *tileir.Value { return f(k, y, x) }
}

// number and greater are IEEE 754-2019's maximumNumber and maximum; least turns them round.
func number(x, y float32) float32 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return greater(x, y)
}

func greater(x, y float32) float32 {
	switch {
	case x != x || y != y:
		return float32(math.NaN())
	case x > y, x == y && !math.Signbit(float64(x)):
		return x
	}
	return y
}

func least(f func(x, y float32) float32) func(x, y float32) float32 {
	return func(x, y float32) float32 { return -f(-x, -y) }
}

// checkFold runs a reduction and a scan in both directions over every length, along rows and columns.
func checkFold[T comparable](t *testing.T, e tileir.Elem, b body[T], x func(n int) []T, equal func(a, b T) bool) {
	t.Helper()
	d := newDevice(t, cpu.Options{})
	for _, shape := range [][]int{{2}, {64}, {128}, {4096}, {2, 2048}, {2048, 2}} {
		dim := len(shape) - 1
		if shape[0] > 2 {
			dim = 0
		}
		in := x(product(shape))
		out := slices.Delete(slices.Clone(shape), dim, dim+1)
		for _, name := range []string{"reduce", "scan", "reverse"} {
			if name != "reduce" && product(shape) > 128 {
				continue
			}
			got, err := runTiles(t, d, []input{{e, bytesOf(in)}}, func(k *kernel, args vals) *tileir.Value {
				v := k.one("reshape", args, nil, tileir.Tile(e, shape...))
				of := func(elem, acc *tileir.Value) *tileir.Value { return b.build(k, elem, acc) }
				if name == "reduce" {
					return k.fold(name, v, dim, nil, tileir.Tile(e, out...), of)
				}
				return k.fold("scan", v, dim, attrs{"reverse": tileir.Bool(name == "reverse")}, tileir.Tile(e, shape...), of)
			})
			if err != nil {
				t.Fatalf("%s %s: %v", name, b.name, err)
			}
			var want []T
			if name == "reduce" {
				for i := range product(out) {
					var row []T
					for _, p := range line(shape, dim, slices.Insert(index(out, i), dim, 0)) {
						row = append(row, in[p])
					}
					want = append(want, folded(row, b.ref))
				}
			} else {
				want = scanned(in, name == "reverse", b.ref)
			}
			if !slices.EqualFunc(as[T](got), want, equal) {
				t.Errorf("%s by %s of %v: %v, want %v", name, b.name, shape, as[T](got)[:min(4, len(want))], want[:min(4, len(want))])
			}
		}
	}
}

// scanned scans a row: groups of 16 elements by halves, then each with the end of the one before it.
func scanned[T any](in []T, reverse bool, op func(elem, acc T) T) []T {
	out := slices.Clone(in)
	if reverse {
		slices.Reverse(out)
	}
	for at := 0; at < len(out); at += 16 {
		group := out[at:min(at+16, len(out))]
		scanHalves(group, op)
		for i := range group {
			if at > 0 {
				group[i] = op(group[i], out[at-1])
			}
		}
	}
	if reverse {
		slices.Reverse(out)
	}
	return out
}

// scanHalves scans both halves, and the upper one goes on where the lower one ends.
func scanHalves[T any](x []T, op func(elem, acc T) T) {
	if len(x) == 1 {
		return
	}
	lower, upper := x[:len(x)/2], x[len(x)/2:]
	scanHalves(lower, op)
	scanHalves(upper, op)
	for i := range upper {
		upper[i] = op(upper[i], lower[len(lower)-1])
	}
}

// TestFoldBodies: bodies of one operation in both orders of its operands, and bodies that only look like one.
func TestFoldBodies(t *testing.T) {
	ints := func(n int) []int32 {
		rng, out := generator(3), make([]int32, n)
		for i := range out {
			out[i] = int32(rng()>>33) - 1<<30
		}
		return out
	}
	sub, add := two("subi", nil), two("addi", nil)
	for _, b := range []body[int32]{
		{"elem - acc", sub, func(elem, acc int32) int32 { return elem - acc }},
		{"acc - elem", turned(sub), func(elem, acc int32) int32 { return acc - elem }},
		{"acc + acc", func(k *kernel, _, acc *tileir.Value) *tileir.Value { return add(k, acc, acc) }, func(_, acc int32) int32 { return 2 * acc }},
		{"elem + elem", func(k *kernel, elem, _ *tileir.Value) *tileir.Value { return add(k, elem, elem) }, func(elem, _ int32) int32 { return 2 * elem }},
		{"elem, beside a sum", func(k *kernel, elem, acc *tileir.Value) *tileir.Value { add(k, elem, acc); return elem }, func(elem, _ int32) int32 { return elem }},
		{"acc", func(_ *kernel, _, acc *tileir.Value) *tileir.Value { return acc }, func(_, acc int32) int32 { return acc }},
		{"elem", func(_ *kernel, elem, _ *tileir.Value) *tileir.Value { return elem }, func(elem, _ int32) int32 { return elem }},
		{"7", func(k *kernel, _, _ *tileir.Value) *tileir.Value { return k.i32(7) }, func(_, _ int32) int32 { return 7 }},
		{"7 + 8", func(k *kernel, _, _ *tileir.Value) *tileir.Value { return add(k, k.i32(7), k.i32(8)) }, func(_, _ int32) int32 { return 15 }},
		{"-elem", func(k *kernel, elem, _ *tileir.Value) *tileir.Value { return k.one("negi", vals{elem}, nil, elem.Type) }, func(elem, _ int32) int32 { return -elem }},
		{"elem + 3", func(k *kernel, elem, _ *tileir.Value) *tileir.Value { return add(k, elem, k.i32(3)) }, func(elem, _ int32) int32 { return elem + 3 }},
	} {
		checkFold(t, tileir.I32, b, ints, func(x, y int32) bool { return x == y })
	}
}

// TestFoldExtremes: the greatest and least number with and without NaN, whose loops for long reductions are others.
func TestFoldExtremes(t *testing.T) {
	testenv.Alone(t)
	nan, zero := float32(math.NaN()), float32(0)
	inputs := map[string]func(n int) []float32{
		"numbers": func(n int) []float32 { return randomFloats(n, 5, 100) },
		"with NaN": func(n int) []float32 {
			x := randomFloats(n, 6, 100)
			x[n/2], x[n-1] = nan, nan
			return x
		},
		"NaN": func(n int) []float32 { return slices.Repeat([]float32{nan}, n) },
		"zeros": func(n int) []float32 {
			x := slices.Repeat([]float32{-zero}, n)
			for i := range x {
				x[i] = float32(math.Copysign(0, float64(i%3)-1.5))
			}
			return x
		},
		"negative zeros": func(n int) []float32 { return slices.Repeat([]float32{float32(math.Copysign(0, -1))}, n) },
		"descending": func(n int) []float32 {
			x := make([]float32, n)
			for i := range x {
				x[i] = float32(-i)
			}
			return x
		},
	}
	for op, refs := range map[string][2]func(x, y float32) float32{
		"maxf": {number, greater}, "minf": {least(number), least(greater)},
	} {
		for propagate, ref := range refs {
			of := two(op, attrs{"propagate_nan": tileir.Bool(propagate == 1)})
			for name, x := range inputs {
				equal := func(a, b float32) bool { return same(float64(a), float64(b)) }
				checkFold(t, tileir.F32, body[float32]{op + " of " + name, of, ref}, x, equal)
				checkFold(t, tileir.F32, body[float32]{op + " turned of " + name, turned(of), ref}, x, equal)
			}
		}
	}
}

// TestFoldFaults: a fault inside a body ends the kernel, wherever the reduction is.
func TestFoldFaults(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for _, c := range []struct {
		name string
		n    int
		zero int // the element that does not hold
	}{{"reduce", 64, 63}, {"reduce", 64, 1}, {"reduce", 256, 255}, {"reduce", 256, 70}, {"scan", 64, 9}, {"scan", 64, 63}} {
		x := make([]int32, c.n)
		for i := range x {
			x[i] = 1
		}
		for _, bad := range []bool{false, true} {
			if bad {
				x[c.zero] = 0
			}
			_, err := runTiles(t, d, []input{{tileir.I32, bytesOf(x)}}, func(k *kernel, args vals) *tileir.Value {
				out, more := tileir.Tile(tileir.I32), attrs{}
				if c.name == "scan" {
					out, more = tileir.Tile(tileir.I32, c.n), attrs{"reverse": tileir.Bool(false)}
				}
				return k.fold(c.name, args[0], 0, more, out, func(elem, acc *tileir.Value) *tileir.Value {
					s := elem.Type
					then := k.region(nil, func(vals) { // what has a branch is done for one element after the other
						q := k.one("divi", vals{acc, elem}, attrs{"signedness": tileir.Signed, "rounding": tileir.RoundingZero}, s)
						k.opGroups("yield", []vals{{q}}, nil, nil)
					})
					els := k.region(nil, func(vals) { k.opGroups("yield", []vals{{elem}}, nil, nil) })
					return k.opGroups("if", []vals{{k.bools(true)}}, nil, []*tileir.Block{then, els}, s)[0]
				})
			})
			if (err != nil) != bad || err != nil && !strings.Contains(err.Error(), "division by zero") {
				t.Errorf("%s of %d with 0 at %d, %t: %v", c.name, c.n, c.zero, bad, err)
			}
		}
	}
}

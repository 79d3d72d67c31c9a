package cpu_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// sizes are element types of one, two, four and eight bytes.
var sizes = []tileir.Elem{tileir.I8, tileir.I16, tileir.I32, tileir.I64}

// counting gives 0, 1, 2 … as elements.
func counting(e tileir.Elem, n int) []byte {
	v := make([]int64, n)
	for i := range v {
		v[i] = int64(i)
	}
	return encodeInts(e, v)
}

// index gives the coordinates of element i of a shape.
func index(shape []int, i int) []int {
	c := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		c[d], i = i%shape[d], i/shape[d]
	}
	return c
}

// position is the inverse of index.
func position(shape, c []int) int {
	i := 0
	for d := range shape {
		i = i*shape[d] + c[d]
	}
	return i
}

func product(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// checkMoved runs an operation that only moves elements and compares each result with the element that from names.
func checkMoved(t *testing.T, name string, inputs [][]int, out []int, build func(k *kernel, e tileir.Elem, args vals) *tileir.Value, from func(c []int) (input, pos int)) {
	t.Helper()
	for i := range 2 * len(sizes) { // by machine code and interpreted
		e, d := sizes[i/2], newDevice(t, cpu.Options{Interpret: i%2 > 0})
		var in []input
		for i, shape := range inputs {
			data := counting(e, product(shape))
			for j := range data {
				data[j] += byte(50 * i)
			}
			in = append(in, input{e, data})
		}
		got, err := runTiles(t, d, in, func(k *kernel, args vals) *tileir.Value {
			for i, shape := range inputs {
				args[i] = k.one("reshape", vals{args[i]}, nil, tileir.Tile(e, shape...))
			}
			return build(k, e, args)
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		w := e.Bytes()
		for i := range product(out) {
			n, p := from(index(out, i))
			if g, want := got[i*w:][:w], in[n].data[p*w:][:w]; !slices.Equal(g, want) {
				t.Fatalf("%s of %s: element %v is %v, want %v", name, e, index(out, i), g, want)
			}
		}
	}
}

func TestMovingElements(t *testing.T) {
	for _, c := range []struct{ from, perm []int }{
		{[]int{4, 8}, []int{1, 0}}, {[]int{32, 64}, []int{1, 0}}, {[]int{2, 4, 8}, []int{2, 0, 1}},
		{[]int{2, 4, 8}, []int{0, 2, 1}}, {[]int{2, 4, 1, 8}, []int{3, 1, 2, 0}},
	} {
		out := make([]int, len(c.perm))
		for i, p := range c.perm {
			out[i] = c.from[p]
		}
		checkMoved(t, fmt.Sprint("permute ", c), [][]int{c.from}, out, func(k *kernel, e tileir.Elem, args vals) *tileir.Value {
			return k.one("permute", args, attrs{"permutation": tileir.Ints(c.perm)}, tileir.Tile(e, out...))
		}, func(at []int) (int, int) {
			src := make([]int, len(at))
			for i, p := range c.perm {
				src[p] = at[i]
			}
			return 0, position(c.from, src)
		})
	}
	for _, c := range []struct{ from, to []int }{
		{[]int{1}, []int{16}}, {[]int{1, 8}, []int{4, 8}}, {[]int{4, 1}, []int{4, 8}}, {[]int{2, 1, 4}, []int{2, 8, 4}}, {[]int{1, 1}, []int{8, 4}},
	} {
		checkMoved(t, fmt.Sprint("broadcast ", c), [][]int{c.from}, c.to, func(k *kernel, e tileir.Elem, args vals) *tileir.Value {
			return k.one("broadcast", args, nil, tileir.Tile(e, c.to...))
		}, func(at []int) (int, int) {
			src := slices.Clone(at)
			for i, n := range c.from {
				src[i] = min(src[i], n-1)
			}
			return 0, position(c.from, src)
		})
	}
	for dim := range 2 {
		shape, out := []int{4, 8}, []int{4, 8}
		out[dim] *= 2
		checkMoved(t, fmt.Sprint("cat ", dim), [][]int{shape, shape}, out, func(k *kernel, e tileir.Elem, args vals) *tileir.Value {
			return k.one("cat", args, attrs{"dim": tileir.Int(dim)}, tileir.Tile(e, out...))
		}, func(at []int) (int, int) {
			n := at[dim] / shape[dim]
			at[dim] %= shape[dim]
			return n, position(shape, at)
		})
	}
	checkMoved(t, "extract", [][]int{{8, 16}}, []int{2, 4}, func(k *kernel, e tileir.Elem, args vals) *tileir.Value {
		return k.opGroups("extract", []vals{{args[0]}, {k.i32(3), k.i32(2)}}, nil, nil, tileir.Tile(e, 2, 4))[0]
	}, func(at []int) (int, int) { return 0, (3*2+at[0])*16 + 2*4 + at[1] })
	checkMoved(t, "insert", [][]int{{2, 4}, {8, 16}}, []int{8, 16}, func(k *kernel, e tileir.Elem, args vals) *tileir.Value {
		return k.opGroups("insert", []vals{{args[0]}, {args[1]}, {k.i32(1), k.i32(3)}}, nil, nil, tileir.Tile(e, 8, 16))[0]
	}, func(at []int) (int, int) {
		if at[0]/2 == 1 && at[1]/4 == 3 {
			return 0, at[0]%2*4 + at[1]%4
		}
		return 1, position([]int{8, 16}, at)
	})
	checkMoved(t, "select", [][]int{{8}, {8}}, []int{8}, func(k *kernel, e tileir.Elem, args vals) *tileir.Value {
		return k.one("select", vals{k.bools(true, false, true, true, false, false, true, false), args[0], args[1]}, nil, tileir.Tile(e, 8))
	}, func(at []int) (int, int) { return []int{0, 1, 0, 0, 1, 1, 0, 1}[at[0]], at[0] })
}

func TestIota(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for _, e := range sizes {
		got, err := runTiles(t, d, nil, func(k *kernel, _ vals) *tileir.Value { return k.one("iota", nil, nil, tileir.Tile(e, 128)) })
		if err != nil || !slices.Equal(got, counting(e, 128)) {
			t.Errorf("iota of %s: %v, %v", e, got, err)
		}
	}
}

func TestPackBits(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	got, err := runTiles(t, d, []input{{tileir.I1, []byte{1, 0, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0}}}, func(k *kernel, args vals) *tileir.Value {
		return k.one("pack", args, nil, tileir.Tile(tileir.I8, 2))
	})
	if err != nil || !slices.Equal(got, []byte{0x8d, 0x02}) {
		t.Errorf("pack of i1: %x, %v", got, err)
	}
	got, err = runTiles(t, d, []input{{tileir.F32, bytesOf([]float32{1, -2})}}, func(k *kernel, args vals) *tileir.Value {
		return k.one("pack", args, nil, tileir.Tile(tileir.I8, 8))
	})
	if err != nil || !slices.Equal(got, bytesOf([]float32{1, -2})) {
		t.Errorf("pack of f32: %x, %v", got, err)
	}
	got, err = runTiles(t, d, []input{{tileir.I8, []byte{0x8d, 0x2f}}}, func(k *kernel, args vals) *tileir.Value {
		v := k.one("unpack", args, nil, tileir.Tile(tileir.I4, 4))
		return k.one("exti", vals{v}, attrs{"signedness": tileir.Signed}, tileir.Tile(tileir.I8, 4))
	})
	if err != nil || !slices.Equal(got, []byte{0xfd, 0xf8, 0xff, 2}) {
		t.Errorf("i4: %x, %v", got, err)
	}
}

// fold builds a reduce or scan. The accumulator is the first argument of its body.
func (k *kernel) fold(name string, v *tileir.Value, dim int, more attrs, out *tileir.TileType, combine func(elem, acc *tileir.Value) *tileir.Value) *tileir.Value {
	e := tileir.Tile(v.Type.(*tileir.TileType).Elem)
	body := k.region([]tileir.Type{e, e}, func(args vals) {
		k.opGroups("yield", []vals{{combine(args[1], args[0])}}, nil, nil)
	})
	as := attrs{"dim": tileir.Int(dim), "identities": tileir.Numbers{{Elem: e.Elem}}}
	for n, a := range more {
		as[n] = a
	}
	return k.opGroups(name, []vals{{v}}, as, []*tileir.Block{body}, out)[0]
}

var nearest = attrs{"rounding_mode": tileir.RoundingNearestEven}

// folded is the documented order of a reduction.
func folded[T any](x []T, op func(elem, acc T) T) T {
	p := slices.Clone(x[:min(len(x), 64)])
	for i := 64; i < len(x); i++ {
		p[i%64] = op(x[i], p[i%64])
	}
	for n := len(p) / 2; n > 0; n /= 2 {
		for j := range n {
			p[j] = op(p[j+n], p[j])
		}
	}
	return p[0]
}

var foldShapes = [][]int{{1}, {2}, {64}, {1024}, {4, 8}, {128, 4}, {4, 256}, {2, 128, 2}, {2, 16, 32}, {64, 1}, {1, 64}}

// line gives the elements along a dimension through a position of the rest.
func line(shape []int, dim int, c []int) []int {
	out := make([]int, shape[dim])
	at := slices.Clone(c)
	for j := range out {
		at[dim] = j
		out[j] = position(shape, at)
	}
	return out
}

func TestReduceOrder(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	add := func(elem, acc float32) float32 { return elem + acc }
	odd := func(elem, acc float32) float32 { return float32(acc*0.5) + float32(elem*elem) } // neither commutative nor associative
	for _, shape := range foldShapes {
		x := make([]float32, product(shape))
		for i := range x {
			x[i] = float32(math.Sin(float64(i)*12.9898)) * 100
		}
		for dim := range shape {
			out := slices.Delete(slices.Clone(shape), dim, dim+1)
			for name, ref := range map[string]func(elem, acc float32) float32{"add": add, "odd": odd} {
				got, err := runTiles(t, d, []input{{tileir.F32, bytesOf(x)}}, func(k *kernel, args vals) *tileir.Value {
					v := k.one("reshape", args, nil, tileir.Tile(tileir.F32, shape...))
					s := tileir.Tile(tileir.F32)
					return k.fold("reduce", v, dim, nil, tileir.Tile(tileir.F32, out...), func(elem, acc *tileir.Value) *tileir.Value {
						if name == "add" {
							return k.one("addf", vals{elem, acc}, nearest, s)
						}
						half := constant(k, s, float32(0.5))
						a := k.one("mulf", vals{acc, half}, nearest, s)
						b := k.one("mulf", vals{elem, elem}, nearest, s)
						return k.one("addf", vals{a, b}, nearest, s)
					})
				})
				if err != nil {
					t.Fatal(err)
				}
				for i, g := range as[float32](got) {
					var row []float32
					for _, p := range line(shape, dim, slices.Insert(index(out, i), dim, 0)) {
						row = append(row, x[p])
					}
					if want := folded(row, ref); g != want {
						t.Fatalf("reduce %s of %v along %d: element %d is %v, want %v", name, shape, dim, i, g, want)
					}
				}
			}
		}
	}
}

func TestScanOrder(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	for _, shape := range foldShapes {
		x := make([]float32, product(shape))
		for i := range x {
			x[i] = float32(math.Sin(float64(i)*78.233)) * 10
		}
		for dim := range shape {
			for _, reverse := range []bool{false, true} {
				got, err := runTiles(t, d, []input{{tileir.F32, bytesOf(x)}}, func(k *kernel, args vals) *tileir.Value {
					tt := tileir.Tile(tileir.F32, shape...)
					v := k.one("reshape", args, nil, tt)
					s := tileir.Tile(tileir.F32)
					return k.fold("scan", v, dim, attrs{"reverse": tileir.Bool(reverse)}, tt, func(elem, acc *tileir.Value) *tileir.Value {
						half := constant(k, s, float32(0.5))
						return k.one("addf", vals{k.one("mulf", vals{acc, half}, nearest, s), elem}, nearest, s)
					})
				})
				if err != nil {
					t.Fatal(err)
				}
				res := as[float32](got)
				for i := range x {
					c := index(shape, i)
					if c[dim] != 0 {
						continue
					}
					var row []float32
					for _, p := range line(shape, dim, c) {
						row = append(row, x[p])
					}
					want := scanned(row, reverse, func(elem, acc float32) float32 { return float32(acc*0.5) + elem })
					for j, p := range line(shape, dim, c) {
						if res[p] != want[j] {
							t.Fatalf("scan of %v along %d reverse=%v: element %d is %v, want %v", shape, dim, reverse, p, res[p], want[j])
						}
					}
				}
			}
		}
	}
}

// argmax builds a reduce of two tiles that keeps the greatest value and the least of its indices.
func (k *kernel) argmax(v, i *tileir.Value, dim int, out []int) vals {
	f, s := tileir.Tile(tileir.F32), tileir.Tile(tileir.I32)
	b := tileir.Tile(tileir.I1)
	body := k.region([]tileir.Type{f, f, s, s}, func(a vals) {
		more := k.one("cmpf", a[:2], attrs{"comparison_predicate": tileir.CompareGreaterThan, "comparison_ordering": tileir.CompareOrdered}, b)
		same := k.one("cmpf", a[:2], attrs{"comparison_predicate": tileir.CompareEqual, "comparison_ordering": tileir.CompareOrdered}, b)
		first := k.one("cmpi", a[2:], attrs{"comparison_predicate": tileir.CompareLessThan, "signedness": tileir.Signed}, b)
		take := k.one("ori", vals{more, k.one("andi", vals{same, first}, nil, b)}, nil, b)
		k.opGroups("yield", []vals{{
			k.one("select", vals{take, a[0], a[1]}, nil, f), k.one("select", vals{take, a[2], a[3]}, nil, s),
		}}, nil, nil)
	})
	as := attrs{"dim": tileir.Int(dim), "identities": tileir.Numbers{{Elem: tileir.F32, Bits: 0xff800000}, {Elem: tileir.I32}}}
	return k.opGroups("reduce", []vals{{v, i}}, as, []*tileir.Block{body}, tileir.Tile(tileir.F32, out...), tileir.Tile(tileir.I32, out...))
}

func TestArgmax(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	const rows, n = 4, 256
	x, idx := make([]float32, rows*n), make([]int32, rows*n)
	rng := generator(71)
	for i := range x {
		x[i], idx[i] = float32(rng()%100), int32(i%n)
	}
	got, err := runTiles(t, d, []input{{tileir.F32, bytesOf(x)}, {tileir.I32, bytesOf(idx)}}, func(k *kernel, args vals) *tileir.Value {
		v := k.one("reshape", args[:1], nil, tileir.Tile(tileir.F32, rows, n))
		i := k.one("reshape", args[1:], nil, tileir.Tile(tileir.I32, rows, n))
		return k.argmax(v, i, 1, []int{rows})[1]
	})
	if err != nil {
		t.Fatal(err)
	}
	for r, g := range as[int32](got) {
		best := 0
		for j := range n {
			if x[r*n+j] > x[r*n+best] {
				best = j
			}
		}
		if int(g) != best {
			t.Errorf("row %d: %d, want %d", r, g, best)
		}
	}
}

// TestBranchInCombiner has a body that cannot work on many elements at a time.
func TestBranchInCombiner(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	x := make([]int32, 256)
	for i := range x {
		x[i] = int32(i*37%101) - 50
	}
	s := tileir.Tile(tileir.I32)
	got, err := runTiles(t, d, []input{{tileir.I32, bytesOf(x)}}, func(k *kernel, args vals) *tileir.Value {
		return k.fold("reduce", args[0], 0, nil, s, func(elem, acc *tileir.Value) *tileir.Value {
			more := k.one("cmpi", vals{elem, acc}, attrs{"comparison_predicate": tileir.CompareGreaterThan, "signedness": tileir.Signed}, tileir.Tile(tileir.I1))
			then := k.region(nil, func(vals) { k.opGroups("yield", []vals{{elem}}, nil, nil) })
			els := k.region(nil, func(vals) { k.opGroups("yield", []vals{{acc}}, nil, nil) })
			return k.opGroups("if", []vals{{more}}, nil, []*tileir.Block{then, els}, s)[0]
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if g := as[int32](got)[0]; g != slices.Max(x) {
		t.Errorf("maximum is %d, want %d", g, slices.Max(x))
	}
}

// TestCapturedInCombiner uses values from outside in bodies: scalars where the body works on many elements at a time,
// and tiles where it does not.
func TestCapturedInCombiner(t *testing.T) {
	d := newDevice(t, cpu.Options{})
	x := make([]int32, 512)
	for i := range x {
		x[i] = int32(i)
	}
	s := tileir.Tile(tileir.I32)
	for _, rank := range []int{0, 1} {
		got, err := runTiles(t, d, []input{{tileir.I32, bytesOf(x)}}, func(k *kernel, args vals) *tileir.Value {
			three, yes := k.i32(3), k.bools(true)
			weights := constant(k, tileir.Tile(tileir.I32, 2), []int32{3, 5}...)
			sum := k.fold("reduce", args[0], 0, nil, s, func(elem, acc *tileir.Value) *tileir.Value {
				w := three
				if rank == 1 {
					part := k.opGroups("extract", []vals{{weights}, {k.i32(0)}}, nil, nil, tileir.Tile(tileir.I32, 1))[0]
					w = k.one("reshape", vals{part}, nil, s)
				}
				v := k.one("addi", vals{k.one("addi", vals{elem, acc}, nil, s), w}, nil, s)
				return k.one("select", vals{yes, v, k.i32(-1)}, nil, s)
			})
			return k.one("addi", vals{sum, three}, nil, s)
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := int32(511*512/2 + 3*511 + 3); as[int32](got)[0] != want {
			t.Errorf("rank %d: %d, want %d", rank, as[int32](got)[0], want)
		}
	}
}

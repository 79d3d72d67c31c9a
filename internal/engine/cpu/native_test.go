package cpu_test

import (
	"bytes"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/tileir"
)

// eachLevel compares what a program gives at each level of machine code with what it gives interpreted. The program runs
// on tiles of its inputs; the operations named must have become machine code.
func eachLevel(t *testing.T, inputs []input, build func(k *kernel, args vals) *tileir.Value, wanted ...string) {
	t.Helper()
	if testenv.Few() && levelled.Add(1)%8 > 0 { // they have one block each
		return
	}
	want, err := runTiles(t, newDevice(t, cpu.Options{Interpret: true}), inputs, build)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range cpu.NativeLevels() {
		d := newDevice(t, cpu.Options{})
		cpu.SetLevel(d, l)
		got, err := runTiles(t, d, inputs, func(k *kernel, args vals) *tileir.Value {
			v := build(k, args)
			names := cpu.ByCode(d, k.entry)
			for _, name := range wanted {
				if !slices.Contains(names, name) {
					t.Errorf("%s: %s is interpreted; native are %v", l, name, names)
				}
			}
			return v
		})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			i := 0
			for got[i] == want[i] {
				i++
			}
			t.Errorf("%s: byte %d of %d differs", l, i, len(got))
		}
	}
}

// levelled counts the calls of eachLevel.
var levelled atomic.Int64

// randomInput gives elements without NaN.
func randomInput(e tileir.Elem, n int, seed uint64) input {
	rng := generator(seed)
	data := make([]byte, n*e.Bytes())
	for i := range data {
		data[i] = byte(rng() >> 40)
	}
	top := e.Bytes() - 1
	for i := range n {
		switch b := data[i*e.Bytes():]; e {
		case tileir.I1:
			b[0] &= 1
		case tileir.F16:
			b[top] &^= 0x40
		case tileir.F32, tileir.F64, tileir.BF16:
			b[top] = b[top]&0x80 | 0x3f
		}
	}
	return input{e, data}
}

// TestNativeReduceColumns reduces along other dimensions than the last one, and along short ones.
func TestNativeReduceColumns(t *testing.T) {
	for i, c := range []struct {
		shape []int
		dim   int
	}{
		{[]int{2, 16}, 0}, {[]int{4, 256}, 0}, {[]int{1, 512}, 0}, {[]int{64, 32}, 0}, {[]int{128, 16}, 0}, {[]int{512, 64}, 0},
		{[]int{16, 8}, 0}, {[]int{16, 8}, 1}, {[]int{64, 2}, 1}, {[]int{256, 4}, 0}, {[]int{4, 8, 32}, 0}, {[]int{4, 8, 32}, 1},
		{[]int{2, 128, 4, 16}, 1}, {[]int{2, 4, 8, 2}, 2}, {[]int{4, 4, 4}, 0}, {[]int{2048, 1}, 0}, {[]int{1, 4096}, 0},
		{[]int{8, 1}, 0}, {[]int{4, 32, 1, 1}, 1}, {[]int{32, 1, 4, 1}, 0}, {[]int{2, 16, 16, 1}, 1},
	} {
		for _, e := range []tileir.Elem{tileir.F32, tileir.F16, tileir.BF16, tileir.F64, tileir.I1, tileir.I8, tileir.I32, tileir.I64} {
			t.Run(fmt.Sprint(c.shape, c.dim, e), func(t *testing.T) {
				n := product(c.shape)
				out := tileir.Tile(e, slices.Delete(slices.Clone(c.shape), c.dim, c.dim+1)...)
				add, more := "addi", attrs(nil)
				if e.IsFloat() {
					add, more = "addf", nearest
				}
				eachLevel(t, []input{randomInput(e, n, uint64(i)), randomInput(e, n, uint64(i)+50)}, func(k *kernel, args vals) *tileir.Value {
					full := tileir.Tile(e, c.shape...)
					x := k.one("reshape", args[:1], nil, full)
					y := k.one("reshape", args[1:], nil, full)
					sum := k.one(add, vals{x, y}, more, full)
					a := k.fold("reduce", sum, c.dim, nil, out, func(e, a *tileir.Value) *tileir.Value { return k.one(add, vals{a, e}, more, e.Type) })
					// A body whose two arguments do not play the same part.
					b := k.fold("reduce", x, c.dim, nil, out, func(e, a *tileir.Value) *tileir.Value {
						return k.one(add, vals{e, k.one(add, vals{a, a}, more, e.Type)}, more, e.Type)
					})
					back := k.one("reshape", vals{sum}, nil, tileir.Tile(e, n)) // the sum is used behind the reductions, too
					first := k.one("extract", vals{back, k.i32(0)}, nil, tileir.Tile(e, 1))
					r := k.one(add, vals{a, b}, more, out)
					return k.one("cat", vals{k.one("reshape", vals{r}, nil, tileir.Tile(e, out.Size())), k.one("broadcast", vals{first}, nil, tileir.Tile(e, out.Size()))},
						attrs{"dim": tileir.Int(0)}, tileir.Tile(e, 2*out.Size()))
				}, "reduce")
			})
		}
	}
}

// TestNativePermute permutes the dimensions of tiles in all orders.
func TestNativePermute(t *testing.T) {
	for i, shape := range [][]int{{16, 16}, {64, 64}, {32, 256}, {2, 128}, {128, 2}, {64, 4}, {8, 8, 32}, {4, 8, 8}, {1, 64, 16}, {16, 8, 4, 4}, {2, 8, 16, 16}, {256, 512}} {
		for _, e := range []tileir.Elem{tileir.F32, tileir.F16, tileir.I8, tileir.F64, tileir.I1, tileir.F8E4M3FN} {
			for _, perm := range permutations(len(shape)) {
				t.Run(fmt.Sprint(shape, perm, e), func(t *testing.T) {
					if testing.Short() && len(shape) > 3 {
						t.Skip("the many orders of four dimensions")
					}
					out, order := make([]int, len(shape)), tileir.Ints{}
					for i, p := range perm {
						out[i], order = shape[p], append(order, p)
					}
					eachLevel(t, []input{randomInput(e, product(shape), uint64(i))}, func(k *kernel, args vals) *tileir.Value {
						x := k.one("reshape", args, nil, tileir.Tile(e, shape...))
						return k.one("permute", vals{x}, attrs{"permutation": order}, tileir.Tile(e, out...))
					})
				})
			}
		}
	}
}

// permutations lists the orders of the numbers below n.
func permutations(n int) (out [][]int) {
	if n == 0 {
		return [][]int{{}}
	}
	for _, p := range permutations(n - 1) {
		for at := range n {
			out = append(out, slices.Insert(slices.Clone(p), at, n-1))
		}
	}
	return out
}

// TestNativeSmallFloats converts all codes of the floats of eight bits and fewer to others, and others to them.
func TestNativeSmallFloats(t *testing.T) {
	const n = 256
	for _, small := range []tileir.Elem{tileir.F8E4M3FN, tileir.F8E5M2, tileir.F8E8M0FNU, tileir.F4E2M1FN, tileir.FNV8E5M3FNU} {
		for _, e := range []tileir.Elem{tileir.F32, tileir.F16, tileir.BF16, tileir.F64, tileir.TF32, tileir.F8E5M2} {
			t.Run(fmt.Sprint(small, e), func(t *testing.T) {
				codes := input{tileir.I8, make([]byte, n)}
				for i := range codes.data {
					codes.data[i] = byte(i)
				}
				near := attrs{"rounding_mode": tileir.RoundingNearestEven}
				bits := map[int]tileir.Elem{1: tileir.I8, 2: tileir.I16, 4: tileir.I32, 8: tileir.I64}
				from := func(k *kernel, args vals) *tileir.Value {
					if small == tileir.F4E2M1FN {
						x := k.one("ftof", vals{k.one("itof", args, attrs{"signedness": tileir.Signed, "rounding_mode": tileir.RoundingNearestEven}, tileir.Tile(tileir.F32, n))}, near, tileir.Tile(small, n))
						return k.one("ftof", vals{x}, near, tileir.Tile(tileir.F32, n))
					}
					x := k.one("bitcast", args, nil, tileir.Tile(small, n))
					if small == e {
						return x
					}
					y := k.one("ftof", vals{x}, near, tileir.Tile(e, n))
					if e == tileir.TF32 {
						return k.one("ftof", vals{y}, near, tileir.Tile(tileir.F32, n))
					}
					return y
				}
				var wanted []string
				if small != e {
					wanted = []string{"ftof"}
				}
				eachLevel(t, []input{codes}, from, wanted...)
				if e == tileir.F64 || e == tileir.TF32 || e.Bits() == 8 {
					return
				}
				values := randomInput(bits[e.Bytes()], 8*n, uint64(e))
				copy(values.data[5*e.Bytes():], map[tileir.Elem][]byte{tileir.F32: {0, 0, 0xc0, 0x7f}, tileir.F16: {0, 0x7e}, tileir.BF16: {0xc0, 0x7f}}[e])
				copy(values.data[9*e.Bytes():], map[tileir.Elem][]byte{tileir.F32: {0, 0, 0x80, 0xff}, tileir.F16: {0, 0xfc}, tileir.BF16: {0x80, 0xff}}[e])
				if e.Bytes() == 4 { // of the magnitude of the small floats, and around half-way points
					for i := 16; i < 8*n; i++ {
						values.data[4*i+3] = values.data[4*i+3]&0x80 | 0x38 | values.data[4*i+3]&7
						if i%2 == 0 {
							values.data[4*i], values.data[4*i+1], values.data[4*i+2] = 0, 0, values.data[4*i+2]&0xf8
						}
					}
				}
				if small == tileir.F4E2M1FN { // which has no bitcast
					return
				}
				modes := []attrs{near}
				if small == tileir.F8E8M0FNU {
					modes = []attrs{{"rounding_mode": tileir.RoundingZero}, {"rounding_mode": tileir.RoundingPositiveInf}}
				}
				for _, mode := range modes {
					eachLevel(t, []input{values}, func(k *kernel, args vals) *tileir.Value {
						x := k.one("ftof", vals{k.one("bitcast", args, nil, tileir.Tile(e, 8*n))}, mode, tileir.Tile(small, 8*n))
						return k.one("bitcast", vals{x}, nil, tileir.Tile(tileir.I8, 8*n))
					}, "ftof")
				}
			})
		}
	}
}

// TestNativeScan scans along all dimensions, in both directions, one tile and two at once.
func TestNativeScan(t *testing.T) {
	for i, c := range []struct {
		shape []int
		dim   int
	}{
		{[]int{16}, 0}, {[]int{1024}, 0}, {[]int{4096}, 0}, {[]int{2, 64}, 1}, {[]int{8, 128}, 1}, {[]int{16, 16}, 0}, {[]int{64, 4}, 0}, {[]int{64, 4}, 1},
		{[]int{1, 256}, 0}, {[]int{4, 8, 32}, 1}, {[]int{4, 8, 32}, 0}, {[]int{2, 16, 2, 2}, 1}, {[]int{128, 1}, 0},
	} {
		for _, e := range []tileir.Elem{tileir.F32, tileir.F16, tileir.BF16, tileir.F64, tileir.I1, tileir.I8, tileir.I32, tileir.I64} {
			for _, reverse := range []tileir.Bool{false, true} {
				t.Run(fmt.Sprint(c.shape, c.dim, e, reverse), func(t *testing.T) {
					n, full, one := product(c.shape), tileir.Tile(e, c.shape...), tileir.Tile(e)
					add, more := "addi", attrs(nil)
					if e.IsFloat() {
						add, more = "addf", nearest
					}
					eachLevel(t, []input{randomInput(e, n, uint64(i)), randomInput(e, n, uint64(i)+50)}, func(k *kernel, args vals) *tileir.Value {
						x := k.one("reshape", args[:1], nil, full)
						y := k.one("reshape", args[1:], nil, full)
						by := k.one("extract", vals{args[0], k.i32(3)}, nil, tileir.Tile(e, 1)) // from outside
						by = k.one("reshape", vals{by}, nil, one)
						a := k.fold("scan", x, c.dim, attrs{"reverse": reverse}, full, func(e, a *tileir.Value) *tileir.Value {
							return k.one(add, vals{e, k.one(add, vals{a, by}, more, one)}, more, one)
						})
						body := k.region([]tileir.Type{one, one, one, one}, func(args vals) { // the results change places
							k.opGroups("yield", []vals{{args[2], k.one(add, vals{args[0], args[3]}, more, one)}}, nil, nil)
						})
						b := k.opGroups("scan", []vals{{x, y}}, attrs{"dim": tileir.Int(c.dim), "reverse": reverse, "identities": tileir.Numbers{{Elem: e}, {Elem: e}}},
							[]*tileir.Block{body}, full, full)
						return k.one(add, vals{a, k.one(add, vals{b[0], k.one(add, vals{b[1], b[1]}, more, full)}, more, full)}, more, full)
					}, "scan")
				})
			}
		}
	}
}

// TestNativeReduceYieldsOther: the body of a reduction yields what the reduction before it gave.
func TestNativeReduceYieldsOther(t *testing.T) {
	eachLevel(t, []input{randomInput(tileir.F32, 32, 1)}, func(k *kernel, args vals) *tileir.Value {
		one := tileir.Tile(tileir.F32)
		first := k.fold("reduce", args[0], 0, nil, one, func(elem, acc *tileir.Value) *tileir.Value { return acc })
		return k.fold("reduce", args[0], 0, nil, one, func(elem, acc *tileir.Value) *tileir.Value { return first })
	}, "reduce")
}

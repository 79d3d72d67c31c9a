package cpu_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/tileir"
)

// loopProduct is a kernel that multiplies matrices, tile by tile.
type loopProduct struct {
	m, n, k    int64 // of the matrices
	tm, tn, tk int   // of the tiles
	elem       tileir.Elem
	acc        tileir.Elem
	transposed [2]bool // a factor is stored by columns
	permuted   bool    // tiles of the first factor are loaded the other way round and permuted
	first      int32   // iteration
	more       int32   // iterations behind the last one that reads anything
	begin      float64 // with which the sums begin
	pad        tileir.Padding
	strides    int64 // elements of memory between rows that belong to none
	same       bool  // the result is written to the memory of the first factor
	endless    bool  // some elements of factors are infinities, and NaNs
	result     resultForm
}

// resultForm says what a kernel does with the product.
type resultForm uint8

const (
	stored       resultForm = iota
	byColumns               // it is stored transposed
	onTop                   // each row is stored one element behind the one before it
	twice                   // it is stored twice, the second time a tile further up
	behindAStore            // another store comes first, to the same place
)

func (p loopProduct) kernel(t testing.TB) *kernel {
	from, to := tileir.PointerTile(p.elem), tileir.PointerTile(p.acc)
	k := newKernel(t, from, from, to)
	view := func(i int, elem tileir.Elem, rows, cols int64, turned bool, tile ...int) *tileir.Value {
		shape, strides := []int64{rows, cols}, []int64{cols + p.strides, 1}
		if turned {
			strides = []int64{1, rows + p.strides}
		}
		return k.partition(k.entry.Params[i], tile, nil, p.pad, shape, strides)
	}
	id, acc, s := k.ids(), tileir.Tile(p.acc, p.tm, p.tn), tileir.Tile(tileir.I32)
	a := view(0, p.elem, p.m, p.k, p.transposed[0], p.tm, p.tk)
	if p.permuted {
		a = view(0, p.elem, p.k, p.m, !p.transposed[0], p.tk, p.tm)
	}
	b := view(1, p.elem, p.k, p.n, p.transposed[1], p.tk, p.tn)
	z := view(2, p.acc, p.m, p.n, p.result == byColumns, p.tm, p.tn)
	if p.result == onTop {
		z = k.partition(k.entry.Params[2], []int{p.tm, p.tn}, nil, p.pad, []int64{p.m, p.n}, []int64{1, 1})
	}
	last := p.first + int32((p.k+int64(p.tk)-1)/int64(p.tk)) + p.more
	body := k.region([]tileir.Type{s, acc}, func(args vals) {
		var x *tileir.Value
		if p.permuted {
			x = k.one("permute", vals{k.load(a, args[0], id[0])}, attrs{"permutation": tileir.Ints{1, 0}}, tileir.Tile(p.elem, p.tm, p.tk))
		} else {
			x = k.load(a, id[0], args[0])
		}
		name, as := "mmaf", attrs(nil)
		if p.acc == tileir.I32 {
			name, as = "mmai", attrs{"signedness_lhs": tileir.Signed, "signedness_rhs": tileir.Unsigned}
		}
		k.opGroups("continue", []vals{{k.one(name, vals{x, k.load(b, args[0], id[1]), args[1]}, as, acc)}}, nil, nil)
	})
	begins := map[tileir.Elem]any{tileir.F32: float32(p.begin), tileir.F64: p.begin, tileir.I32: int32(p.begin), tileir.F16: uint16(0)}
	begin := constantOf(k, acc, begins[p.acc])
	r := k.opGroups("for", []vals{{k.i32(p.first)}, {k.i32(last)}, {k.i32(1)}, {begin}}, nil, []*tileir.Block{body}, acc)
	if p.result == behindAStore {
		k.store(begin, z, id[0], id[1])
	}
	k.store(r[0], z, id[0], id[1])
	if p.result == twice {
		again := k.region([]tileir.Type{s}, func(args vals) {
			k.store(r[0], z, k.one("subi", vals{id[0], args[0]}, attrs{"overflow": tileir.OverflowNone}, s), id[1])
			k.opGroups("continue", []vals{{}}, nil, nil)
		})
		k.opGroups("for", []vals{{k.i32(1)}, {k.i32(2)}, {k.i32(1)}, {}}, nil, []*tileir.Block{again})
	}
	k.ret()
	return k
}

// run gives the result's memory, or the text of a fault.
func (p loopProduct) run(t *testing.T, d *cpu.Device) ([]byte, string) {
	size := func(rows, cols int64) int { return int((max(rows, cols)+p.strides)*max(rows, cols)) + 64 }
	factor := func(n int, seed uint64) []byte {
		x := randomFloats(n, seed, 2)
		for i := int(seed) * 7; p.endless && i < n; i += 97 {
			x[i] = float32(math.Inf(i%2*2 - 1))
			if i%3 == 0 {
				x[i] = float32(math.NaN())
			}
		}
		switch p.elem {
		case tileir.I8:
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(int(x[i] * 60))
			}
			return b
		case tileir.F32:
			return bytesOf(x)
		}
		wide := make([]float64, n)
		for i := range wide {
			wide[i] = float64(x[i])
		}
		return formatOf(p.elem).encode(wide)
	}
	a, b := upload(t, d, factor(size(p.m, p.k), 1)), upload(t, d, factor(size(p.k, p.n), 2))
	z := upload(t, d, make([]byte, size(p.m, p.n)*p.acc.Bytes()))
	if p.same {
		z = a
	}
	grid := [3]uint32{uint32((p.m + int64(p.tm) - 1) / int64(p.tm)), uint32((p.n + int64(p.tn) - 1) / int64(p.tn)), 1}
	err := launch(t, d, p.kernel(t).compile(d), grid, a.Address(), b.Address(), z.Address())
	if err != nil {
		return nil, err.Error()
	}
	return slices.Clone(z.Host()), ""
}

// constantOf makes a constant of a number of any of some types.
func constantOf(k *kernel, t *tileir.TileType, x any) *tileir.Value {
	switch x := x.(type) {
	case float32:
		return constant(k, t, x)
	case float64:
		return constant(k, t, x)
	case int32:
		return constant(k, t, x)
	}
	return constant(k, t, x.(uint16))
}

// formatOf finds the format of an element type.
func formatOf(e tileir.Elem) format {
	for _, f := range formats {
		if f.elem == e {
			return f
		}
	}
	panic("no format of " + e.String())
}

// machineCode reports whether this machine has machine code.
func machineCode() bool {
	target, err := host.Choose()
	return err == nil && target.Level != host.LevelNone
}

// TestLoopProducts compares loops of products as machine code with the interpreter, bit for bit: tiles at the edges along
// each dimension, factors by rows and by columns, iterations outside, sums that do not begin with zero, and memory that is
// written and read, where blocks cannot share anything.
func TestLoopProducts(t *testing.T) {
	base := loopProduct{m: 96, n: 80, k: 100, tm: 32, tn: 16, tk: 8, elem: tileir.F32, acc: tileir.F32}
	change := func(f func(p *loopProduct)) loopProduct {
		p := base
		f(&p)
		return p
	}
	whole := func(f func(p *loopProduct)) loopProduct { // the product does all iterations, and so what follows
		return change(func(p *loopProduct) { p.k = 96; f(p) })
	}
	cases := map[string]loopProduct{
		"edges":               base,
		"whole":               change(func(p *loopProduct) { p.k, p.m, p.n = 96, 96, 80 }),
		"one tile":            change(func(p *loopProduct) { p.m, p.n, p.k = 32, 16, 8 }),
		"less than a tile":    change(func(p *loopProduct) { p.m, p.n, p.k = 5, 3, 4 }),
		"odd":                 change(func(p *loopProduct) { p.m, p.n, p.k = 37, 53, 29 }),
		"large tiles":         change(func(p *loopProduct) { p.m, p.n, p.k, p.tm, p.tn, p.tk = 300, 260, 530, 128, 128, 64 }),
		"one row":             change(func(p *loopProduct) { p.m, p.tm = 7, 1 }),
		"one column":          change(func(p *loopProduct) { p.n, p.tn = 7, 1 }),
		"tiles of one k":      change(func(p *loopProduct) { p.tk = 1 }),
		"by columns":          change(func(p *loopProduct) { p.transposed = [2]bool{true, true} }),
		"a by columns":        change(func(p *loopProduct) { p.transposed = [2]bool{true, false} }),
		"permuted":            change(func(p *loopProduct) { p.permuted = true }),
		"permuted columns":    change(func(p *loopProduct) { p.permuted, p.transposed = true, [2]bool{true, false} }),
		"not from 0":          change(func(p *loopProduct) { p.first = 3 }),
		"from below":          change(func(p *loopProduct) { p.first = -2 }),
		"no iteration":        change(func(p *loopProduct) { p.more = -100 }),
		"more iterations":     change(func(p *loopProduct) { p.more = 5 }),
		"begins with one":     change(func(p *loopProduct) { p.begin = 1 }),
		"begins with -0":      change(func(p *loopProduct) { p.begin = negativeZero }),
		"padded with NaN":     change(func(p *loopProduct) { p.pad = tileir.PadNaN }),
		"gaps":                change(func(p *loopProduct) { p.strides = 3 }),
		"turned result":       whole(func(p *loopProduct) { p.result = byColumns }),
		"rows on top":         whole(func(p *loopProduct) { p.result, p.m, p.n, p.tn = onTop, 32, 128, 128 }),
		"stored twice":        whole(func(p *loopProduct) { p.result = twice }),
		"behind a store":      whole(func(p *loopProduct) { p.result = behindAStore }),
		"one column each":     whole(func(p *loopProduct) { p.result, p.n, p.tn = byColumns, 3, 1 }),
		"edges, stored twice": change(func(p *loopProduct) { p.result, p.m, p.n = twice, 70, 90 }),
		"edges, by columns":   change(func(p *loopProduct) { p.result, p.m, p.n = byColumns, 70, 90 }),
		"endless":             change(func(p *loopProduct) { p.endless, p.m, p.n = true, 70, 90 }),
		"endless, twice":      change(func(p *loopProduct) { p.endless, p.result, p.m, p.n = true, twice, 70, 90 }),
		"endless sums of f64": change(func(p *loopProduct) {
			p.endless, p.result, p.m, p.n, p.elem, p.acc = true, twice, 70, 90, tileir.F64, tileir.F64
		}),
		"-0, twice":      change(func(p *loopProduct) { p.begin, p.result, p.m, p.n = negativeZero, twice, 70, 90 }),
		"endless on one": change(func(p *loopProduct) { p.endless, p.begin, p.result, p.m, p.n = true, 1, twice, 70, 90 }),
		"one, twice":     change(func(p *loopProduct) { p.begin, p.result, p.m, p.n = 1, twice, 70, 90 }),
		"bytes, twice":   change(func(p *loopProduct) { p.result, p.m, p.n, p.elem, p.acc = twice, 70, 90, tileir.I8, tileir.I32 }),
		"in place":       change(func(p *loopProduct) { p.same, p.m, p.n, p.k = true, 64, 64, 64 }),
		"f64":            change(func(p *loopProduct) { p.elem, p.acc = tileir.F64, tileir.F64 }),
		"f16":            change(func(p *loopProduct) { p.elem = tileir.F16 }),
		"f16 sums":       change(func(p *loopProduct) { p.elem, p.acc = tileir.F16, tileir.F16 }),
		"bf16":           change(func(p *loopProduct) { p.elem = tileir.BF16 }),
		"i8":             change(func(p *loopProduct) { p.elem, p.acc = tileir.I8, tileir.I32 }),
	}
	interpreted := newDevice(t, cpu.Options{Interpret: true, Workers: 1})
	for name, p := range cases {
		t.Run(name, func(t *testing.T) {
			if n, ahead := cpu.LoopProducts(newDevice(t, cpu.Options{}), p.kernel(t).module), p.tk > 1 && p.acc != tileir.F16; (n == 1) != ahead && machineCode() {
				t.Errorf("%d loops are products", n)
			}
			for _, workers := range []int{1, 3} {
				want, wrong := p.run(t, interpreted)
				got, text := p.run(t, newDevice(t, cpu.Options{Workers: workers}))
				if wrong != text {
					t.Fatalf("machine code: %q, the interpreter: %q", text, wrong)
				}
				if (p.same || p.result == twice) && workers > 1 {
					continue // blocks read or write what others write
				}
				if !bytes.Equal(got, want) {
					t.Fatalf("%d workers: the result differs%s", workers, firstDifference(got, want))
				}
			}
		})
	}
}

var negativeZero = math.Copysign(0, -1)

// firstDifference says where two results differ.
func firstDifference(a, b []byte) string {
	for i := range a {
		if a[i] != b[i] {
			return fmt.Sprintf(" at byte %d: %x, want %x", i, a[i&^7:min(i&^7+8, len(a))], b[i&^7:min(i&^7+8, len(b))])
		}
	}
	return ""
}

// TestLoopProductFaults: memory that is too short is the same fault as in the interpreter.
func TestLoopProductFaults(t *testing.T) {
	p := loopProduct{m: 64, n: 64, k: 4096, tm: 32, tn: 32, tk: 32, elem: tileir.F32, acc: tileir.F32}
	var texts []string
	for _, o := range []cpu.Options{{Interpret: true, Workers: 1}, {Workers: 1}} {
		d := newDevice(t, o)
		a, z := upload(t, d, make([]float32, 1<<20)), upload(t, d, make([]float32, 64*64))
		short := upload(t, d, make([]float32, 64*1000))
		err := launch(t, d, p.kernel(t).compile(d), [3]uint32{2, 2, 1}, a.Address(), short.Address(), z.Address())
		if err == nil || !strings.Contains(err.Error(), "outside memory") {
			t.Fatalf("the error is %v", err)
		}
		texts = append(texts, err.Error())
	}
	if texts[0] != texts[1] {
		t.Errorf("machine code: %s\nthe interpreter: %s", texts[1], texts[0])
	}
}

package cpu_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/tileir"
)

// nestedProduct is a kernel whose loop of products stands in other loops and branches: c[t] = a[t]·b[t] for each t of a loop, where
// a, b and c are [times, 80, 80], in tiles of 16 by 16.
type nestedProduct struct {
	*kernel
	counter tileir.Elem
	index   tileir.Elem
	t       *tileir.Value // the counter of the loop around, of the index's type
	a, b, c *tileir.Value // views of matrices one above the other: [times*80, 80]
}

const (
	nestedTimes = 3
	nestedSize  = 80
	nestedTile  = 16
	nestedTurns = nestedSize / nestedTile
)

// form is how a nestedProduct differs from the plain one. A field that is nil is the plain way.
type nestedForm struct {
	counter, index tileir.Elem                                                      // 0 for i32
	along          func(p *nestedProduct, k *tileir.Value) *tileir.Value            // the index along k
	around         func(p *nestedProduct, body func(t *tileir.Value) *tileir.Value) // the loops and branches
	inner          func(p *nestedProduct, t, k *tileir.Value) (a, b *tileir.Value)  // the views of a turn of the loop around
	inside         bool                                                             // these are made in the loop over k
	first          func(p *nestedProduct) *tileir.Value                             // with which the sums begin
	from, to       int64                                                            // of the counter, if to is not 0
	by             func(p *nestedProduct, t *tileir.Value) *tileir.Value            // its step, if not 1
	carries        bool                                                             // the loop over k carries another tile, too
	over           int                                                              // 1 + the number of the factor whose memory c is
	none           bool                                                             // the loop is no product
	never          bool                                                             // it seems to be one, but its tiles do not follow one another
}

func (p *nestedProduct) binary(name string, x, y *tileir.Value) *tileir.Value {
	as := attrs{"overflow": tileir.OverflowNone}
	if name == "mini" {
		as = attrs{"signedness": tileir.Signed}
	}
	return p.one(name, vals{x, y}, as, x.Type)
}

func (p *nestedProduct) number(e tileir.Elem, n int64) *tileir.Value {
	t := tileir.Tile(e)
	return p.one("constant", nil, attrs{"value": tileir.IntConstant(t, n)}, t)
}

func (p *nestedProduct) as(e tileir.Elem, v *tileir.Value, signed tileir.Attr) *tileir.Value {
	switch from := v.Type.(*tileir.TileType).Elem; {
	case from.Bits() < e.Bits():
		return p.one("exti", vals{v}, attrs{"signedness": signed}, tileir.Tile(e))
	case from.Bits() > e.Bits():
		return p.one("trunci", vals{v}, attrs{"overflow": tileir.OverflowNone}, tileir.Tile(e))
	}
	return v
}

// loop adds a for with a counter of a type that carries values.
func (p *nestedProduct) loop(e tileir.Elem, from, to int64, first vals, body func(i *tileir.Value, carried vals) vals) vals {
	return p.steps(e, from, to, p.number(e, 1), first, body)
}

// steps is loop for a counter that grows by any number.
func (p *nestedProduct) steps(e tileir.Elem, from, to int64, by *tileir.Value, first vals, body func(i *tileir.Value, carried vals) vals) vals {
	types := []tileir.Type{tileir.Tile(e)}
	var results []tileir.Type
	for _, v := range first {
		types, results = append(types, v.Type), append(results, v.Type)
	}
	b := p.region(types, func(args vals) { p.opGroups("continue", []vals{body(args[0], args[1:])}, nil, nil) })
	return p.opGroups("for", []vals{{p.number(e, from)}, {p.number(e, to)}, {by}, first}, nil, []*tileir.Block{b}, results...)
}

// branch adds an if.
func (p *nestedProduct) branch(c *tileir.Value, then, els func() vals, results ...tileir.Type) vals {
	arm := func(f func() vals) *tileir.Block {
		return p.region(nil, func(vals) { p.opGroups("yield", []vals{f()}, nil, nil) })
	}
	return p.opGroups("if", []vals{{c}}, nil, []*tileir.Block{arm(then), arm(els)}, results...)
}

func (p *nestedProduct) isZero(v *tileir.Value) *tileir.Value {
	zero := p.number(v.Type.(*tileir.TileType).Elem, 0)
	return p.one("cmpi", vals{v, zero}, attrs{"comparison_predicate": tileir.CompareEqual, "signedness": tileir.Signed}, tileir.Tile(tileir.I1))
}

// matrix makes the view of a pointer to matrices one above the other.
func (p *nestedProduct) matrix(base *tileir.Value, rows int64) *tileir.Value {
	return p.view(base, []int{nestedTile, nestedTile}, rows, nestedSize)
}

// plus is a pointer that lies so many elements further on.
func (p *nestedProduct) plus(base, n *tileir.Value) *tileir.Value {
	return p.one("offset", vals{base, n}, nil, base.Type)
}

// product adds the loop over k, and gives the sums.
func (p *nestedProduct) product(f nestedForm, t *tileir.Value) *tileir.Value {
	id, sum := p.ids(), tileir.Tile(tileir.F32, nestedTile, nestedTile)
	of := func(v *tileir.Value) *tileir.Value { return p.as(p.index, v, tileir.Signed) }
	row, column, a, b := of(id[0]), of(id[1]), p.a, p.b
	up := p.binary("muli", of(t), p.number(p.index, nestedTurns))
	if f.inner != nil && !f.inside {
		a, b = f.inner(p, t, nil)
	}
	first := constant(p.kernel, sum, float32(0))
	if f.first != nil {
		first = f.first(p)
	}
	from, to := int64(0), int64(nestedTurns)
	if f.to != 0 {
		from, to = f.from, f.to
	}
	sums := vals{first}
	if f.carries {
		sums = append(sums, constant(p.kernel, sum, float32(2)))
	}
	by := p.number(p.counter, 1)
	if f.by != nil {
		by = f.by(p, t)
	}
	r := p.steps(p.counter, from, to, by, sums, func(k *tileir.Value, carried vals) vals {
		at := k
		if f.along != nil {
			at = f.along(p, k)
		}
		at = of(at)
		if f.inner != nil && f.inside {
			a, b = f.inner(p, t, k)
		}
		aRow, bRow := row, at
		if f.inner == nil {
			aRow, bRow = p.binary("addi", row, up), p.binary("addi", at, up)
		}
		return append(vals{p.one("mmaf", vals{p.load(a, aRow, at), p.load(b, bRow, column), carried[0]}, nil, sum)}, carried[1:]...)
	})
	if f.carries {
		return p.one("addf", r, attrs{"rounding_mode": tileir.RoundingNearestEven}, sum)
	}
	return r[0]
}

// build makes the kernel.
func (f nestedForm) build(t testing.TB) *kernel {
	ptr := tileir.PointerTile(tileir.F32)
	p := &nestedProduct{kernel: newKernel(t, ptr, ptr, ptr), counter: tileir.I32, index: tileir.I32}
	if f.counter != 0 {
		p.counter = f.counter
	}
	if f.index != 0 {
		p.index = f.index
	}
	p.a, p.b, p.c = p.matrix(p.entry.Params[0], nestedTimes*nestedSize), p.matrix(p.entry.Params[1], nestedTimes*nestedSize), p.matrix(p.entry.Params[2], nestedTimes*nestedSize)
	body := func(t *tileir.Value) *tileir.Value {
		sum := p.product(f, t)
		id := p.ids()
		row := p.binary("addi", id[0], p.binary("muli", t, p.i32(nestedTurns)))
		p.store(sum, p.c, row, id[1])
		return sum
	}
	if f.around != nil {
		f.around(p, body)
	} else {
		p.loop(tileir.I32, 0, nestedTimes, nil, func(t *tileir.Value, _ vals) vals { body(t); return nil })
	}
	p.ret()
	return p.kernel
}

// run gives what c has.
func (f nestedForm) run(t *testing.T, d *cpu.Device, interpreted bool) []byte {
	t.Helper()
	n := nestedTimes * nestedSize * nestedSize
	a, b, c := upload(t, d, randomFloats(n+nestedTurns, 1, 2)), upload(t, d, randomFloats(n+nestedTurns, 2, 2)), upload(t, d, make([]float32, n))
	if f.over > 0 {
		c = []engine.Buffer{a, b}[f.over-1]
	}
	k := f.build(t).compile(d)
	defer k.Close()
	if err := launch(t, d, k, [3]uint32{nestedTurns, nestedTurns, 1}, a.Address(), b.Address(), c.Address()); err != nil {
		t.Fatal(err)
	}
	if n := cpu.ProductsRun(k); machineCode() && !interpreted && (n > 0) == (f.none || f.never || f.over > 0) {
		t.Errorf("%d products ran", n)
	}
	return slices.Clone(c.Host())
}

// TestNestedProducts compares loops of products in other loops and branches with the interpreter, bit for bit, with indices and views that are
// computed in many ways, in the loop or around it; and that these loops are products.
func TestNestedProducts(t *testing.T) {
	interpreted := newDevice(t, cpu.Options{Interpret: true, Workers: 1})
	for name, f := range nestedForms {
		t.Run(name, func(t *testing.T) {
			want := 1
			if f.none {
				want = 0
			}
			if n := cpu.LoopProducts(newDevice(t, cpu.Options{}), f.build(t).module); n != want && machineCode() {
				t.Errorf("%d loops are products, want %d", n, want)
			}
			result := f.run(t, interpreted, true)
			for _, o := range []cpu.Options{{Workers: 1}, {Workers: 3}, {Workers: 1, Reorder: 3}} {
				if f.over > 0 && o.Workers > 1 {
					continue // blocks write what others read
				}
				if got := f.run(t, newDevice(t, o), false); !bytes.Equal(got, result) {
					t.Fatalf("%+v: the result differs%s", o, firstDifference(got, result))
				}
			}
		})
	}
}

package cpu

import (
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/gemm"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/tileir"
)

// floatProducts are the products that package gemm has machine code for, by the type of the factors.
var floatProducts = map[tileir.Elem]gemm.Kind{
	tileir.F16: gemm.F16, tileir.BF16: gemm.BF16, tileir.F32: gemm.F32, tileir.TF32: gemm.F32, tileir.F64: gemm.F64,
	tileir.F8E4M3FN: gemm.E4M3, tileir.F8E5M2: gemm.E5M2,
}

// byteProducts are those of integers, by whether each factor has a sign.
var byteProducts = map[[2]bool]gemm.Kind{
	{true, true}: gemm.S8S8, {true, false}: gemm.S8U8, {false, true}: gemm.U8S8, {false, false}: gemm.U8U8,
}

// tileProduct is the machine code of a matrix multiplication: that of a part of its rows, which are few enough to end soon.
type tileProduct struct {
	tile    *gemm.Tile
	rows    int // of a part
	scratch int // where its own memory begins
	size    int
}

// productWork is how many multiplications machine code does between two looks whether the launch is to end: they take
// some ten microseconds.
const productWork = 1 << 20

// leastRows is the fewest rows of a part, below which packing would cost more than multiplying.
const leastRows = 8

// factors says of which type the factors of a product are, and for i8 whether each has a sign.
type factors struct {
	elem   tileir.Elem
	signed [2]bool
}

// factorsOf gives the factors of an operation.
func factorsOf(op *tileir.Op) factors {
	f := factors{elem: tileType(op.Operands[0]).Elem}
	if op.Info.Opcode == tileir.OpMmaI {
		f.signed = [2]bool{op.Int("signedness_lhs") != 0, op.Int("signedness_rhs") != 0}
	}
	return f
}

// kind is the product of package gemm that a device takes for factors.
func (d *Device) kind(f factors) (gemm.Kind, bool) {
	if f.elem == tileir.I8 {
		return byteProducts[f.signed], true
	}
	kind, ok := floatProducts[f.elem]
	if kind == gemm.BF16 && d.pairs {
		kind = gemm.BF16Pairs
	}
	return kind, ok
}

// newProduct makes the machine code of dense factors, nil where there is none. Its own memory lies behind the given bytes of
// scratch.
func (c *compiler) newProduct(op *tileir.Op, m *mma, f factors, scratch int) *tileProduct {
	kind, ok := c.device.kind(f)
	if !ok || c.device.products.Level == host.LevelNone || c.interpreted {
		return nil
	}
	p := &tileProduct{rows: m.m, scratch: alignUp(scratch, 64)}
	for p.rows >= 2*leastRows && p.rows*m.n*m.k > productWork {
		p.rows /= 2
	}
	t := c.device.products
	var err error
	p.tile, err = gemm.NewTile(gemm.Target{Level: t.Level, Features: t.Features, Flush: c.device.flush}, gemm.TileSpec{Kind: kind, M: p.rows, N: m.n, K: m.k,
		A: gemm.RowMajor(m.k, kind.Elem()), B: gemm.RowMajor(m.n, kind.Elem())})
	if err != nil {
		c.notes.lacks(op, err.Error())
		return nil
	}
	c.notes.product(op, p)
	p.size = p.tile.Scratch()
	c.reserve(p.scratch + p.size)
	return p
}

// String names the code.
func (p *tileProduct) String() string { return p.tile.String() }

// run adds the product of a and b to what is at from and puts the sums at to.
func (p *tileProduct) run(f *frame, m *mma, to, from, a, b ptr, elem, acc int) {
	scratch := unsafe.Slice((*byte)(unsafe.Add(f.scratch, p.scratch)), p.size)
	row := m.n * acc
	for i := 0; i < m.m; i += p.rows {
		f.poll()
		to, from, a := unsafe.Add(to, i*row), unsafe.Add(from, i*row), unsafe.Add(a, i*m.k*elem)
		p.tile.Run(gemm.Sums{At: to, Row: row}, gemm.Sums{At: from, Row: row}, a, b, scratch)
	}
}

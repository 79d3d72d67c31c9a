package attention

import (
	"math"

	"github.com/cutile-go/cutile/cute"
)

// softmax is a thread's state of the softmax of its two rows of each tile of accumulators. The rows are 8 apart, and
// are shared with the three other threads of a group of four, which have other columns.
type softmax struct {
	scale float32              // factor for powers of 2, including 1/sqrt(D)
	top   cute.Tensor[float32] // the greatest score of a row so far
	sum   cute.Tensor[float32] // this thread's part of the sum of powers
}

func newSoftmax(d int) softmax {
	top := cute.MakeRmem[float32](cute.S(2))
	top.Fill(float32(math.Inf(-1)))
	return softmax{float32(math.Log2E / math.Sqrt(float64(d))), top, cute.MakeRmem[float32](cute.S(2))}
}

// row returns a thread's elements of a row of accumulators ((2,2),1,N): 2 neighbours, 2 rows, and so on along the row.
func row(acc cute.Tensor[float32], r int) cute.Tensor[float32] {
	return cute.Flatten(acc.Slice(cute.Nest(cute.All, cute.I(r)), cute.I(0), cute.All))
}

// step replaces scores by their powers, and rescales the earlier sums if there is a new greatest score.
func (s softmax) step(scores, acc cute.Tensor[float32]) {
	for r := range cute.Unroll(2) {
		p, out := row(scores, r), row(acc, r)
		top := cute.Fold(p, s.top.At(r), func(a, b float32) float32 { return max(a, b) })
		top = cute.WarpReduce(top, func(a, b float32) float32 { return max(a, b) }, cute.Lanes{Width: 4})
		base := cute.Select(top == float32(math.Inf(-1)), 0, top*s.scale) // a row without visible keys stays 0
		correct := cute.Exp2(cute.FMA(s.top.At(r), s.scale, -base))
		s.top.Set(top, r)

		cute.Map(p, p, func(x float32) float32 { return cute.Exp2(cute.FMA(x, s.scale, -base)) })
		s.sum.Set(cute.Fold(p, s.sum.At(r)*correct, add), r)
		cute.Map(out, out, func(x float32) float32 { return x * correct })
	}
}

// finish divides by the sums.
func (s softmax) finish(acc cute.Tensor[float32]) {
	for r := range cute.Unroll(2) {
		sum := cute.WarpReduce(s.sum.At(r), add, cute.Lanes{Width: 4})
		inverse := cute.Select(sum == 0, 0, 1/sum)
		out := row(acc, r)
		cute.Map(out, out, func(x float32) float32 { return x * inverse })
	}
}

func add(a, b float32) float32 { return a + b }

// asOperand converts accumulators ((2,2),1,N) to the operand A of the next multiplication, ((2,2,2),1,N/2) in float16.
// Two neighbouring tiles of C with 8 columns each form one tile of A.
func asOperand(acc cute.Tensor[float32]) Half {
	pairs := cute.FlatDivide(halves(acc), cute.Tile{cute.All, cute.All, cute.I(2)}) // (1,1,2,(2,2),1,N/2): pairs of tiles, then the remaining modes
	return cute.GroupModes(cute.SelectModes(pairs, 3, 2, 4, 5), 0, 2)
}

// product is a thread's part of a multiplication by an operand B in shared memory.
type product struct {
	mma  cute.TiledMma
	load cute.ThrCopy
	from Half // (value, N, k)
	frag Half
}

func (g Config) product(mma cute.TiledMma, tid int, b Half, transposed bool) product {
	op := cute.LdMatrixX4
	if transposed {
		op = cute.LdMatrixX4Trans
	}
	load := cute.MakeTiledCopyB(cute.MakeCopyAtom[cute.Float16](op), mma).Slice(tid)
	return product{mma, load, cute.PartitionS(load, b), cute.MakeFragmentB(mma, cute.PartitionB(mma.Slice(tid), b))}
}

// add adds the product of A and the operand.
func (p product) add(acc cute.Tensor[float32], a Half) {
	cute.CopyWith(p.load, p.from, cute.Retile(p.load, p.frag))
	cute.Gemm(p.mma, acc, a, p.frag, acc)
}

// fragmentQ loads the thread's part of the queries.
func (g Config) fragmentQ(mma cute.TiledMma, tid int, sQ Half) Half {
	load := cute.MakeTiledCopyA(cute.MakeCopyAtom[cute.Float16](cute.LdMatrixX4), mma).Slice(tid)
	r := cute.MakeFragmentA(mma, cute.PartitionA(mma.Slice(tid), sQ))
	cute.CopyWith(load, cute.PartitionS(load, sQ), cute.Retile(load, r))
	return r
}

// alloc allocates shared memory for a tile of (rows,D), in which the vectors of 8 rows are in different banks.
func (g Config) alloc(rows int) Half {
	block := cute.Swizzle{Bits: 2, Base: 3, Shift: 3}.Of(cute.MakeLayout(cute.S(8, 32), cute.S(32, 1)))
	return cute.Alloc[cute.Float16](cute.TileToShape(block, cute.S(rows, g.D), cute.S(0, 1)), 128)
}

// loader is a thread's part of the copies of tiles to shared memory.
type loader struct {
	copy cute.TiledCopy
	src  Half             // (value, rows, columns, tile)
	crd  cute.CoordTensor // the coordinates of these values
	dst  Half             // (value, rows, columns)
	rows int              // rows of the whole tensor
}

func (g Config) loader(tid int, m, s Half) loader {
	tile, at := cute.S(s.Size(0), g.D), cute.Nest(cute.All, cute.I(0))
	across := g.D / vector // threads with neighbouring vectors
	by := cute.MakeTiledCopy(cute.MakeCopyAtom[cute.Float16](cute.CopyAsyncGlobal128),
		cute.MakeLayout(cute.S(g.threads()/across, across), cute.S(across, 1)), cute.MakeLayout(cute.S(1, vector)))
	me := by.Slice(tid)
	return loader{by, cute.PartitionS(me, cute.LocalTile(m, tile, at)), cute.PartitionS(me, cute.LocalTile(cute.Identity(m.Shape()), tile, at)),
		cute.PartitionD(me, s), m.Size(0)}
}

// start starts the copy of a tile. Rows after the last one are zero.
func (l loader) start(tile int) {
	crd := l.crd.Slice(cute.All, cute.All, cute.All, cute.I(tile))
	inside := cute.MakeRmem[bool](cute.S(crd.Size() / vector))
	for i := range cute.Unroll(inside.Size()) {
		inside.Set(crd.At(i*vector).At(0) < l.rows, i)
	}
	cute.CopyWith(l.copy, l.src.Slice(cute.All, cute.All, cute.All, cute.I(tile)), l.dst, inside)
}

// store writes the results of a block.
func (g Config) store(me cute.ThrMma, acc cute.Tensor[float32], o Half, block int) {
	tile, at := cute.S(g.BM, g.D), cute.Nest(cute.I(block), cute.I(0))
	out := cute.PartitionC(me, cute.LocalTile(o, tile, at))
	crd := cute.PartitionC(me, cute.LocalTile(cute.Identity(o.Shape()), tile, at))
	inside := cute.MakeRmemLayout[bool](cute.MakeLayout(acc.Shape(), cute.Nest(cute.S(0, 1), cute.I(0), cute.I(0)))) // one for each row
	for r := range cute.Unroll(2) {
		inside.Set(crd.At(2*r).At(0) < o.Size(0), 2*r)
	}
	cute.CopyIf(inside, halves(acc), out)
}

// halves converts accumulators to float16.
func halves(acc cute.Tensor[float32]) Half {
	h := cute.MakeRmem[cute.Float16](acc.Shape())
	cute.Map(h, acc, func(x float32) cute.Float16 { return cute.Float16(x) })
	return h
}

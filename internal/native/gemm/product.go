package gemm

import (
	"fmt"
	"runtime"
	"unsafe"
)

// A ProductSpec describes the product of two matrices in memory: A has M times K elements, B has K times N.
type ProductSpec struct {
	Kind    Kind
	M, N, K int
	A, B    Layout

	// BlockM and BlockN are the rows and columns of the blocks in which C is computed. 0 chooses sizes that are fast. Blocks at
	// the end are smaller.
	BlockM, BlockN int

	// Shared says that many products of the cache have the same A or the same B, so that both are worth packing.
	Shared bool
}

// A Product computes blocks of a product, in any order and by several goroutines. Its operands are packed when a block first
// needs them.
type Product struct {
	spec    ProductSpec
	target  Target
	scheme  *scheme
	a, b    operand
	sources [2]source
	cuts    [2]*cut     // of the cache
	sizes   [2][2]sized // for full blocks, and for the last row and the last column of blocks
	budget  int
}

// sized is what computes blocks of one size.
type sized struct {
	geometry
	fn *function
}

// A Worker is the memory that one goroutine needs besides the cache. The zero value is ready for use.
type Worker struct{ a, b, c []byte }

// The blocks of a product whose caller does not choose: A's and B's parts of a block and the block itself fit in the second
// cache together.
const (
	defaultBlockM = 192
	defaultBlockN = 256
	leastBlockN   = 64
	enoughBlocks  = 16
)

// NewProduct prepares a product. The elements of A and B begin at a and b. The memory, which lies in the heap or outside Go's
// memory, must not change until the last block is done; the caller keeps it alive. Products of one cache share the panels of
// equal operands.
func NewProduct(target Target, spec ProductSpec, a, b unsafe.Pointer, cache *Cache) (*Product, error) {
	p, err := cache.Product(target, spec, a, b)
	if err != nil {
		return nil, err
	}
	return &p, nil
}

// Product is [NewProduct] without an allocation for the product.
func (c *Cache) Product(target Target, spec ProductSpec, a, b unsafe.Pointer) (Product, error) {
	p, err := c.prepared.product(productKey{target, spec})
	if err != nil {
		return Product{}, err
	}
	out := *p
	out.a, out.b = c.operand(out.cuts[0], a), c.operand(out.cuts[1], b)
	return out, nil
}

// prepare makes what products of different operands have in common.
func prepare(target Target, spec ProductSpec) (*Product, error) {
	scheme, number, err := spec.Kind.scheme(target, size{spec.M, spec.N, spec.K})
	if err != nil {
		return nil, err
	}
	if err := checkSizes(spec.Kind, spec.M, spec.N, spec.K); err != nil {
		return nil, err
	}
	if spec.BlockM < 0 || spec.BlockN < 0 {
		return nil, fmt.Errorf("gemm: blocks of %dx%d elements", spec.BlockM, spec.BlockN)
	}
	spec.chooseBlocks()
	p := &Product{spec: spec, target: target, scheme: scheme, budget: scheme.level(target).budget}
	geo := scheme.level(target).tileGeometry(spec.Kind.Acc(), spec.BlockM, spec.BlockN)
	lb := &loaders[scheme.b]
	sa := source{level: target.Level, loader: scheme.a, form: scheme.formA(), extent: spec.M, k: spec.K, kStride: spec.A.Col, step: spec.A.Row, block: spec.BlockM, width: geo.rows}
	sb := source{level: target.Level, loader: scheme.b, form: scheme.formB(), extent: spec.N, k: spec.K, kStride: spec.B.Row, step: spec.B.Col, block: spec.BlockN, width: geo.width()}
	sa.inPlace = (!spec.Shared && ceil(spec.N, geo.width()) <= fewUses || scheme.nearRows(spec.K, spec.A)) && scheme.readsA(spec.K, spec.A)
	sb.inPlace = !spec.Shared && ceil(spec.M, geo.rows) <= fewUses && lb.direct() && reach(spec.B.Row) && (spec.B.Col == lb.elem || spec.N == 1)
	k := kernel{target: target, kind: spec.Kind, scheme: number, ahead: !sb.inPlace && !scheme.tiles, apart: sa.inPlace}
	k.vecs = geo.vecs
	if sb.bias, err = k.forBias(); err != nil {
		return nil, err
	}
	rows, columns := p.Blocks()
	sa.once, sb.once = columns == 1 && !spec.Shared, rows == 1 && !spec.Shared
	k.aRow, k.aStep = sa.strides()
	_, k.bStep = sb.strides()
	k.masked = sb.inPlace
	p.sources = [2]source{sa, sb}
	return p, p.functions(k, geo)
}

// chooseBlocks chooses the sizes that the caller leaves open: equal parts, and enough of them for several workers.
func (s *ProductSpec) chooseBlocks() {
	const multiple = 16 // of the rows of most shapes
	if s.BlockM == 0 {
		part := ceil(s.M, ceil(s.M, defaultBlockM))
		s.BlockM = ceil(part, multiple) * multiple
	}
	if s.BlockN == 0 {
		s.BlockN = defaultBlockN
		for s.BlockN > leastBlockN && ceil(s.M, s.BlockM)*ceil(s.N, s.BlockN) < enoughBlocks {
			s.BlockN /= 2
		}
	}
	s.BlockM, s.BlockN = min(s.BlockM, s.M), min(s.BlockN, s.N)
}

// functions makes the kernels for the sizes of blocks. All read panels of the same width.
func (p *Product) functions(k kernel, full geometry) error {
	lane := p.spec.Kind.Acc()
	for i, m := range [2]int{p.spec.BlockM, last(p.spec.M, p.spec.BlockM)} {
		for j, n := range [2]int{p.spec.BlockN, last(p.spec.N, p.spec.BlockN)} {
			g := p.scheme.level(p.target).geometryOf(lane, m, n, full.rows, full.vecs)
			k.rows, k.vecs, k.rest, k.edge, k.tail = g.rows, g.vecs, g.rest, g.edge, g.tail
			fn, err := k.function()
			if err != nil {
				return err
			}
			p.sizes[i][j] = sized{g, fn}
		}
	}
	return nil
}

// Blocks gives the number of blocks in a column and in a row of C.
func (p *Product) Blocks() (rows, columns int) {
	return ceil(p.spec.M, p.spec.BlockM), ceil(p.spec.N, p.spec.BlockN)
}

// BlockSize gives the rows and columns of a block, which are fewer in the last ones.
func (p *Product) BlockSize() (rows, columns int) { return p.spec.BlockM, p.spec.BlockN }

// Block computes the block in row i and column j of the blocks, for all of k. It adds the products to what is at from, or to
// zeros if from.At is nil, and writes the sums to. The two may be the same; otherwise to overlaps nothing else.
func (p *Product) Block(w *Worker, i, j int, to, from Sums) {
	rows, columns := p.Blocks()
	if i < 0 || i >= rows || j < 0 || j >= columns {
		panic(fmt.Sprintf("BUG: gemm: block %d,%d of a product with %dx%d blocks", i, j, rows, columns))
	}
	s := &p.sizes[b2i(i == rows-1)][b2i(j == columns-1)]
	lane := p.spec.Kind.Acc()
	var f frame
	f.sums(to, from, s.width()*lane)
	f.bias = 1
	out, between := f.to, f.to // where the sums are in the end, and from one chunk to the next
	if p.a.chunks > 1 {
		between = w.sums(&s.geometry, lane)
	}
	for chunk := range p.a.chunks {
		f.to = between
		if chunk == p.a.chunks-1 {
			f.to = out
		}
		f.k = p.lanesOf(chunk)
		f.a, f.b = p.a.get(i, chunk, &w.a), p.b.get(j, chunk, &w.b)
		f.aBlock, f.bPanel = p.a.distance(f.k), p.b.distance(f.k)
		s.run(s.fn, f, p.budget)
		f.from, f.keep = between, 1
	}
	keepAlive(to.At, from.At)
	runtime.KeepAlive(w)
	runtime.KeepAlive(p)
}

// sums is memory for the sums of a block while they grow. In C itself, whose rows often lie a power of two apart, they would
// not stay in the caches.
func (w *Worker) sums(g *geometry, lane int) part {
	row := g.width() * lane
	panel := (g.blocks*g.rows + g.rest) * row
	if n := g.allPanels() * panel; len(w.c) < n {
		w.c = alignedBytes(n)
	}
	return part{uintptr(unsafe.Pointer(&w.c[0])), row, panel}
}

// lanesOf is the lanes of k in a chunk.
func (p *Product) lanesOf(chunk int) int {
	return p.scheme.lanes(min(p.a.chunk(), p.spec.K-chunk*p.a.chunk()))
}

// Items is the number of blocks.
func (p *Product) Items() int {
	rows, columns := p.Blocks()
	return rows * columns
}

// Position gives the row and column of a block. Items are numbered from 0 in an order in which neighbours share operands that are
// still in the caches: through all columns for some rows of blocks, then for the next.
func (p *Product) Position(item int) (i, j int) {
	rows, columns := p.Blocks()
	group := max(1, groupRows/p.spec.BlockM)
	first := item / (group * columns) * group
	height := min(group, rows-first)
	within := item % (group * columns)
	return first + within%height, within / height
}

// groupRows is how many rows of A stay in use while B goes by.
const groupRows = 512

// Do computes the block at the position of an item, where to and from are all of C.
func (p *Product) Do(w *Worker, item int, to, from Sums) {
	i, j := p.Position(item)
	p.Block(w, i, j, p.blockOf(to, i, j), p.blockOf(from, i, j))
}

func (p *Product) blockOf(s Sums, i, j int) Sums {
	if s.At != nil {
		s.At = unsafe.Add(s.At, i*p.spec.BlockM*s.Row+j*p.spec.BlockN*p.spec.Kind.Acc())
	}
	return s
}

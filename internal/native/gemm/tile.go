package gemm

import (
	"fmt"
	"math"
	"runtime"
	"unsafe"
)

// A Layout says where the elements of a matrix lie: the distances in bytes between neighbours in a column, and between
// neighbours in a row. They may be negative, or 0 for repeated elements.
type Layout struct{ Row, Col int }

// RowMajor is the layout of a dense matrix of a number of columns, and of elements of some bytes.
func RowMajor(columns, elem int) Layout { return Layout{columns * elem, elem} }

// ColumnMajor is the layout of a dense matrix that is stored transposed.
func ColumnMajor(rows, elem int) Layout { return Layout{elem, rows * elem} }

// A TileSpec describes the product of two tiles: A has M times K elements, B has K times N.
type TileSpec struct {
	Kind    Kind
	M, N, K int
	A, B    Layout
}

// A Tile adds the product of two tiles to a third. It may be used by several goroutines.
type Tile struct {
	spec   TileSpec
	target Target
	scheme *scheme
	geo    geometry
	fn     *function
	budget int
	short  bool // one call suffices

	kernel kernel
	lanesK int   // lanes of k
	a, b   *plan // how to pack the operands; nil where the kernel reads them where they lie
	aBlock int
	bPanel int
}

// NewTile generates the code for a product of tiles, or takes it from a cache.
func NewTile(target Target, spec TileSpec) (*Tile, error) {
	scheme, number, err := spec.Kind.scheme(target, size{spec.M, spec.N, spec.K})
	if err != nil {
		return nil, err
	}
	if err := checkSizes(spec.Kind, spec.M, spec.N, spec.K); err != nil {
		return nil, err
	}
	lane := spec.Kind.Acc()
	level := scheme.level(target)
	t := &Tile{spec: spec, target: target, scheme: scheme, geo: level.tileGeometry(lane, spec.M, spec.N)}
	t.lanesK = scheme.lanes(spec.K)
	t.kernel = kernel{target: target, kind: spec.Kind, scheme: number, rows: t.geo.rows, vecs: t.geo.vecs, rest: t.geo.rest,
		edge: t.geo.edge, tail: t.geo.tail}
	t.budget = level.budget
	t.short = t.lanesK <= kChunk && t.geo.fits(t.lanesK, t.budget)
	if t.lanesK <= smallK && !scheme.tiles {
		t.kernel.k = t.lanesK
	}
	if err := t.planA(); err != nil {
		return nil, err
	}
	if err := t.planB(); err != nil {
		return nil, err
	}
	t.fn, err = t.kernel.function()
	return t, err
}

// smallK is how many steps are written out without a loop.
const smallK = 16

func checkSizes(k Kind, m, n, depth int) error {
	if m < 1 || n < 1 || depth < 1 {
		return fmt.Errorf("gemm: a product of %v with M=%d, N=%d, K=%d: each must be at least 1", k, m, n, depth)
	}
	if limit := math.MaxInt / 64; m > limit/n || m > limit/depth || n > limit/depth {
		return fmt.Errorf("gemm: a product of %v with M=%d, N=%d, K=%d does not fit in memory", k, m, n, depth)
	}
	return nil
}

// reach says whether the distances that an instruction adds to an address fit in it.
func reach(strides ...int) bool {
	const limit = math.MaxInt32 / 64
	for _, s := range strides {
		if s < -limit || s > limit {
			return false
		}
	}
	return true
}

// planA decides whether the kernel reads A where it lies.
func (t *Tile) planA() error {
	if t.scheme.readsA(t.spec.K, t.spec.A) {
		t.kernel.aRow, t.kernel.aStep = int32(t.spec.A.Row), int32(t.spec.A.Col*loaders[t.scheme.a].group)
		t.aBlock = t.geo.rows * t.spec.A.Row
		return nil
	}
	l, rows := &loaders[t.scheme.a], t.geo.rows
	t.kernel.aRow, t.kernel.aStep = int32(l.lane), int32(rows*l.lane)
	t.aBlock = rows * l.lane * t.lanesK
	form := t.scheme.formA()
	if form == inTiles {
		t.kernel.aRow = tileBytes
	}
	var err error
	t.a, err = newPlan(t.target.Level, t.scheme.a, form, rows, t.spec.M, t.spec.K, t.spec.A.Col, t.spec.A.Row, nil)
	return err
}

// crowded says whether rows that are so many bytes apart meet in so few sets of the nearest cache that they push each other out.
// Such a cache has 8 or 12 places in each set, and its sets cover a page.
func crowded(stride, rows int) bool {
	const page, places = 4096, 8
	different := page // of the addresses in a page
	for stride%2 == 0 && different > 1 {
		stride, different = stride/2, different/2
	}
	return rows > places*different
}

// planB decides whether the kernel reads B where it lies.
func (t *Tile) planB() error {
	l := &loaders[t.scheme.b]
	width := t.geo.width()
	packs := t.geo.allBlocks() >= fewUses && crowded(t.spec.B.Row, t.lanesK)
	if l.direct() && reach(t.spec.B.Row) && (t.spec.B.Col == l.elem || t.spec.N == 1) && !packs {
		t.kernel.bStep, t.kernel.masked = int32(t.spec.B.Row), true
		t.bPanel = width * l.lane
		return nil
	}
	t.kernel.bStep = int32(width * l.lane)
	bias, err := t.kernel.forBias()
	if err != nil {
		return err
	}
	t.b, err = newPlan(t.target.Level, t.scheme.b, t.scheme.formB(), width, t.spec.N, t.spec.K, t.spec.B.Row, t.spec.B.Col, bias)
	t.bPanel = t.b.panel
	return err
}

// Scratch is how many bytes of memory Run needs for itself.
func (t *Tile) Scratch() int { return t.aScratch() + t.bScratch() }

func (t *Tile) aScratch() int {
	if t.a == nil {
		return 0
	}
	return (t.a.size() + line - 1) &^ (line - 1)
}

func (t *Tile) bScratch() int {
	if t.b == nil {
		return 0
	}
	return t.b.size()
}

// Sums is a place for C, or for what the products are added to: a matrix whose rows lie Row bytes apart, and the elements of a
// row next to each other. It lies in the heap or outside Go's memory.
type Sums struct {
	At  unsafe.Pointer
	Row int
}

// Run adds the product of a and b to what is at from, or to zeros if from.At is nil, and writes the sums to. The two may be the
// same; otherwise to overlaps nothing else. The scratch memory has at least Scratch bytes and is best aligned to 64 bytes. All
// addresses lie in the heap or outside Go's memory.
func (t *Tile) Run(to, from Sums, a, b unsafe.Pointer, scratch []byte) {
	if len(scratch) < t.Scratch() {
		panic(fmt.Sprintf("BUG: gemm: scratch memory of %d bytes for a tile that needs %d", len(scratch), t.Scratch()))
	}
	f := frame{a: uintptr(a), b: uintptr(b), k: t.lanesK, panels: t.geo.panels, blocks: t.geo.blocks, rest: 1, edge: 1,
		aBlock: t.aBlock, bPanel: t.bPanel, bias: 1}
	f.sums(to, from, t.geo.width()*t.spec.Kind.Acc())
	if t.a != nil {
		f.a = t.a.fill(a, scratch)
	}
	if t.b != nil {
		f.b = t.b.fill(b, scratch[t.aScratch():])
	}
	if t.short {
		t.fn.call(unsafe.Pointer(&f))
	} else {
		t.long(f)
	}
	keepAlive(a, b, to.At, from.At)
	runtime.KeepAlive(scratch)
}

// sums says where the sums come from and go to. Sums that begin with zeros come from nowhere.
func (f *frame) sums(to, from Sums, panel int) {
	f.to = part{uintptr(to.At), to.Row, panel}
	if from.At != nil {
		f.from, f.keep = part{uintptr(from.At), from.Row, panel}, 1
	}
}

// keepAlive is runtime.KeepAlive for addresses.
func keepAlive(list ...unsafe.Pointer) {
	for _, p := range list {
		runtime.KeepAlive(p)
	}
}

// long makes the calls of a product that is too long for one.
func (t *Tile) long(f frame) {
	a, b := f.a, f.b
	for k := 0; k < t.lanesK; k += f.k {
		f.k = min(kChunk, t.lanesK-k)
		f.a, f.b = a+uintptr(k*int(t.kernel.aStep)), b+uintptr(k*int(t.kernel.bStep))
		t.geo.run(t.fn, f, t.budget)
		f.from, f.keep, f.bias = f.to, 1, 0
	}
}

package gemm

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/host"
)

// panels is one operand of a product, cut into cells that are packed when they are first needed. A cell is the part of one
// block of rows of A (or of columns of B) and one chunk of k.
type panels struct {
	*cut
	at    unsafe.Pointer
	cache *Cache
	cells []cell // by block and chunk
}

// A cut is how operands are cut and packed, wherever they lie.
type cut struct {
	source
	chunks int
	plans  [2][2]*plan // for blocks and chunks of full size, and for the last ones
}

// A source says how an operand is cut.
type source struct {
	level         host.Level
	loader        uint8
	form          form
	extent, k     int       // rows of A or columns of B; elements of k
	kStride, step int       // bytes between neighbours in k, and between those in the other dimension
	block, width  int       // rows or columns of a block, and of a panel
	inPlace       bool      // nothing is packed: kernels read the operand where it lies
	once          bool      // each cell is for one block only, so that the cache would be in vain
	bias          *function // see [plan]
}

// A cell is packed memory, or nil until it is wanted.
type cell struct {
	mu     sync.Mutex
	packed atomic.Pointer[[]byte]
}

func newPanels(c *cut, at unsafe.Pointer, cache *Cache) *panels {
	return &panels{cut: c, at: at, cache: cache, cells: make([]cell, ceil(c.extent, c.block)*c.chunks)}
}

func newCut(s source) (*cut, error) {
	c := &cut{source: s, chunks: ceil(s.k, s.chunk())}
	if s.inPlace {
		return c, nil
	}
	lastBlock, lastChunk := last(s.extent, s.block), last(s.k, s.chunk())
	for i, extent := range [2]int{min(s.block, s.extent), lastBlock} {
		for j, k := range [2]int{min(s.chunk(), s.k), lastChunk} {
			plan, err := newPlan(s.level, s.loader, s.form, s.width, extent, k, s.kStride, s.step, s.bias)
			if err != nil {
				return nil, err
			}
			c.plans[i][j] = plan
		}
	}
	return c, nil
}

func ceil(n, unit int) int { return (n + unit - 1) / unit }

// last is the size of the last part if n is cut into units.
func last(n, unit int) int { return n - (ceil(n, unit)-1)*unit }

// chunk is the number of elements of k in a cell.
func (s *source) chunk() int { return kChunk * loaders[s.loader].group }

// An operand is where a product has its elements from: memory, or panels that products share.
type operand struct {
	*cut
	at     unsafe.Pointer
	shared *panels // nil where cells are not packed, or for one block only
}

// get gives the address of a cell: in place, or packed, which this or another goroutine does if nobody has done so. Where the cache is
// full, the memory is own, until the worker asks for the next cell of the same operand.
func (o *operand) get(block, chunk int, own *[]byte) uintptr {
	if o.inPlace {
		return uintptr(o.memory(o.at, block, chunk))
	}
	plan := o.plans[b2i((block+1)*o.block >= o.extent)][b2i(chunk == o.chunks-1)]
	if o.shared != nil {
		if data := o.shared.cached(plan, block, chunk); data != nil {
			return plan.lanes(*data)
		}
	}
	if len(*own) < plan.size() {
		*own = alignedBytes(plan.size())
	}
	return plan.fill(o.memory(o.at, block, chunk), *own)
}

// cached gives a packed cell of the cache. It gives nil if the cache is full.
func (p *panels) cached(plan *plan, block, chunk int) *[]byte {
	c := &p.cells[block*p.chunks+chunk]
	if data := c.packed.Load(); data != nil {
		return data
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if data := c.packed.Load(); data != nil {
		return data
	}
	data := p.cache.take(plan.size())
	if data == nil {
		return nil
	}
	plan.fill(p.memory(p.at, block, chunk), data)
	c.packed.Store(&data)
	return &data
}

// memory is where the elements of a cell begin, for an operand that begins at an address.
func (s *source) memory(at unsafe.Pointer, block, chunk int) unsafe.Pointer {
	return unsafe.Add(at, block*s.block*s.step+chunk*s.chunk()*s.kStride)
}

// strides gives the bytes between neighbours in a panel, and between lanes of k.
func (s *source) strides() (next, k int32) {
	if s.inPlace {
		return int32(s.step), int32(s.kStride * loaders[s.loader].group)
	}
	lane := loaders[s.loader].lane
	if s.form == inTiles {
		return tileBytes, int32(s.width * lane)
	}
	return int32(lane), int32(s.width * lane)
}

// distance is the bytes from panel to panel in a cell with so many lanes of k.
func (s *source) distance(lanes int) int {
	if s.inPlace {
		return s.width * s.step
	}
	return s.width * (lanes + b2i(s.bias != nil)) * loaders[s.loader].lane
}

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// A Cache holds the packed operands of products, so that products with the same operand share it, and limits their
// memory. It is for one launch: the memory of the operands must not change while it is in use.
type Cache struct {
	left     atomic.Int64 // bytes that may still be taken
	prepared *Prepared

	mu       sync.Mutex
	operands map[operandKey]*panels
	taken    [][]byte
	fixed    []fixedMemory

	// Of a lasting cache, whose memory is its own and never released:
	lasting  bool
	cuts     map[source]*cut        // those of its operands, whoever has prepared others
	others   map[operandKey]*panels // the operands by the cuts of others
	promised int64                  // bytes of the operands
}

// fixedMemory is memory that does not change, and the lasting cache of the operands in it.
type fixedMemory struct {
	from, to uintptr
	cache    *Cache
}

type operandKey struct {
	at  unsafe.Pointer
	cut *cut
}

// NewCache makes a cache of at most so many bytes. Operands that do not fit are packed again for each block.
func NewCache(limit int) *Cache { return new(Prepared).Cache(limit) }

// Cache is [NewCache] for products that share what is prepared with those of other caches.
func (p *Prepared) Cache(limit int) *Cache {
	c, ok := released.Get().(*Cache)
	if !ok {
		c = &Cache{operands: map[operandKey]*panels{}}
	}
	c.prepared = p
	c.left.Store(int64(limit))
	return c
}

// released has caches that may be used again.
var released sync.Pool

// NewLasting makes a cache for operands in memory that does not change, which [Cache.Fix] tells caches of. It has at most so many bytes
// and lasts as long as something refers to it.
func NewLasting(limit int) *Cache {
	c := &Cache{operands: map[operandKey]*panels{}, lasting: true, cuts: map[source]*cut{}, others: map[operandKey]*panels{}}
	c.left.Store(int64(limit))
	return c
}

// Fix says that the operands in some memory are those of a lasting cache, as far as that has room.
func (c *Cache) Fix(at unsafe.Pointer, bytes int, lasting *Cache) {
	c.fixed = append(c.fixed, fixedMemory{uintptr(at), uintptr(at) + uintptr(bytes), lasting})
}

// Operands counts the operands that the cache knows.
func (c *Cache) Operands() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.operands)
}

// operand gives an operand of a product at an address.
func (c *Cache) operand(cut *cut, at unsafe.Pointer) operand {
	if cut.inPlace || cut.once {
		return operand{cut, at, nil}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return operand{cut, at, c.panelsOf(cut, at)}
}

func (c *Cache) panelsOf(cut *cut, at unsafe.Pointer) *panels {
	for _, f := range c.fixed {
		if f.from <= uintptr(at) && uintptr(at) < f.to {
			if p := f.cache.lastingOperand(cut, at); p != nil {
				return p
			}
		}
	}
	key := operandKey{at, cut}
	p := c.operands[key]
	if p == nil {
		p = newPanels(cut, at, c)
		c.operands[key] = p
	}
	return p
}

// lastingOperand gives an operand of a lasting cache; nil if there is no room for all of it.
func (c *Cache) lastingOperand(cut *cut, at unsafe.Pointer) *panels {
	c.mu.Lock()
	defer c.mu.Unlock()
	asked := operandKey{at, cut}
	if p := c.others[asked]; p != nil {
		return p
	}
	p := c.lastingOf(cut, at)
	if p != nil {
		if len(c.others) >= maxOthers {
			clear(c.others)
		}
		c.others[asked] = p
	}
	return p
}

// maxOthers limits how many cuts of others a lasting cache knows, as kernels come and go.
const maxOthers = 1024

// lastingOf is lastingOperand for a cut that is not known yet.
func (c *Cache) lastingOf(cut *cut, at unsafe.Pointer) *panels {
	if old := c.cuts[cut.source]; old != nil {
		cut = old
	}
	key := operandKey{at, cut}
	if p := c.operands[key]; p != nil {
		return p
	}
	if c.promised+cut.bytes() > c.left.Load() {
		return nil
	}
	c.promised += cut.bytes()
	p := newPanels(cut, at, c)
	c.cuts[cut.source], c.operands[key] = cut, p
	return p
}

// bytes is how much memory packed operands take.
func (c *cut) bytes() int64 {
	return int64(ceil(c.extent, c.block) * c.chunks * c.plans[0][0].size())
}

// take gives memory for a cell, or nil if the limit is reached.
func (c *Cache) take(n int) []byte {
	if c.lasting { // there is room for it: see lastingOperand
		return alignedBytes(n)
	}
	size := int64(1) << sizeClass(n)
	if c.left.Add(-size) < 0 {
		c.left.Add(size)
		return nil
	}
	b := freeCells.get(n)
	c.mu.Lock()
	c.taken = append(c.taken, b)
	c.mu.Unlock()
	return b
}

// Release gives the memory of the packed operands, and the cache itself, to later caches. Neither the cache nor its products may be
// used afterwards.
func (c *Cache) Release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range c.taken {
		freeCells.put(b)
	}
	clear(c.taken)
	clear(c.operands)
	clear(c.fixed)
	c.taken, c.fixed, c.prepared = c.taken[:0], c.fixed[:0], nil
	released.Put(c)
}

// freeCells keeps memory from one launch to the next: fresh memory costs more than packing.
var freeCells cellPool

// A cellPool has a pool of memory for each power of two.
type cellPool [64]sync.Pool

func (p *cellPool) get(n int) []byte {
	class := sizeClass(n)
	if b, ok := p[class].Get().(*[]byte); ok {
		return *b
	}
	return alignedBytes(1 << class)
}

func (p *cellPool) put(b []byte) { p[sizeClass(len(b))].Put(&b) }

// sizeClass is the exponent of the smallest power of two that is at least n.
func sizeClass(n int) int { return bits.Len(uint(max(n, 64) - 1)) }

// alignedBytes makes memory that begins at a multiple of 64 bytes.
func alignedBytes(n int) []byte {
	b := make([]byte, n+63)
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) & 63)
	return b[skip : skip+n : skip+n]
}

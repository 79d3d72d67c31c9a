package races

import "sync"

// Kind is what an access does.
type Kind uint8

const (
	Read        Kind = iota
	Write            // also an atomic update that is atomic for its own block alone
	AtomicRead       // a load that is atomic for every block
	AtomicWrite      // a store or an update that is atomic for every block
)

// conflicts says by kind with which kinds an access races, as a set of 1<<Kind.
var conflicts = [4]uint8{
	Read:        1<<Write | 1<<AtomicWrite,
	Write:       1<<Read | 1<<Write | 1<<AtomicRead | 1<<AtomicWrite,
	AtomicRead:  1 << Write,
	AtomicWrite: 1<<Read | 1<<Write,
}

// Access is an access that was noted.
type Access struct {
	Block uint32
	Op    int32 // what the engine said that did it
	Kind  Kind
}

// Limit is the most bytes that a detector takes for cells.
const Limit = 256 << 20

// Detector finds the races of one launch. Its methods, and those of what it makes, are called with Lock held, as engines run
// blocks side by side.
type Detector struct {
	sync.Mutex
	levels    uint8
	sync      bool
	pages     int // that may still be made
	unwatched int64
	free      *Pages
	places    map[place]*clock
	more      map[place][]entry // what a cell has no room for
	crowds    map[place]*crowd
	founded   map[[few + 1]entry]*crowd
	next      map[step]*crowd // what became of a crowd
	steps     int64
}

// place is a byte of a memory.
type place struct {
	m   *Memory
	off int64
}

// Pages keeps pages from one launch to the next.
type Pages struct {
	mu   sync.Mutex
	list []*page
}

// New makes a detector for the given number of blocks. synchronised says that the kernel may acquire or release: then cells
// remember more. free may be nil.
func New(blocks int64, synchronised bool, free *Pages) *Detector {
	if free == nil {
		free = &Pages{}
	}
	return &Detector{levels: levels(blocks), sync: synchronised, pages: Limit / pageBytes, free: free,
		places: map[place]*clock{}, more: map[place][]entry{}, crowds: map[place]*crowd{}, founded: map[[few + 1]entry]*crowd{},
		next: map[step]*crowd{}}
}

// Unwatched is how many bytes of memory were touched that no page was left for.
func (d *Detector) Unwatched() int64 { return d.unwatched }

// Steps is how many accesses it has compared with another one: how its work grows, for tests.
func (d *Detector) Steps() int64 { return d.steps }

// Close gives the pages of the memories back.
func (d *Detector) Close(memories ...*Memory) {
	d.free.mu.Lock()
	defer d.free.mu.Unlock()
	for _, m := range memories {
		for i, p := range m.pages {
			if p != nil && p != noPage && len(d.free.list) < Limit/pageBytes/4 {
				*p = page{}
				d.free.list = append(d.free.list, p)
			}
			m.pages[i] = nil
		}
	}
}

func (d *Detector) newPage() *page {
	d.free.mu.Lock()
	defer d.free.mu.Unlock()
	if n := len(d.free.list); n > 0 {
		p := d.free.list[n-1]
		d.free.list = d.free.list[:n-1]
		return p
	}
	return new(page)
}

// Thread is a block while it runs.
type Thread struct {
	d     *Detector
	block uint32
	time  uint32
	know  *clock
}

// Begin makes t a block at its start.
func (d *Detector) Begin(t *Thread, block uint32) { *t = Thread{d: d, block: block, time: 1} }

// after reports whether an access comes before what the block does now.
func (t *Thread) after(e *entry) bool {
	return e.block == t.block || t.know.get(e.block) >= e.time
}

// Release publishes at a byte what the block did and knows. Call it before the store or update that does it.
func (t *Thread) Release(m *Memory, off int64) {
	if !t.d.sync {
		panic("BUG: races: a release by one of the blocks that never synchronise")
	}
	at := place{m, off}
	t.d.places[at] = join(t.d.places[at], t.know.with(t.d.levels, t.block, t.time))
	t.time++
}

// Acquire takes over what was published at a byte. Call it after the load or update that does it.
func (t *Thread) Acquire(m *Memory, off int64) { t.know = join(t.know, t.d.places[place{m, off}]) }

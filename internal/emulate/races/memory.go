package races

// Memory is the cells of one piece of memory.
type Memory struct {
	d     *Detector
	shift uint8 // a cell is 1<<shift bytes
	pages []*page
}

const (
	pageCells = 512
	pageBytes = 24 * pageCells
)

type page [pageCells]cell

// noPage stands for a page that the limit forbids.
var noPage = new(page)

// cell is what happened to a few bytes. Empty entries have the time 0.
type cell struct{ a, b entry }

// entry is an access.
type entry struct {
	block, time uint32
	what        uint32 // the operation, whether the cell has more entries or a crowd elsewhere (of a), and the kind
}

const (
	kindMask  = 3
	moreFlag  = 4
	crowdFlag = 8
	opShift   = 4
)

// few is how many entries a cell has one by one. If there are more, it has a crowd, and a is the last one of that.
const few = 8

func (e *entry) kind() Kind     { return Kind(e.what & kindMask) }
func (e *entry) access() Access { return Access{e.block, int32(e.what >> opShift), e.kind()} }

// NewMemory makes the cells of memory of the given size. grain is the size in bytes of the smallest access, a power of two.
func (d *Detector) NewMemory(bytes int64, grain int) *Memory {
	m := &Memory{d: d}
	for grain > 1<<m.shift {
		m.shift++
	}
	cells := bytes>>m.shift + 1
	m.pages = make([]*page, (cells+pageCells-1)/pageCells)
	return m
}

// cell finds a cell; nil if it is not watched.
func (m *Memory) cell(i int64) *cell {
	p := m.pages[i/pageCells]
	if p == nil {
		if p = noPage; m.d.pages > 0 {
			m.d.pages--
			p = m.d.newPage()
		}
		m.pages[i/pageCells] = p
	}
	if p == noPage {
		m.d.unwatched += 1 << m.shift
		return nil
	}
	return &p[i%pageCells]
}

// Touch notes an access to bytes of a memory. Where it races with an earlier one it gives that one and the first byte where
// they meet.
func (t *Thread) Touch(m *Memory, off, bytes int64, op int32, k Kind) (with Access, at int64, raced bool) {
	mine := entry{t.block, t.time, uint32(op)<<opShift | uint32(k)}
	for i, end := off>>m.shift, (off+bytes-1)>>m.shift; i <= end; i++ {
		c := m.cell(i)
		if c == nil || c.a.seen(&mine) || c.b.seen(&mine) {
			continue
		}
		if c.a.time == 0 {
			c.a = mine
			continue
		}
		if e, raced := t.note(m, i, c, mine); raced {
			return e.access(), max(off, i<<m.shift), true
		}
	}
	return Access{}, 0, false
}

// seen reports whether the block noted the same since its last release: nothing that races can have come between.
func (e *entry) seen(mine *entry) bool {
	return e.block == mine.block && e.time == mine.time && (e.what^mine.what)&kindMask == 0
}

// note adds an access to a cell and drops those that it stands for from now on. It gives one that it races with.
func (t *Thread) note(m *Memory, i int64, c *cell, mine entry) (with entry, raced bool) {
	if c.a.what&crowdFlag != 0 {
		return t.joins(c, place{m, i}, mine)
	}
	var room [few + 1]entry
	list := room[:0]
	if list = append(list, c.a); c.b.time != 0 {
		list = append(list, c.b)
	}
	var more []entry
	if c.a.what&moreFlag != 0 {
		more = t.d.more[place{m, i}]
		list = append(list, more...)
	}
	list[0].what &^= moreFlag
	t.d.steps += int64(len(list))
	kept, alike := list[:0], 0
	for _, e := range list {
		after := t.after(&e)
		switch races := conflicts[mine.kind()]; {
		case !after && races>>e.kind()&1 != 0:
			return e, true
		case after && conflicts[e.kind()]&^races == 0:
			continue // whatever races with e later races with mine
		case e.kind() == mine.kind():
			alike++
		}
		kept = append(kept, e)
	}
	if t.d.sync || alike < 2 { // of blocks that never synchronise, two stand for all
		kept = append(kept, mine)
	}
	t.store(c, place{m, i}, kept, more)
	return entry{}, false
}

// maxMore bounds the cells that have more than two entries.
const maxMore = 1 << 20

// store writes the entries of a cell. more is the memory of those that it had no room for.
func (t *Thread) store(c *cell, at place, list, more []entry) {
	*c = cell{a: list[0]}
	if len(list) > 1 {
		c.b = list[1]
	}
	switch full := more == nil && len(t.d.more)+len(t.d.crowds) >= maxMore; {
	case len(list) > 2 && full:
	case len(list) > few:
		delete(t.d.more, at)
		t.d.crowds[at] = t.d.crowdOf(list)
		*c = cell{a: list[len(list)-1]}
		c.a.what |= crowdFlag
	case len(list) > 2:
		t.d.more[at] = append(more[:0], list[2:]...)
		c.a.what |= moreFlag
	case more != nil:
		delete(t.d.more, at)
	}
}

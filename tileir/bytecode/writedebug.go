package bytecode

import (
	"encoding/binary"
	"math"

	"github.com/cutile-go/cutile/tileir"
)

// hasPlaces reports whether the module has anything for the debug section.
func hasPlaces(m *tileir.Module) bool {
	for _, e := range m.Entries {
		if !e.Place().IsZero() {
			return true
		}
	}
	for _, l := range m.Listed {
		if _, ok := l.Item.(tileir.Loc); ok {
			return true
		}
	}
	return false
}

// placeTable collects the debug section. Attributes count from 1.
type placeTable struct {
	attrs  pool
	rows   []uint32 // where each function starts in ids
	ids    []uint32
	scopes map[*tileir.Scope]uint64
	calls  map[ownedLoc]uint64
	own    *tileir.Scope // the function of the current entry, for places that name none

	last   tileir.Loc // the last place, and its number
	lastID uint64
}

// ownedLoc is the place of a call, which many operations may share, in an entry.
type ownedLoc struct {
	loc *tileir.Loc
	own *tileir.Scope
}

// startFunction opens a row. Its first place is that of the function: one without takes the first in its body, since
// readers refuse places of operations in a function that has none.
func (p *placeTable) startFunction(e *tileir.Entry) {
	p.last, p.lastID = tileir.Loc{}, 0 // a place without a scope belongs to its entry
	p.own = e.Function()
	p.rows = append(p.rows, uint32(len(p.ids)))
}

// mark appends the place of a function or an operation to the row.
func (w *writer) mark(l *tileir.Loc) {
	if !w.debug {
		return
	}
	p := &w.places
	if *l != p.last {
		p.last, p.lastID = *l, w.place(l)
	}
	p.ids = append(p.ids, uint32(p.lastID))
}

// listPlace numbers a place that no operation has.
func (w *writer) listPlace(l tileir.Loc) {
	switch {
	case !w.debug:
	case l.IsZero():
		w.places.add(unknownTag)
	default:
		w.place(&l)
	}
}

// add interns a debug attribute of a tag and fields, all of which are numbers.
func (p *placeTable) add(tag byte, fields ...uint64) uint64 {
	b := append(p.attrs.data, tag)
	for _, x := range fields {
		b = binary.AppendUvarint(b, x)
	}
	p.attrs.data = b
	return uint64(p.attrs.intern()) + 1
}

// natural is a line or column, which readers take from 0 to 2^31 - 1.
func natural(x int) uint64 { return uint64(min(max(x, 0), math.MaxInt32)) }

// place interns a place: its scope, itself, and then the places of the calls that it was inlined through.
func (w *writer) place(l *tileir.Loc) uint64 {
	p := &w.places
	var id uint64
	w.fileOnly(l)
	if l.File != "" || l.Line != 0 {
		s := l.Scope
		if s == nil {
			s = p.own
		}
		scope := w.scope(s)
		id = p.add(locTag, scope, w.text(l.File), natural(l.Line), natural(l.Col))
	}
	if l.Caller != nil {
		id = p.add(callSiteTag, id, w.call(l.Caller))
	}
	return id
}

// call is place, once for each call of a function.
func (w *writer) call(l *tileir.Loc) uint64 {
	p := &w.places
	key := ownedLoc{l, p.own}
	id, ok := p.calls[key]
	if !ok {
		id = w.place(l)
		p.calls[key] = id
	}
	return id
}

// fileOnly refuses places that only text can hold.
func (w *writer) fileOnly(l *tileir.Loc) {
	switch {
	case l.Text == nil:
	case l.Text.Call:
		for i := range l.Text.Of {
			w.fileOnly(&l.Text.Of[i])
		}
	default:
		w.fail(nil, "a position %s, which only text can hold", l.Text.What())
	}
}

func (w *writer) text(s string) uint64 { return uint64(w.strings.addString(s)) }

// scope interns a function or block.
func (w *writer) scope(s *tileir.Scope) uint64 {
	if s == nil {
		return 0
	}
	p := &w.places
	if id, ok := p.scopes[s]; ok {
		return id
	}
	var id uint64
	if s.Parent != nil {
		parent := w.scope(s.Parent)
		id = p.add(lexicalBlockTag, parent, w.sourceFile(s.File), natural(s.Line), natural(s.Col))
	} else {
		file := w.sourceFile(s.File)
		unit := w.unit(s.Unit)
		name := w.text(s.Name)
		id = p.add(subprogramTag, file, natural(s.Line), name, w.text(s.Linkage), unit, natural(s.ScopeLine))
	}
	p.scopes[s] = id
	return id
}

func (w *writer) sourceFile(f *tileir.SourceFile) uint64 {
	if f == nil {
		return 0
	}
	name := w.text(f.Name)
	return w.places.add(fileTag, name, w.text(f.Dir))
}

func (w *writer) unit(f *tileir.SourceFile) uint64 {
	if f == nil {
		return 0
	}
	return w.places.add(compileUnitTag, w.sourceFile(f))
}

// rowsSize is the length of the rows and numbers, which end at a multiple of 8.
func (p *placeTable) rowsSize() int {
	rows := uvarintLen(uint64(len(p.rows)))
	rows += -rows&3 + 4*len(p.rows)
	ids := rows + uvarintLen(uint64(len(p.ids)))
	return ids + -ids&7 + 8*len(p.ids)
}

// size is the length of the section's payload.
func (p *placeTable) size() int {
	if len(p.attrs.ends) == 0 {
		p.add(unknownTag) // readers fail on an empty table
	}
	return p.rowsSize() + p.attrs.tableSize(4)
}

// appendTo writes the payload.
func (p *placeTable) appendTo(out []byte) []byte {
	start := len(out)
	out = padFrom(binary.AppendUvarint(out, uint64(len(p.rows))), start, 4)
	for _, at := range p.rows {
		out = binary.LittleEndian.AppendUint32(out, at)
	}
	out = padFrom(binary.AppendUvarint(out, uint64(len(p.ids))), start, 8)
	for _, id := range p.ids {
		out = binary.LittleEndian.AppendUint64(out, uint64(id))
	}
	return p.attrs.appendTable(out, len(out), 4)
}

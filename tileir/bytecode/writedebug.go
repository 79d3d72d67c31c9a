package bytecode

import (
	"encoding/binary"

	"github.com/cutile-go/cutile/tileir"
)

// hasPlaces reports whether the module has anything for the debug section.
func hasPlaces(m *tileir.Module) bool {
	for _, e := range m.Entries {
		if !e.Place().IsZero() {
			return true
		}
	}
	return false
}

// placeTable collects the debug section. Attributes count from 1.
type placeTable struct {
	attrs  pool
	rows   []int // where each function starts in ids
	ids    []uint64
	locs   map[tileir.Loc]uint64
	scopes map[*tileir.Scope]uint64
	own    *tileir.Scope // the function of the current entry, for places that name none
}

func (p *placeTable) add(b []byte) uint64 { return uint64(p.attrs.add(b)) + 1 }

// startFunction opens a row with the function's own place. A function without one takes the first place in it, since
// readers refuse places of operations in a function that has none.
func (w *writer) startFunction(e *tileir.Entry) {
	p := &w.places
	if p.locs == nil {
		*p = placeTable{attrs: newPool(), locs: map[tileir.Loc]uint64{}, scopes: map[*tileir.Scope]uint64{}}
	}
	clear(p.locs) // a place without a scope belongs to its entry
	p.own = e.Function()
	p.rows = append(p.rows, len(p.ids))
	w.mark(e.Place())
}

// mark appends the place of a function or an operation to the row.
func (w *writer) mark(l tileir.Loc) {
	if w.debug {
		w.places.ids = append(w.places.ids, w.place(l))
	}
}

// place interns a place: its scope, itself, and then the places of the calls that it was inlined through.
func (w *writer) place(l tileir.Loc) uint64 {
	if l.IsZero() {
		return 0
	}
	p := &w.places
	if id, ok := p.locs[l]; ok {
		return id
	}
	s := l.Scope
	if s == nil {
		s = p.own
	}
	b := binary.AppendUvarint([]byte{locTag}, w.scope(s))
	b = w.appendString(b, l.File)
	b = binary.AppendUvarint(b, uint64(max(l.Line, 0)))
	b = binary.AppendUvarint(b, uint64(max(l.Col, 0)))
	id := p.add(b)
	if l.Caller != nil {
		if caller := w.place(*l.Caller); caller != 0 {
			b = binary.AppendUvarint([]byte{callSiteTag}, id)
			id = p.add(binary.AppendUvarint(b, caller))
		}
	}
	p.locs[l] = id
	return id
}

// scope interns a function or block.
func (w *writer) scope(s *tileir.Scope) uint64 {
	if s == nil {
		return 0
	}
	p := &w.places
	if id, ok := p.scopes[s]; ok {
		return id
	}
	var b []byte
	if s.Parent != nil {
		b = binary.AppendUvarint([]byte{lexicalBlockTag}, w.scope(s.Parent))
		b = binary.AppendUvarint(b, w.sourceFile(s.File))
		b = binary.AppendUvarint(b, uint64(max(s.Line, 0)))
		b = binary.AppendUvarint(b, uint64(max(s.Col, 0)))
	} else {
		b = binary.AppendUvarint([]byte{subprogramTag}, w.sourceFile(s.File))
		unit := w.unit(s.Unit)
		b = binary.AppendUvarint(b, uint64(max(s.Line, 0)))
		b = w.appendString(w.appendString(b, s.Name), s.Linkage)
		b = binary.AppendUvarint(b, unit)
		b = binary.AppendUvarint(b, uint64(max(s.ScopeLine, 0)))
	}
	id := p.add(b)
	p.scopes[s] = id
	return id
}

func (w *writer) sourceFile(f *tileir.SourceFile) uint64 {
	if f == nil {
		return 0
	}
	return w.places.add(w.appendString(w.appendString([]byte{fileTag}, f.Name), f.Dir))
}

func (w *writer) unit(f *tileir.SourceFile) uint64 {
	if f == nil {
		return 0
	}
	file := w.sourceFile(f)
	return w.places.add(binary.AppendUvarint([]byte{compileUnitTag}, file))
}

func (w *writer) debugPayload() []byte {
	p := &w.places
	if len(p.attrs.ends) == 0 {
		p.attrs.add([]byte{unknownTag}) // readers fail on an empty table
	}
	out := binary.AppendUvarint(nil, uint64(len(p.rows)))
	out = pad(out, 4)
	for _, at := range p.rows {
		out = binary.LittleEndian.AppendUint32(out, uint32(at))
	}
	out = pad(binary.AppendUvarint(out, uint64(len(p.ids))), 8)
	for _, id := range p.ids {
		out = binary.LittleEndian.AppendUint64(out, id)
	}
	return p.attrs.appendTable(out, 4)
}

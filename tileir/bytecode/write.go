package bytecode

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/cutile-go/cutile/tileir"
)

// Options are the options of [Write].
type Options struct {
	// Strip omits the debug section. Without it, the section is written if an entry or an operation has a source position.
	Strip bool
}

// Write encodes a module in the given version. The module should be valid: see [tileir.Verify]; Write itself refuses only parts
// that the version does not have, operands that are not in scope, and parts without an encoding. The same module always
// produces the same bytes: tables are in the order of first use (see the package documentation), with the entries of
// [tileir.Module.Listed] in their places. Listed entries that the version does not have are omitted.
func Write(m *tileir.Module, v tileir.Version, opts Options) (data []byte, err error) {
	if m == nil || !slices.Contains(tileir.Versions(), v) {
		return nil, fmt.Errorf("bytecode: cannot write version %v: it is not one of %v", v, tileir.Versions())
	}
	if why := m.OnlyText(); why != "" {
		return nil, errors.New("bytecode: the module cannot be written: " + why)
	}
	w := writers.Get().(*writer)
	defer func() {
		switch r := recover().(type) {
		case nil:
			if cap(w.body)+cap(w.funcs) <= largeFile {
				w.reset()
				writers.Put(w)
			}
		case runtime.Error: // parts that are nil: of a module that Verify refuses, and says where
			data, err = nil, fmt.Errorf("bytecode: the module is not valid, see tileir.Verify: %w", r)
		default:
			panic(r)
		}
	}()
	w.version = v
	w.debug = !opts.Strip && hasPlaces(m)
	w.elem(tileir.I1)
	w.elem(tileir.I32)
	w.list(m.Listed)
	w.functions(m)
	w.entry = nil
	w.before(nil)
	w.globals(m)
	if m.Producer != "" && v >= tileir.V13_3 {
		w.producer = w.appendString(w.producer, m.Producer)
	}
	if w.err != nil {
		return nil, w.err
	}
	return w.file(), nil
}

// writers keeps the room of tables for the next module. Files hold nothing of it.
var writers = sync.Pool{New: func() any {
	return &writer{typeIDs: map[tileir.Type]int{}, ids: map[*tileir.Value]uint32{}, names: map[string]bool{},
		places: placeTable{scopes: map[*tileir.Scope]uint64{}, calls: map[ownedLoc]uint64{}}}
}}

// reset forgets a module, but keeps the room that it took.
func (w *writer) reset() {
	for _, p := range []*pool{&w.strings, &w.types, &w.constants, &w.places.attrs} {
		p.reset()
	}
	clear(w.typeIDs)
	clear(w.ids)
	clear(w.names)
	clear(w.places.scopes)
	clear(w.places.calls)
	w.places.own, w.places.last = nil, tileir.Loc{}
	w.places.rows, w.places.ids = w.places.rows[:0], w.places.ids[:0]
	w.funcs, w.body, w.globalRows, w.producer = w.funcs[:0], w.body[:0], w.globalRows[:0], w.producer[:0]
	w.listed, w.err, w.entry, w.last = nil, nil, nil, nil
}

// file puts the sections together.
func (w *writer) file() []byte {
	size := headerSize + 256 + len(w.funcs) + len(w.globalRows) + w.constants.tableSize(8) + w.types.tableSize(4) + w.strings.tableSize(4)
	if w.debug {
		size += w.places.size()
	}
	out := append(make([]byte, 0, size), magic...)
	out = append(out, byte(w.version.Major()), byte(w.version.Minor()), 0, 0)
	out = append(appendHead(out, funcSection, len(w.funcs)), w.funcs...)
	if len(w.globalRows) > 0 {
		out = append(appendHead(out, globalSection, len(w.globalRows)), w.globalRows...)
	}
	out = appendTableSection(out, constantSection, &w.constants, 8)
	if w.debug {
		out = w.places.appendTo(appendHead(out, debugSection, w.places.size()))
	}
	out = appendTableSection(out, typeSection, &w.types, 4)
	if len(w.producer) > 0 {
		out = append(appendHead(out, producerSection, len(w.producer)), w.producer...)
	}
	return append(appendTableSection(out, stringSection, &w.strings, 4), endMark)
}

// appendHead writes a section's head; alignment counts from the start of the file.
func appendHead(out []byte, id, size int) []byte {
	align := sections[id].align
	if align == 1 {
		return binary.AppendUvarint(append(out, byte(id)), uint64(size))
	}
	out = binary.AppendUvarint(append(out, byte(id)|alignedFlag), uint64(size))
	return padFrom(binary.AppendUvarint(out, uint64(align)), 0, align)
}

func appendTableSection(out []byte, id int, p *pool, width int) []byte {
	out = appendHead(out, id, p.tableSize(width))
	return p.appendTable(out, len(out), width)
}

// writer collects the tables while functions are written.
type writer struct {
	version    tileir.Version
	debug      bool
	funcs      []byte // payload of the Func section
	globalRows []byte
	producer   []byte
	strings    pool
	types      pool
	constants  pool
	typeIDs    map[tileir.Type]int // by identity, to find most types without encoding them
	places     placeTable
	listed     map[any][]tileir.Listed // by what they stand before
	names      map[string]bool         // of functions and globals
	err        error
	lacking    bool // err is about something that the version lacks

	entry  *tileir.Entry
	path   []int                    // of the current operation, for errors
	ids    map[*tileir.Value]uint32 // values in scope
	next   uint32
	body   []byte // of the current entry
	parts  []int  // of a type
	lastID int    // the number of last
	last   tileir.Type
}

// list sorts entries by what they stand before.
func (w *writer) list(ls []tileir.Listed) {
	for _, l := range ls {
		if w.listed == nil {
			w.listed = map[any][]tileir.Listed{}
		}
		w.listed[l.Before] = append(w.listed[l.Before], l)
	}
}

// before numbers the entries that are listed before an operation or entry. Nothing refers to them yet, so those that the
// version lacks are left out.
func (w *writer) before(what any) {
	if w.listed == nil {
		return
	}
	for _, l := range w.listed[what] {
		w.lacking = false
		switch item := l.Item.(type) {
		case tileir.Type:
			w.typeID(item)
		case tileir.String:
			w.strings.addString(string(item))
		case *tileir.Constant:
			w.constantID(item.Data)
		case tileir.Loc:
			w.listPlace(item)
		default:
			w.fail(nil, "a %T is listed: expected a type, a position, a text or a constant", item)
			continue
		}
		if w.lacking {
			w.err = nil
		}
	}
}

// fail keeps the first error; where is the operation, or nil.
func (w *writer) fail(o *tileir.Op, format string, args ...any) {
	if w.err != nil {
		return
	}
	where := ""
	if w.entry != nil {
		where = "entry " + w.entry.Name + ": "
	}
	if o != nil {
		where += fmt.Sprintf("operation %v (%s): ", w.path, o.Info.Mnemonic)
	}
	w.err = errors.New("bytecode: " + where + fmt.Sprintf(format, args...))
}

// lacks is fail for what the version does not have.
func (w *writer) lacks(format string, args ...any) {
	w.lacking = w.lacking || w.err == nil
	w.fail(nil, format, args...)
}

func (w *writer) appendString(out []byte, s string) []byte {
	return binary.AppendUvarint(out, uint64(w.strings.addString(s)))
}

// appendConstant writes a reference to a value; its bytes are the same in every version.
func (w *writer) appendConstant(out []byte, data []byte) []byte {
	return binary.AppendUvarint(out, uint64(w.constantID(data)))
}

func (w *writer) constantID(data []byte) int {
	p := &w.constants
	p.data = append(binary.AppendUvarint(p.data, uint64(len(data))), data...)
	return p.intern()
}

func (w *writer) globals(m *tileir.Module) {
	if len(m.Globals) == 0 {
		return
	}
	out := binary.AppendUvarint(w.globalRows, uint64(len(m.Globals)))
	for _, g := range m.Globals {
		if g.Value == nil || g.Value.Type == nil {
			w.fail(nil, "global %s has no value", g.Name)
			return
		}
		w.claim(g.Name)
		out = w.appendString(out, g.Name)
		out = w.appendType(out, g.Value.Type)
		out = w.appendConstant(out, g.Value.Data)
		out = binary.AppendUvarint(out, uint64(g.Align))
		if w.version >= tileir.V13_3 {
			out = append(out, bit(g.Private), bit(g.Constant))
		} else if g.Private || g.Constant {
			w.fail(nil, "global %s is private or constant, which needs version %v, but the target is %v", g.Name,
				tileir.V13_3, w.version)
		}
	}
	w.globalRows = out
}

// claim refuses a second function or global of one name.
func (w *writer) claim(name string) {
	if w.names[name] {
		w.fail(nil, "%s is defined twice", name)
	}
	w.names[name] = true
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// appendZigzag writes a signed number: small ones of either sign are short.
func appendZigzag(out []byte, x int64) []byte { return binary.AppendVarint(out, x) }

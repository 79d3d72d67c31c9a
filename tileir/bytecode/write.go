package bytecode

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// Options are the choices of [Write].
type Options struct {
	// Strip leaves the debug section out. Without it, the section is written when an entry or an operation has a place.
	Strip bool
}

// Write encodes a module in the given version. The module should be valid: see [tileir.Verify]; Write itself refuses what
// the version cannot hold, operands that are not in scope, and what has no encoding at all. The same module always gives the same bytes: tables
// are in the order of first use, as cuTile Python writes them (docs/bytecode.md, "Order of tables").
func Write(m *tileir.Module, v tileir.Version, opts Options) (data []byte, err error) {
	if m == nil || !slices.Contains(tileir.Versions(), v) {
		return nil, fmt.Errorf("bytecode: cannot write version %v: it is not one of %v", v, tileir.Versions())
	}
	w := newWriter(v)
	defer func() {
		switch r := recover().(type) {
		case nil:
		case runtime.Error: // parts that are nil: of a module that Verify refuses, and says where
			data, err = nil, fmt.Errorf("bytecode: the module is not valid, see tileir.Verify: %w", r)
		default:
			panic(r)
		}
	}()
	w.debug = !opts.Strip && hasPlaces(m)
	funcs := w.functions(m)
	globals := w.globals(m)
	if w.err != nil {
		return nil, w.err
	}
	var producer []byte
	if m.Producer != "" && v >= tileir.V13_3 {
		producer = w.appendString(nil, m.Producer)
	}
	out := make([]byte, 0, len(funcs)+4096)
	out = append(out, magic...)
	out = append(out, byte(v.Major()), byte(v.Minor()), 0, 0)
	out = appendSection(out, funcSection, funcs)
	if len(m.Globals) > 0 {
		out = appendSection(out, globalSection, globals)
	}
	out = appendSection(out, constantSection, w.constants.appendTable(nil, 8))
	if w.debug {
		out = appendSection(out, debugSection, w.debugPayload())
	}
	out = appendSection(out, typeSection, w.types.appendTable(nil, 4))
	if producer != nil {
		out = appendSection(out, producerSection, producer)
	}
	out = appendSection(out, stringSection, w.strings.appendTable(nil, 4))
	return append(out, endMark), nil
}

// appendSection writes a section's head and payload; alignment counts from the start of the file.
func appendSection(out []byte, id int, payload []byte) []byte {
	align := sections[id].align
	if align == 1 {
		out = binary.AppendUvarint(append(out, byte(id)), uint64(len(payload)))
		return append(out, payload...)
	}
	out = binary.AppendUvarint(append(out, byte(id)|alignedFlag), uint64(len(payload)))
	out = binary.AppendUvarint(out, uint64(align))
	return append(pad(out, align), payload...)
}

func pad(out []byte, align int) []byte {
	for len(out)&(align-1) != 0 {
		out = append(out, padByte)
	}
	return out
}

// pool numbers distinct byte strings in the order in which they come.
type pool struct {
	index map[string]int
	data  []byte
	ends  []int
}

func newPool() pool { return pool{index: make(map[string]int, 32)} }

func (p *pool) add(b []byte) int {
	if i, ok := p.index[string(b)]; ok {
		return i
	}
	i := len(p.ends)
	p.index[string(b)] = i
	p.data = append(p.data, b...)
	p.ends = append(p.ends, len(p.data))
	return i
}

// appendTable writes the number of entries, their offsets of width bytes, and the data.
func (p *pool) appendTable(out []byte, width int) []byte {
	start := len(out)
	out = binary.AppendUvarint(out, uint64(len(p.ends)))
	for (len(out)-start)&(width-1) != 0 {
		out = append(out, padByte)
	}
	from := 0
	for _, end := range p.ends {
		if width == 4 {
			out = binary.LittleEndian.AppendUint32(out, uint32(from))
		} else {
			out = binary.LittleEndian.AppendUint64(out, uint64(from))
		}
		from = end
	}
	return append(out, p.data...)
}

// writer collects the tables while functions are written.
type writer struct {
	version   tileir.Version
	debug     bool
	strings   pool
	types     pool
	constants pool
	typeIDs   map[tileir.Type]int // by identity, to find most types without encoding them
	places    placeTable
	names     map[string]bool // of functions and globals
	err       error

	entry *tileir.Entry
	path  []int                    // of the current operation, for errors
	ids   map[*tileir.Value]uint32 // values in scope
	next  uint32
	tmp   []byte
}

func newWriter(v tileir.Version) *writer {
	w := &writer{version: v, strings: newPool(), types: newPool(), constants: newPool(),
		typeIDs: make(map[tileir.Type]int, 32), names: map[string]bool{}}
	w.elem(tileir.I1)
	w.elem(tileir.I32)
	return w
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

func (w *writer) appendString(out []byte, s string) []byte {
	w.tmp = append(w.tmp[:0], s...)
	return binary.AppendUvarint(out, uint64(w.strings.add(w.tmp)))
}

// appendConstant interns a value; its bytes are the same in every version.
func (w *writer) appendConstant(out []byte, data []byte) []byte {
	w.tmp = binary.AppendUvarint(w.tmp[:0], uint64(len(data)))
	w.tmp = append(w.tmp, data...)
	return binary.AppendUvarint(out, uint64(w.constants.add(w.tmp)))
}

func (w *writer) globals(m *tileir.Module) []byte {
	w.entry = nil
	out := binary.AppendUvarint(nil, uint64(len(m.Globals)))
	for _, g := range m.Globals {
		if g.Value == nil || g.Value.Type == nil {
			w.fail(nil, "global %s has no value", g.Name)
			return nil
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
	return out
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

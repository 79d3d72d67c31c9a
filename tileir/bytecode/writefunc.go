package bytecode

import (
	"encoding/binary"

	"github.com/cutile-go/cutile/tileir"
)

// functions writes the payload of the Func section. The order in which a function's parts are numbered is not that in
// which they lie in the row: place, type, name, hints.
func (w *writer) functions(m *tileir.Module) {
	w.funcs = binary.AppendUvarint(w.funcs, uint64(len(m.Entries)))
	for i, e := range m.Entries {
		w.entry = e
		row := 0 // no row of the debug section
		if w.debug {
			row = i + 1
			w.places.startFunction(e)
		}
		w.before(e)
		place := e.Place()
		w.mark(&place)
		w.claim(e.Name)
		signature := w.entryType(e)
		out := w.appendString(w.funcs, e.Name)
		out = binary.AppendUvarint(out, uint64(signature))
		flags := byte(entryFlag)
		if e.Private {
			flags |= privateFlag
		}
		if e.Hints != nil {
			flags |= hintsFlag
		}
		out = binary.AppendUvarint(append(out, flags), uint64(row))
		if e.Hints != nil {
			w.knownHints(e.Hints)
			out = w.appendHints(append(out, optimizationHintsTag), e.Hints)
		}
		if w.writeBody(e); w.err != nil {
			return
		}
		out = binary.AppendUvarint(out, uint64(len(w.body)))
		w.funcs = append(out, w.body...)
	}
}

// writeBody writes the operations of an entry.
func (w *writer) writeBody(e *tileir.Entry) {
	clear(w.ids)
	w.next, w.path, w.body = 0, w.path[:0], w.body[:0]
	w.define(e.Params)
	if e.Body == nil || len(e.Body.Ops) == 0 {
		w.fail(nil, "the body is empty")
		return
	}
	w.body = w.ops(w.body, e.Body)
}

// knownHints refuses hints that came with a later version.
func (w *writer) knownHints(hs tileir.Hints) {
	for _, h := range hs {
		for _, x := range h.Hints {
			if since := tileir.HintSince(x.Name); since > w.version {
				w.fail(nil, "hint %s needs version %v, but the target is %v", x.Name, since, w.version)
			}
		}
	}
}

func (w *writer) define(vs []*tileir.Value) {
	for _, v := range vs {
		w.ids[v] = w.next
		w.next++
	}
}

func (w *writer) ops(out []byte, b *tileir.Block) []byte {
	w.path = append(w.path, 0)
	for i, o := range b.Ops {
		w.path[len(w.path)-1] = i
		if out = w.op(out, o); w.err != nil {
			break
		}
	}
	w.path = w.path[:len(w.path)-1]
	return out
}

func (w *writer) op(out []byte, o *tileir.Op) []byte {
	if o == nil || o.Info == nil {
		w.fail(nil, "operation %v is nil or has no row of the table", w.path)
		return out
	}
	info := o.Info
	if info.Since > w.version || !info.InBody {
		w.fail(o, "the operation needs version %v, but the target is %v", info.Since, w.version)
		return out
	}
	if len(o.Attrs) != len(info.Attrs) || len(o.Regions) != len(info.Regions) || !segmentsFit(o) {
		w.fail(o, "the numbers of attributes, operands or regions do not fit the operation")
		return out
	}
	w.before(o)
	w.mark(&o.Loc)
	out = binary.AppendUvarint(out, uint64(info.Opcode))
	results := w.results(o)
	if info.CountTypes {
		out = binary.AppendUvarint(out, uint64(len(results)))
	}
	for _, r := range results {
		out = w.appendType(out, r.Type)
	}
	if info.FlagsSince != 0 && info.FlagsSince <= w.version {
		out = binary.AppendUvarint(out, flagsOf(o))
	}
	out = w.appendAttrs(out, o)
	out = w.appendOperands(out, o)
	out = w.appendRegions(out, o)
	w.define(results)
	return out
}

// segmentsFit checks what [tileir.Op.Group] relies on.
func segmentsFit(o *tileir.Op) bool {
	if o.Segments == nil {
		return len(o.Operands) == len(o.Info.Operands)
	}
	n := 0
	for _, s := range o.Segments {
		if s < 0 {
			return false
		}
		n += s
	}
	return len(o.Segments) == len(o.Info.Operands) && n == len(o.Operands)
}

// results are those that the version has: print_tko gives no token before 13.2. What uses the lost one fails, since it
// has no number.
func (w *writer) results(o *tileir.Op) []*tileir.Value {
	n := fixedResults(o.Info, w.version)
	if n >= 0 && len(o.Results) > n && len(o.Results) == len(o.Info.Results) {
		return o.Results[:n]
	}
	if n >= 0 && len(o.Results) != n {
		w.fail(o, "%d results, but the operation has %d", len(o.Results), n)
	}
	return o.Results
}

// flagsOf sets a bit for each optional or unit item that is given. Items that are newer than the version are refused
// elsewhere, so their bits are never set here.
func flagsOf(o *tileir.Op) uint64 {
	var flags uint64
	for i := range o.Info.Attrs {
		if a := &o.Info.Attrs[i]; a.FlagBit >= 0 && isGiven(a, o.Attrs[i]) {
			flags |= 1 << a.FlagBit
		}
	}
	for i := range o.Info.Operands {
		if in := &o.Info.Operands[i]; in.FlagBit >= 0 && len(o.Group(i)) > 0 {
			flags |= 1 << in.FlagBit
		}
	}
	return flags
}

// isGiven reports whether the flag of an attribute is set.
func isGiven(a *tileir.AttrInfo, v tileir.Attr) bool {
	if a.Coding == tileir.UnitAttr {
		return v == tileir.Bool(true)
	}
	return v != nil
}

func (w *writer) appendOperands(out []byte, o *tileir.Op) []byte {
	info := o.Info
	if info.Operand == tileir.TotalThenIDs {
		out = binary.AppendUvarint(out, uint64(len(o.Operands)))
	}
	for i := range info.Operands {
		in, g := &info.Operands[i], o.Group(i)
		switch {
		case in.Since > w.version:
			if len(g) > 0 {
				w.fail(o, "operand %s needs version %v, but the target is %v", in.Name, in.Since, w.version)
			}
			continue
		case in.Variadic && info.Operand == tileir.Segmented:
			out = binary.AppendUvarint(out, uint64(len(g)))
		case in.Optional && len(g) > 1, !in.Optional && !in.Variadic && len(g) != 1:
			w.fail(o, "operand %s has %d values", in.Name, len(g))
		}
		for _, v := range g {
			id, ok := w.ids[v]
			if !ok {
				w.fail(o, "operand %s is not in scope%s", in.Name, w.lost(v))
			}
			out = binary.AppendUvarint(out, uint64(id))
		}
	}
	return out
}

// lost explains an operand that is a result missing from the version.
func (w *writer) lost(v *tileir.Value) string {
	if v != nil && v.Def != nil && fixedResults(v.Def.Info, w.version) == 0 {
		return ": version " + w.version.String() + " has no result of " + v.Def.Info.Mnemonic
	}
	return ""
}

func (w *writer) appendRegions(out []byte, o *tileir.Op) []byte {
	info := o.Info
	if len(info.Regions) == 0 {
		return out
	}
	out = binary.AppendUvarint(out, uint64(len(info.Regions)))
	for i, b := range o.Regions {
		if b == nil || len(b.Ops) == 0 {
			if !info.Regions[i].Optional {
				w.fail(o, "region %s is empty", info.Regions[i].Name)
			}
			out = append(out, 0)
			continue
		}
		out = binary.AppendUvarint(append(out, 1), uint64(len(b.Args)))
		for _, a := range b.Args {
			out = w.appendType(out, a.Type)
		}
		first := w.next
		w.define(b.Args)
		out = binary.AppendUvarint(out, uint64(len(b.Ops)))
		out = w.ops(out, b)
		w.undefine(b, first)
	}
	return out
}

// undefine takes a block's values out of scope; the next block uses their numbers again.
func (w *writer) undefine(b *tileir.Block, first uint32) {
	for _, a := range b.Args {
		delete(w.ids, a)
	}
	for _, o := range b.Ops {
		for _, r := range o.Results {
			delete(w.ids, r)
		}
	}
	w.next = first
}

package arm64

import "encoding/binary"

// Label is a place in the code, or a constant behind it. The zero Label is none.
type Label int32

const unbound = -1

// fixup is an instruction that a label completes.
type fixup struct {
	at    int32
	label Label
	enc   encNum
	op    Op
}

// relative says how the distance to a label is encoded: bits of the distance in units, at a position.
type relative struct {
	bits, pos, unit uint8
}

var relatives = [numEncoders]relative{
	encRel26: {26, 0, 4},
	encRel19: {19, 5, 4},
	encRel14: {14, 5, 4},
	encLit19: {19, 5, 4},
	encRel21: {21, 0, 1}, // its two low bits are at 29, the others at 5
}

// Label makes a label, which Bind gives its place.
func (a *Assembler) Label() Label {
	a.labels = append(a.labels, unbound)
	return Label(len(a.labels))
}

// place gives the place of a label, or nil where there is no such label.
func (a *Assembler) place(l Label) *int32 {
	if l < 1 || int(l) > len(a.labels) {
		return nil
	}
	return &a.labels[l-1]
}

// Bind gives a label its place: that of the next instruction.
func (a *Assembler) Bind(l Label) {
	switch at := a.place(l); {
	case at == nil:
		a.mistake("there is no label %s", l)
	case *at != unbound:
		a.mistake("the label %s is bound already", l)
	default:
		*at = int32(len(a.code))
		if a.Record {
			a.lines = append(a.lines, line{at: len(a.code), label: l})
		}
	}
}

// resolve completes the instructions that refer to labels.
func (a *Assembler) resolve() {
	for _, f := range a.fixups {
		target := a.place(f.label)
		if target == nil || *target == unbound {
			a.mistake("%s at %#x: the label %s is not bound", f.op, f.at, f.label)
			continue
		}
		at := a.code[f.at : f.at+4]
		rel := relatives[f.enc]
		code, ok := rel.encode(binary.LittleEndian.Uint32(at), int64(*target)-int64(f.at))
		if !ok {
			a.mistake("%s at %#x: the label %s is %d bytes away, and %s reaches multiples of %d below %d", f.op, f.at, f.label,
				*target-f.at, f.op, rel.unit, int64(rel.unit)<<(rel.bits-1))
		}
		binary.LittleEndian.PutUint32(at, code)
	}
}

// encode puts a distance in bytes into an instruction.
func (r relative) encode(code uint32, distance int64) (uint32, bool) {
	units := distance / int64(r.unit)
	limit := int64(1) << (r.bits - 1)
	field := uint32(units) & (1<<r.bits - 1)
	if r.unit == 1 {
		code |= field&3<<29 | field>>2<<5
	} else {
		code |= field << r.pos
	}
	return code, distance%int64(r.unit) == 0 && units >= -limit && units < limit
}

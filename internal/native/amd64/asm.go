package amd64

import (
	"errors"
	"fmt"
)

// An Assembler collects instructions as machine code. The zero value is ready; Reset makes it ready for the next function,
// without new memory.
type Assembler struct {
	// Allowed restricts the forms to those that need only these features, and so chooses among forms with the same
	// operands. 0 allows all.
	Allowed Features
	// Record keeps what Lines prints.
	Record bool

	buf    []byte
	needs  Features
	labels []int32 // the offset of each label, or unbound
	fixes  []fix
	pool   pool
	align  int // the largest alignment that was asked for
	errs   []error
	record []record
}

// A Label is a place in the code or a constant behind it. The zero Label is none.
type Label int32

const unbound = -1

// A fix is a distance of 32 bits that Finish writes.
type fix struct {
	pos, end int32 // where it lies, and the end of the instruction, from which it counts
	addend   int32
	label    Label
	text     record // for an error
}

// Reset forgets everything but Allowed and Record.
func (a *Assembler) Reset() {
	*a = Assembler{Allowed: a.Allowed, Record: a.Record, buf: a.buf[:0], labels: a.labels[:0], fixes: a.fixes[:0], pool: a.pool.reset()}
}

// Len gives the number of bytes so far, which is the offset of the next instruction.
func (a *Assembler) Len() int { return len(a.buf) }

// Needs gives the features that the instructions so far need.
func (a *Assembler) Needs() Features { return a.needs }

// Alignment gives the largest alignment that Align and Const were asked for: the code must be loaded at a multiple of it.
func (a *Assembler) Alignment() int { return max(a.align, 1) }

// Label makes a label, to be bound later.
func (a *Assembler) Label() Label {
	a.labels = append(a.labels, unbound)
	return Label(len(a.labels))
}

// Bind puts the label at the next instruction.
func (a *Assembler) Bind(l Label) {
	if !a.known(l) || a.labels[l-1] != unbound {
		a.errs = append(a.errs, fmt.Errorf("amd64: label %d cannot be bound: it is bound already, or not of this assembler", l))
		return
	}
	a.labels[l-1] = int32(len(a.buf))
	if a.Record {
		a.record = append(a.record, record{offset: int32(len(a.buf)), label: l})
	}
}

func (a *Assembler) known(l Label) bool { return l > 0 && int(l) <= len(a.labels) }

// Emit adds one instruction: the destination first, a rounding mode after the last operand that is not an immediate.
func (a *Assembler) Emit(op Op, args ...Operand) {
	var in inst
	reason := in.collect(op, args)
	if reason == "" {
		reason = a.choose(&in)
	}
	if reason != "" || a.Record {
		r := recordOf(op, args)
		if reason != "" {
			a.errs = append(a.errs, fmt.Errorf("amd64: %s: %s", r.text(), reason))
			return
		}
		r.form, r.offset = in.form, int32(len(a.buf))
		a.record = append(a.record, r)
	}
	a.needs |= in.form.features
	a.encode(&in)
}

// Note adds a line to the listing, such as the source that the next instructions come from.
func (a *Assembler) Note(text string) {
	if a.Record {
		a.record = append(a.record, record{offset: int32(len(a.buf)), note: text})
	}
}

// Align adds instructions that do nothing up to a multiple of n bytes; n is a power of two.
func (a *Assembler) Align(n int) {
	if n <= 0 || n&(n-1) != 0 {
		a.errs = append(a.errs, fmt.Errorf("amd64: alignment to %d bytes, which is no power of two", n))
		return
	}
	a.align = max(a.align, n)
	for gap := -len(a.buf) & (n - 1); gap > 0; {
		size := min(gap, len(nops))
		if a.Record {
			a.record = append(a.record, record{offset: int32(len(a.buf)), nop: uint8(size)})
		}
		a.buf = append(a.buf, nops[size-1]...)
		gap -= size
	}
}

// nops has one instruction of each length, as Intel's manual recommends them.
var nops = [...]string{
	"\x90",
	"\x66\x90",
	"\x0f\x1f\x00",
	"\x0f\x1f\x40\x00",
	"\x0f\x1f\x44\x00\x00",
	"\x66\x0f\x1f\x44\x00\x00",
	"\x0f\x1f\x80\x00\x00\x00\x00",
	"\x0f\x1f\x84\x00\x00\x00\x00\x00",
	"\x66\x0f\x1f\x84\x00\x00\x00\x00\x00",
}

// Finish places the constants, resolves the labels and returns the machine code, which must be loaded at a multiple of
// [Assembler.Alignment]. The bytes belong to the Assembler and change after the next Reset.
func (a *Assembler) Finish() ([]byte, error) {
	a.placePool()
	for i := range a.fixes {
		if err := a.resolve(&a.fixes[i]); err != nil {
			a.errs = append(a.errs, err)
		}
	}
	a.fixes = a.fixes[:0]
	if len(a.errs) > 0 {
		return nil, errors.Join(a.errs...)
	}
	return a.buf, nil
}

func (a *Assembler) resolve(f *fix) error {
	if !a.known(f.label) || a.labels[f.label-1] == unbound {
		return fmt.Errorf("amd64: %s: the label is not bound", f.text.text())
	}
	distance := int64(a.labels[f.label-1]) + int64(f.addend) - int64(f.end)
	if distance != int64(int32(distance)) {
		return fmt.Errorf("amd64: %s: the label is %d bytes away, more than 32 bits can say", f.text.text(), distance)
	}
	put32(a.buf[f.pos:], int32(distance))
	return nil
}

func put32(b []byte, v int32) {
	b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
}

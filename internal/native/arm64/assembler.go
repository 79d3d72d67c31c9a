package arm64

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Assembler collects instructions as machine code. Its zero value is ready for use; Reset makes it ready for the next
// function, without new memory.
type Assembler struct {
	// Allowed restricts the instructions to those that need only these extensions. 0 allows all.
	Allowed Features
	// Record keeps what Lines prints.
	Record bool

	needs    Features
	code     []byte
	labels   []int32 // the position of each label, or unbound
	fixups   []fixup
	pool     pool
	align    int // the largest alignment that was asked for
	errs     []error
	lines    []line
	finished bool
}

// Reset forgets everything but Allowed and Record.
func (a *Assembler) Reset() {
	clear(a.lines)
	*a = Assembler{Allowed: a.Allowed, Record: a.Record, code: a.code[:0], labels: a.labels[:0],
		fixups: a.fixups[:0], pool: a.pool.reset(), lines: a.lines[:0]}
}

// Needs gives the extensions that the instructions so far need.
func (a *Assembler) Needs() Features { return a.needs }

// Len gives the number of bytes so far, which is the offset of the next instruction.
func (a *Assembler) Len() int { return len(a.code) }

// Alignment gives the largest alignment that Align and Const were asked for, and that of instructions: the code must be
// loaded at a multiple of it.
func (a *Assembler) Alignment() int { return max(a.align, 4) }

// Emit adds one instruction, the destination first.
func (a *Assembler) Emit(op Op, args ...Operand) {
	if a.finished {
		a.refuse(op, args, "Finish came before it")
		return
	}
	f, code := choose(op, args)
	switch {
	case f == nil:
		a.refuse(op, args, why(op, slices.Clone(args)))
	case a.Allowed != 0 && !a.Allowed.Has(f.needs):
		a.refuse(op, args, "it needs "+(f.needs&^a.Allowed).String())
	default:
		a.put(f, code, op, args)
	}
}

// choose gives the first form of an operation that takes the operands, and the machine code.
func choose(op Op, args []Operand) (*form, uint32) {
	forms := op.forms()
	for i := range forms {
		f := &forms[i]
		if int(f.n) != len(args) || len(args) > 0 && !patterns[f.args[0]].takes(&args[0]) {
			continue
		}
		if code, n := f.encode(args); n == len(args) {
			return f, code
		}
	}
	return nil, 0
}

// put adds the machine code of an instruction.
func (a *Assembler) put(f *form, code uint32, op Op, args []Operand) {
	for i := range args {
		if args[i].kind == kindLabel {
			a.fixups = append(a.fixups, fixup{at: int32(len(a.code)), label: Label(args[i].imm), enc: patterns[f.args[i]].enc, op: op})
		}
	}
	if a.Record {
		a.lines = append(a.lines, line{at: len(a.code), op: op, args: slices.Clone(args)})
	}
	a.needs |= f.needs
	a.code = binary.LittleEndian.AppendUint32(a.code, code)
}

// refuse notes a mistake of an instruction.
func (a *Assembler) refuse(op Op, args []Operand, why string) {
	a.mistake("%s: %s", instruction(op, slices.Clone(args)), why)
}

func (a *Assembler) mistake(format string, args ...any) {
	a.errs = append(a.errs, fmt.Errorf("arm64: "+format, args...))
}

// Align adds instructions that do nothing up to a multiple of n bytes; n is a power of two.
func (a *Assembler) Align(n int) {
	if n <= 0 || n&(n-1) != 0 {
		a.mistake("alignment to %d bytes, which is no power of two", n)
		return
	}
	a.align = max(a.align, n)
	for len(a.code)%n != 0 {
		a.Emit(NOP)
	}
}

// Finish places the constants, resolves the labels and returns the machine code, or all mistakes. The code must be loaded
// at a multiple of Alignment. It belongs to the Assembler until the next Reset.
func (a *Assembler) Finish() ([]byte, error) {
	if !a.finished {
		a.placePool()
		a.resolve()
		a.finished = true
	}
	if len(a.errs) > 0 {
		return nil, errors.Join(a.errs...)
	}
	return a.code, nil
}

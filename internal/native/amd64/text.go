package amd64

import (
	"fmt"
	"strconv"
	"strings"
)

// A Line is one line of a listing.
type Line struct {
	Offset int    // of its first byte
	Text   string // in GNU's Intel syntax, such as "vaddps zmm1, zmm2, zmm3"; a label ends in a colon
}

// A record is what a Line is made of, later.
type record struct {
	offset int32
	op     Op
	args   [5]Operand
	n      uint8
	nop    uint8 // size of padding
	form   *form
	label  Label  // bound here
	data   string // of a constant
	note   string
}

func recordOf(op Op, args []Operand) record {
	r := record{op: op, n: uint8(min(len(args), 5))}
	copy(r.args[:], args)
	return r
}

// Lines gives what was emitted since Record was set: instructions, labels, and after Finish the constants. GNU's assembler
// accepts the text.
func (a *Assembler) Lines() []Line {
	lines := make([]Line, 0, len(a.record))
	for i := range a.record {
		r := &a.record[i]
		lines = append(lines, Line{int(r.offset), r.text()})
	}
	return lines
}

func (r *record) text() string {
	var b strings.Builder
	switch {
	case r.label != 0:
		fmt.Fprintf(&b, ".L%d:", r.label)
		for i := range len(r.data) {
			b.WriteString(dataSeparator(i))
			fmt.Fprintf(&b, "0x%02x", r.data[i])
		}
		return b.String()
	case r.op == 0 && r.note != "":
		return "# " + r.note
	case r.nop != 0:
		return ".nops " + strconv.Itoa(int(r.nop))
	}
	if r.form != nil && r.form.flags&flagVex != 0 {
		b.WriteString("{vex} ")
	}
	b.WriteString(r.op.String())
	for i := range int(r.n) {
		if i == 0 {
			b.WriteString(" ")
		} else {
			b.WriteString(", ")
		}
		r.args[i].text(&b, r.form)
	}
	return b.String()
}

func dataSeparator(i int) string {
	if i == 0 {
		return " .byte "
	}
	return ", "
}

var roundNames = [...]string{"{rn-sae}", "{rd-sae}", "{ru-sae}", "{rz-sae}", "{sae}"}

func (o *Operand) text(b *strings.Builder, f *form) {
	switch {
	case o.flags&operandBad != 0:
		b.WriteString("?")
	case o.flags&operandRound != 0:
		b.WriteString(roundNames[o.val])
	case o.flags&operandMemory != 0:
		o.memoryText(b, f)
	case o.class == classImm:
		b.WriteString(strconv.FormatInt(o.val, 10))
	case o.class == classRel:
		fmt.Fprintf(b, ".L%d", o.val)
	default:
		b.WriteString(o.reg.String())
	}
	if o.mask != 0 {
		fmt.Fprintf(b, "{k%d}", o.mask)
	}
	if o.flags&operandZero != 0 {
		b.WriteString("{z}")
	}
}

var sizeNames = map[uint8]string{1: "byte", 2: "word", 4: "dword", 8: "qword", 16: "xmmword", 32: "ymmword", 64: "zmmword"}

func (o *Operand) memoryText(b *strings.Builder, f *form) {
	size := o.size
	if f != nil {
		size = f.mem
		if o.class == classBcast {
			size = f.elem
		}
	}
	if size != 0 {
		b.WriteString(sizeNames[size] + " ptr ")
	}
	if o.reg == NoReg && o.index == NoReg && o.label() == 0 {
		b.WriteString("ds:") // the assembler would take a number in brackets for an immediate
	}
	b.WriteString("[" + o.address() + "]")
	if o.class == classBcast {
		if f != nil {
			fmt.Fprintf(b, "{1to%d}", f.mem/f.elem)
		} else {
			b.WriteString("{1to?}")
		}
	}
}

// address gives what stands in the brackets.
func (o *Operand) address() string {
	var parts []string
	if l := o.label(); l != 0 {
		parts = append(parts, "rip", fmt.Sprintf(".L%d", l))
	}
	if o.reg != NoReg {
		parts = append(parts, o.reg.String())
	}
	if o.index != NoReg {
		parts = append(parts, o.index.String()+"*"+strconv.Itoa(int(o.scale)))
	}
	s, disp := strings.Join(parts, "+"), o.disp()
	switch {
	case s == "":
		return strconv.Itoa(int(disp))
	case disp > 0:
		s += "+"
	case disp == 0:
		return s
	}
	return s + strconv.Itoa(int(disp))
}

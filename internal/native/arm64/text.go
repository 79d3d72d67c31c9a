package arm64

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// line is what a Line is made of, later: an instruction, a label with the constant that lies there, or a note.
type line struct {
	at    int
	op    Op
	args  []Operand
	label Label
	data  string
	note  string
}

// Line is one line of a listing.
type Line struct {
	Offset int    // of its first byte
	Text   string // in GNU syntax, such as "fadd v0.4s, v1.4s, v2.4s"; a label ends in a colon
}

// Note adds a comment to the listing, such as the source that the next instructions come from.
func (a *Assembler) Note(text string) {
	if a.Record && text != "" {
		a.lines = append(a.lines, line{at: len(a.code), note: text})
	}
}

// Lines gives what was emitted since Record was set: instructions, labels, and after Finish the constants. GNU's and
// LLVM's assemblers accept the text.
func (a *Assembler) Lines() []Line {
	lines := make([]Line, 0, len(a.lines))
	for _, l := range a.lines {
		lines = append(lines, Line{l.at, l.text()})
	}
	return lines
}

func (l line) text() string {
	switch {
	case l.note != "":
		return "// " + strings.ReplaceAll(l.note, "\n", " ")
	case l.label == 0:
		return instruction(l.op, l.args)
	}
	text := l.label.String() + ":"
	for i := range len(l.data) {
		text += fmt.Sprintf("%s0x%02x", dataSeparator(i), l.data[i])
	}
	return text
}

func dataSeparator(i int) string {
	if i == 0 {
		return " .byte "
	}
	return ", "
}

// String gives the name of the label in assembler text.
func (l Label) String() string { return ".L" + strconv.Itoa(int(l)) }

// instruction gives the text of an instruction. The condition of a branch is a part of its mnemonic.
func instruction(op Op, args []Operand) string {
	name := op.String()
	if op == BCOND && len(args) > 0 {
		name, args = name+args[0].String(), args[1:]
	}
	texts := make([]string, len(args))
	for i, o := range args {
		texts[i] = o.String()
	}
	return strings.TrimSpace(name + " " + strings.Join(texts, ", "))
}

// operandTexts has the text of each kind of operand.
var operandTexts = [...]func(Operand) string{
	kindNone:     func(Operand) string { return "?" },
	kindReg:      func(o Operand) string { return o.reg.String() },
	kindLane:     func(o Operand) string { return fmt.Sprintf("%s[%d]", element(o.reg, 0), o.lane) },
	kindList:     func(o Operand) string { return list(o, func(i int) string { return vector(o.reg, i).String() }) },
	kindListLane: listLaneText,
	kindMem:      memText,
	kindPre:      func(o Operand) string { return fmt.Sprintf("[%s, #%d]!", o.reg, o.imm) },
	kindPost:     func(o Operand) string { return fmt.Sprintf("[%s], #%d", o.reg, o.imm) },
	kindPostReg:  func(o Operand) string { return fmt.Sprintf("[%s], %s", o.reg, o.index) },
	kindIndex:    indexText,
	kindImm:      func(o Operand) string { return "#" + strconv.FormatInt(o.imm, 10) },
	kindFloat:    floatText,
	kindShift:    func(o Operand) string { return fmt.Sprintf("%s #%d", o.shift, o.amount) },
	kindCond:     func(o Operand) string { return Cond(min(o.imm, int64(numConds))).String() },
	kindSym:      func(o Operand) string { return Sym(min(o.imm, int64(numSyms))).String() },
	kindLabel:    func(o Operand) string { return Label(o.imm).String() },
}

// String gives the operand in assembler text.
func (o Operand) String() string { return operandTexts[o.kind](o) }

// vector gives the register i numbers after r.
func vector(r Reg, i int) Reg { return Register((r.Number()+i)&numMask, r.View()) }

// element gives the name of a vector register with the size of its elements, such as v1.s.
func element(r Reg, i int) string {
	return fmt.Sprintf("v%d.%s", vector(r, i).Number(), r.View())
}

func list(o Operand, name func(int) string) string {
	names := make([]string, o.amount)
	for i := range names {
		names[i] = name(i)
	}
	return "{" + strings.Join(names, ", ") + "}"
}

func listLaneText(o Operand) string {
	return fmt.Sprintf("%s[%d]", list(o, func(i int) string { return element(o.reg, i) }), o.lane)
}

func memText(o Operand) string {
	if o.imm == 0 {
		return fmt.Sprintf("[%s]", o.reg)
	}
	return fmt.Sprintf("[%s, #%d]", o.reg, o.imm)
}

func indexText(o Operand) string {
	switch {
	case o.amount != 0:
		return fmt.Sprintf("[%s, %s, %s #%d]", o.reg, o.index, o.shift, o.amount)
	case o.shift == LSLBy:
		return fmt.Sprintf("[%s, %s]", o.reg, o.index)
	}
	return fmt.Sprintf("[%s, %s, %s]", o.reg, o.index, o.shift)
}

// floatText has a point, since LLVM's assembler takes a float without one for the encoded bits.
func floatText(o Operand) string {
	text := strconv.FormatFloat(math.Float64frombits(uint64(o.imm)), 'f', -1, 64)
	if !strings.ContainsAny(text, ".IN") {
		text += ".0"
	}
	return "#" + text
}

package arm64

import "strings"

// Op is an operation, named by its mnemonic. BRANCH is the mnemonic b, and BCOND is b with a condition, which is the first
// operand. The zero Op is none.
type Op uint16

// Ops gives the number of operations: they are the numbers from 1 to Ops.
const Ops = len(opNames) - 1

// String gives the mnemonic, such as "fadd".
func (op Op) String() string {
	if !op.valid() {
		return "none"
	}
	return opNames[op]
}

func (op Op) valid() bool { return op > 0 && int(op) <= Ops }

func (op Op) forms() []form {
	if !op.valid() {
		return nil
	}
	return forms[opForms[op]:opForms[op+1]]
}

// Feature gives the features that the first form of the operation needs. [Op.Forms] lists the others.
func (op Op) Feature() Features {
	if !op.valid() {
		return 0
	}
	return op.forms()[0].needs
}

// Form is one combination of operands of an operation.
type Form struct {
	Operands string   // the views and kinds of each operand, such as "4s, 4s, s[]"
	Features Features // what the processor needs for it
}

// Forms lists the forms of the operation in the order in which the assembler tries them.
func (op Op) Forms() []Form {
	var out []Form
	for i := range op.forms() {
		f := &op.forms()[i]
		out = append(out, Form{Operands: f.operands(), Features: f.needs})
	}
	return out
}

// patternTexts has the text of each kind of operand of a form, in which v stands for the view.
var patternTexts = [...]string{
	kindReg: "v", kindLane: "v[]", kindList: "{v}", kindListLane: "{v}[]", kindMem: "[x]", kindPre: "[x]!", kindPost: "[x], #imm",
	kindPostReg: "[x], x", kindIndex: "[x, index]", kindImm: "#imm", kindFloat: "#float", kindShift: "shift", kindCond: "cond",
	kindSym: "name", kindLabel: "label",
}

func (f *form) operands() string {
	var texts []string
	for _, i := range f.args[:f.n] {
		p := patterns[i]
		view := p.view.String()
		if p.sp {
			view += "|sp"
		}
		texts = append(texts, strings.Replace(patternTexts[p.kind], "v", view, 1))
	}
	return strings.Join(texts, ", ")
}

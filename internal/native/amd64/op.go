package amd64

import "strings"

// An Op is an operation, such as VADDPS. The zero Op is none.
type Op uint16

// Ops gives the number of operations: they are the numbers from 1 to Ops.
const Ops = len(opNames) - 1

// String gives the name as the assembler's text has it, such as "vaddps" and "lock xadd".
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

// Feature gives the features that the first form of the operation needs, which for most operations is the form with the
// fewest. [Op.Forms] lists the others.
func (op Op) Feature() Features {
	if !op.valid() {
		return 0
	}
	return op.forms()[0].features
}

// A Form is one combination of operands of an operation.
type Form struct {
	Operands string   // the classes of each operand, such as "xmm, xmm, xmm/m"
	Features Features // what the processor needs for it
	EVEX     bool
}

// Forms lists the forms of the operation in the order in which the assembler tries them.
func (op Op) Forms() []Form {
	var out []Form
	for i := range op.forms() {
		f := &op.forms()[i]
		out = append(out, Form{Operands: f.operands(), Features: f.features, EVEX: f.enc == evex})
	}
	return out
}

var classNames = [16]string{"r8", "r16", "r32", "r64", "xmm", "ymm", "zmm", "k", "tmm", "m", "bcst", "vm xmm", "vm ymm", "vm zmm", "imm", "label"}

func (f *form) operands() string {
	var args []string
	for i := range int(f.n) {
		var names []string
		for c, name := range classNames {
			if f.allows(i, uint8(c)) {
				names = append(names, name)
			}
		}
		args = append(args, strings.Join(names, "/"))
	}
	return strings.Join(args, ", ")
}

func (f *form) allows(arg int, class uint8) bool { return f.sig>>(16*arg+int(class))&1 != 0 }

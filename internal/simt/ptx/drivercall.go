package ptx

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/simt"
)

// callDriver appends a call of a function of CUDA's driver, such as printf of CUDA C++ makes.
func (r *reader) callDriver(t token, d *simt.DriverFunc, results, args []arg) {
	if len(args) != len(d.Params) || len(results) > 1 || len(results) == 1 && d.Result == "" {
		r.fail(t, "%s of CUDA's driver has %d parameters and a result of type %q: the call has %d and %d results", d.Name, len(d.Params), d.Result,
			len(args), len(results))
	}
	in := simt.Instr{Op: simt.OpCall, Text: d.Name, Guard: simt.NoReg}
	for i, a := range args {
		v := arg{Operand: simt.R(r.newReg(simt.ClassOf(d.Params[i]))), t: a.t}
		r.copyOperand(d.Params[i], v, a)
		in.Src = append(in.Src, v.Operand)
	}
	if d.Result == "" {
		r.add(in)
		return
	}
	result := arg{Operand: simt.R(r.newReg(simt.ClassOf(d.Result))), t: t}
	in.Dst = []simt.Operand{result.Operand}
	r.add(in)
	for _, a := range results {
		r.copyOperand(d.Result, a, result)
	}
}

// copyOperand copies an operand of a call: a register, a number, or a variable of the space of parameters.
func (r *reader) copyOperand(typ string, to, from arg) {
	op := "mov." + typ
	for _, side := range []struct {
		a  *arg
		op string
	}{{&to, "st.local."}, {&from, "ld.local."}} {
		if side.a.Kind == simt.Symbol && side.a.mem.base == "local" {
			if n := int64(simt.TypeBits(typ) / 8); side.a.mem.size != n {
				r.fail(side.a.t, "%s has %d bytes, the driver's function takes %d", side.a.t.text, side.a.mem.size, n)
			}
			side.a.Operand = simt.Operand{Kind: simt.Address, Reg: simt.NoReg, Name: "local", Bits: uint64(side.a.mem.off)}
			op = side.op + typ
		}
	}
	if to.Kind == simt.Address && from.Kind == simt.Address {
		r.fail(from.t, "expected a register")
	}
	r.emit(op, []arg{to, from}, simt.NoReg, false, from.t)
}

// callOf writes a call of a function of the driver.
func (w *writer) callOf(in *simt.Instr) {
	d := simt.DriverFuncOf(in.Text) // which Verify has looked at
	guard := w.syntax.AppendGuard(nil, in)
	w.printf("\t{\n")
	list := ""
	for i, op := range in.Src {
		w.printf("\t.param .%s p%d;\n\tst.param.%[1]s [p%[2]d], %[3]s;\n", d.Params[i], i, w.syntax.AppendOperand(nil, op, d.Params[i]))
		list += fmt.Sprintf(", p%d", i)
	}
	results := ""
	if d.Result != "" {
		w.printf("\t.param .%s r0;\n", d.Result)
		results = "(r0), "
	}
	w.printf("\t%scall %s%s, (%s);\n", guard, results, d.Name, list[2:])
	for _, op := range in.Dst { // PTX has no guard at the load of a result
		w.printf("\t.reg .%[1]s %%result;\n\tld.param.%[1]s %%result, [r0];\n\t%[2]smov.%[1]s %[3]s, %%result;\n", d.Result, guard,
			w.syntax.AppendOperand(nil, op, d.Result))
	}
	w.printf("\t}\n")
}

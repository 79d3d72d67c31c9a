package ptx

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// function is a function that kernels call. It is read again at each call, which makes the call's own copy.
type function struct {
	name   string
	header int // the token of the results or the name
	start  int // the first token of the body: 0 for a function that is declared only
	end    int // the token after the body
	used   bool

	address uint64 // a number that stands for it
	taken   bool   // the text uses its address
}

// call is a call whose function is being read.
type call struct {
	*function
	end int // the label at its end
}

// function takes a function up to its body, which it skips.
func (r *reader) function() {
	f := &function{header: r.next}
	r.skipList()
	t := r.name()
	f.name = t.text
	r.skipList()
	for {
		switch t := r.take(); t.text {
		case ".noreturn", ".abi_preserve", ".abi_preserve_control":
			if startsConstant(r.peek().text) {
				r.constant()
			}
		case ".pragma":
			r.skip(";")
			continue
		case ";":
			if r.funcs[f.name] == nil {
				r.funcs[f.name] = f
			}
			return
		case "{":
			if old := r.funcs[f.name]; old != nil && old.start > 0 {
				r.fail(t, "function %s is defined a second time", f.name)
			}
			f.start = r.next
			r.funcs[f.name] = f
			r.skipBody()
			f.end = r.next
			return
		default:
			if (strings.HasPrefix(t.text, ".") || t.text == "") && r.funcs[f.name] == nil { // old versions declare without a semicolon
				r.next--
				r.funcs[f.name] = f
				return
			}
			r.unexpected(t, "; or {")
		}
	}
}

// skipList takes a list in parentheses, if one is there.
func (r *reader) skipList() {
	if r.accept("(") {
		r.skip(")")
	}
}

// formals takes a list of results or parameters, and gives each to a function.
func (r *reader) formals(each func(t token, v declared, register bool)) {
	if !r.accept("(") {
		return
	}
	for !r.accept(")") {
		r.accept(",")
		t := r.take()
		if t.text != ".param" && t.text != ".reg" {
			r.unexpected(t, ".param or .reg")
		}
		if t.text == ".reg" && r.peek().text == ".pred" {
			r.take()
			v := declared{}
			v.typ = "pred"
			each(r.name(), v, true)
			continue
		}
		name, v := r.declarator("param")
		each(name, v, t.text == ".reg")
	}
}

// alone reads a function that nobody calls, to find its mistakes.
func (r *reader) alone(f *function) {
	r.begin(&simt.Func{Name: f.name}, nil)
	r.dynamic = 0
	r.inline(f, nil, nil, r.tokens[f.header], true)
	r.f = nil
}

// callFunction takes a call and puts the function in its place.
func (r *reader) callFunction(guard simt.Reg, unless bool) {
	var results, args []arg
	t := r.peek()
	if r.accept("(") {
		results = r.actuals()
		r.expect(",")
	}
	t = r.take()
	target, through := r.register(t.text)
	f, driver := r.funcs[t.text], simt.DriverFuncOf(t.text)
	switch {
	case through:
	case f == nil:
		r.unexpected(t, "a declared function or a register")
	case f.start == 0 && driver == nil:
		r.fail(t, "function %s has no body in this text%s", f.name, advice(f.name))
	}
	var all []*function
	more := r.accept(",")
	if more && r.accept("(") {
		args = r.actuals()
		more = r.accept(",")
	}
	switch {
	case through && !more:
		r.unexpected(r.peek(), "a comma and the name of a prototype")
	case through:
		all = r.candidates()
	case more:
		r.name()
	}
	r.expect(";")
	after := r.newLabel()
	if guard != simt.NoReg {
		r.add(simt.Instr{Op: "bra", Src: []simt.Operand{simt.L(after)}, Guard: guard, Unless: !unless})
	}
	switch {
	case through:
		r.indirect(t, target, results, args, all)
	case f.start == 0:
		r.callDriver(t, driver, results, args)
	default:
		back := r.next
		r.inline(f, results, args, t, false)
		r.next = back
	}
	if guard != simt.NoReg {
		r.placeLabel(after)
	}
}

// advice says what to do about a function without a body.
func advice(name string) string {
	if name == "malloc" || name == "free" {
		return ": the emulator has no heap of the device: pass memory as an argument, or run the kernel on a GPU"
	}
	return ": compile its source into the same text, or run the kernel on a GPU"
}

func (r *reader) placeLabel(n int) {
	r.add(simt.Instr{Op: simt.OpLabel, Src: []simt.Operand{simt.L(n)}, Guard: simt.NoReg})
}

// actuals takes the operands of a call up to the closing parenthesis.
func (r *reader) actuals() []arg {
	var args []arg
	for !r.accept(")") {
		if len(args) > 0 {
			r.expect(",")
		}
		args = append(args, r.operand())
	}
	return args
}

// inline reads a function's header and body once more, alone or in the place of a call with operands.
func (r *reader) inline(f *function, results, args []arg, at token, alone bool) {
	if slices.ContainsFunc(r.calls, func(c call) bool { return c.function == f }) {
		r.fail(at, "function %s calls itself: recursion is not supported: write it as a loop, or run the kernel on a GPU", f.name)
	}
	if len(r.calls) >= maxDepth {
		r.fail(at, "calls are nested more than %d deep", maxDepth)
	}
	if r.called += f.end - f.header; r.called > maxCalled {
		r.fail(at, "the functions are too long when each call is inlined: more than %d words", maxCalled)
	}
	f.used = true
	scopes, pos, local := r.scopes, r.pos, r.local
	r.scopes = []*scope{r.scopes[0], newScope()}
	r.next = f.header
	var after []func()
	n := 0
	bind := func(actual []arg, result bool) func(token, declared, bool) {
		n = 0
		return func(t token, v declared, register bool) {
			var a *arg
			if n++; n <= len(actual) {
				a = &actual[n-1]
			} else if !alone && !(result && actual == nil) {
				r.fail(at, "%s takes more operands than the call has", f.name)
			}
			if done := r.bind(t, v, register, a, result); done != nil {
				after = append(after, done)
			}
		}
	}
	r.formals(bind(results, true))
	if n < len(results) {
		r.fail(at, "%s has %d results, the call has %d", f.name, n, len(results))
	}
	r.name()
	r.formals(bind(args, false))
	if n < len(args) {
		r.fail(at, "%s has %d parameters, the call has %d", f.name, n, len(args))
	}
	r.next = f.start
	r.calls = append(r.calls, call{f, r.newLabel()})
	r.body(false)
	r.placeLabel(r.calls[len(r.calls)-1].end)
	r.calls = r.calls[:len(r.calls)-1]
	for _, done := range after {
		done()
	}
	r.scopes, r.pos, r.local = scopes, pos, local
}

// bind gives a result or parameter its operand: memory of the caller as it is, or a register's value. What is to be done
// after the call is returned.
func (r *reader) bind(t token, v declared, register bool, a *arg, result bool) (after func()) {
	var formal arg
	switch {
	case !register && a != nil && a.Kind == simt.Symbol && a.mem.base == "local":
		if a.mem.size < v.size {
			r.fail(a.t, "%s has %d bytes, %s has %d", a.t.text, a.mem.size, t.text, v.size)
		}
		r.declare(t, a.mem)
		return nil
	case !register:
		e := r.onStack(v.variable)
		r.declare(t, e)
		formal = arg{Operand: simt.Operand{Kind: simt.Address, Reg: simt.NoReg, Name: "local", Bits: uint64(e.off)}, t: t, mem: e}
	default:
		formal = r.formalRegisters(t, v)
	}
	if a == nil {
		return nil
	}
	actual := *a
	if actual.Kind == simt.Symbol {
		actual.Operand = simt.Operand{Kind: simt.Address, Reg: simt.NoReg, Name: actual.mem.base, Bits: uint64(actual.mem.off)}
	}
	copyValue := func(to, from arg) {
		op := "mov." + v.typ
		switch {
		case v.array && register:
			op = fmt.Sprintf("mov.v%d.%s", len(formal.elems), v.typ)
		case v.array:
			r.fail(a.t, "an array is passed in a variable of the space .param")
		case to.Kind == simt.Address:
			op = "st.local." + v.typ
		case from.Kind == simt.Address:
			op = "ld.local." + v.typ
		}
		r.emit(op, []arg{to, from}, simt.NoReg, false, a.t)
	}
	if result {
		return func() { copyValue(actual, formal) }
	}
	copyValue(formal, actual)
	return nil
}

// formalRegisters declares a result or parameter that is a register, or a vector of them.
func (r *reader) formalRegisters(t token, v declared) arg {
	e, formal := entity{kind: aRegister}, arg{Operand: simt.V(), t: t}
	n := 1
	if v.array {
		e.kind, n = aVector, int(v.size)*8/simt.TypeBits(v.typ)
	}
	if n > 8 {
		r.fail(t, "%s has %d registers: expected at most 8", t.text, n)
	}
	for range n {
		reg := r.newReg(simt.ClassOf(v.typ))
		e.regs = append(e.regs, reg)
		formal.elems = append(formal.elems, arg{Operand: simt.R(reg), t: t})
	}
	r.declare(t, e)
	if !v.array {
		return formal.elems[0]
	}
	return formal
}

package ptx

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// Functions are read where they are called and have no place in memory: the address of one is a number, the same one in the
// whole text, and a call through a register compares it with those of the functions that it may mean.

// addressStep is what the addresses of functions are multiples of. No variable or buffer is that low.
const addressStep = 16

// functionAddress gives the number that is the address of a function.
func (r *reader) functionAddress(t token) uint64 {
	f := r.funcs[t.text]
	if f.start == 0 {
		r.fail(t, "function %s has no body in this text: it has no address", f.name)
	}
	return f.address
}

// functionOperand gives the address of a function as an operand.
func (r *reader) functionOperand(t token) arg {
	bits := r.functionAddress(t)
	return arg{Operand: simt.B(bits), t: t, number: constant{bits: bits}}
}

// findAddresses numbers the functions, and notes those that are named elsewhere than in a header and as what a call calls:
// the text may take their address.
func (r *reader) findAddresses() {
	n := uint64(0)
	for i, t := range r.tokens {
		f := r.funcs[t.text]
		if f == nil {
			continue
		}
		if f.address == 0 {
			n += addressStep
			f.address = n
		}
		switch r.tokens[i-1].text {
		case ".func", ")", "call", "call.uni":
		case ",":
			f.taken = f.taken || !r.afterResults(i-1)
		default:
			f.taken = true
		}
	}
}

// afterResults reports whether a comma follows the results of a call.
func (r *reader) afterResults(comma int) bool {
	at := comma - 1
	if r.tokens[at].text != ")" {
		return false
	}
	for at > 0 && r.tokens[at].text != "(" {
		at--
	}
	return at > 0 && strings.HasPrefix(r.tokens[at-1].text, "call")
}

// candidates takes the name of a prototype, or of a list of targets, and gives the functions that a call may mean.
func (r *reader) candidates() []*function {
	t := r.name()
	back := r.next
	defer func() { r.next = back }()
	for at := back; at >= 2; at-- {
		if r.tokens[at-2].text != t.text || r.tokens[at-1].text != ":" {
			continue
		}
		r.next = at + 1
		switch r.tokens[at].text {
		case ".calltargets":
			return r.targets()
		case ".callprototype":
			return r.alike()
		}
	}
	r.unexpected(t, "a .callprototype or .calltargets declared before")
	return nil
}

// targets takes a list of functions.
func (r *reader) targets() []*function {
	var all []*function
	for first := true; first || r.accept(","); first = false {
		t := r.name()
		if r.funcs[t.text] == nil {
			r.unexpected(t, "a declared function")
		}
		r.functionAddress(t)
		all = append(all, r.funcs[t.text])
	}
	return all
}

// alike takes a prototype and gives the functions with the same parameters and results whose address is taken.
func (r *reader) alike() []*function {
	want := r.signature()
	var all []*function
	for _, name := range slices.Sorted(maps.Keys(r.funcs)) { // so that the first mistake is always the same
		f := r.funcs[name]
		if !f.taken || f.start == 0 {
			continue
		}
		if r.next = f.header; r.signature() == want {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b *function) int { return int(a.address) - int(b.address) })
	return all
}

// signature takes results, a name and parameters, and gives what two functions that are called alike agree in.
func (r *reader) signature() string {
	var text strings.Builder
	list := func() {
		r.formals(func(_ token, v declared, register bool) { fmt.Fprint(&text, register, v.size, v.typ == "pred", ";") })
	}
	list()
	fmt.Fprint(&text, "->")
	r.name()
	list()
	return text.String()
}

// indirect puts the functions that a call through a register may mean in its place, each where the register has its address.
func (r *reader) indirect(t token, target simt.Reg, results, args []arg, all []*function) {
	if len(all) == 0 {
		r.fail(t, "no function of this text whose address is taken has the prototype of this call")
	}
	class := r.f.Regs[target]
	if class < simt.B32 {
		r.fail(t, "expected a register of 32 or 64 bits, found a %s", class)
	}
	end := r.newLabel()
	for _, f := range all {
		other, hit := r.newLabel(), simt.R(r.newReg(simt.Pred))
		r.add(simt.Instr{Op: fmt.Sprintf("setp.eq.u%d", class.Bits()), Dst: []simt.Operand{hit},
			Src: []simt.Operand{simt.R(target), simt.B(f.address)}, Guard: simt.NoReg})
		r.add(simt.Instr{Op: "bra", Src: []simt.Operand{simt.L(other)}, Guard: hit.Reg, Unless: true})
		back := r.next
		r.inline(f, results, args, t, false)
		r.next = back
		r.add(simt.Instr{Op: "bra", Src: []simt.Operand{simt.L(end)}, Guard: simt.NoReg})
		r.placeLabel(other)
	}
	r.add(simt.Instr{Op: "trap", Guard: simt.NoReg})
	r.placeLabel(end)
}

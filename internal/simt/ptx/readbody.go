package ptx

import (
	gotoken "go/token"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// kernelBody reads the body of a kernel: a second time where dynamic shared memory is used beside variables, whose bytes
// are known at the end only.
func (r *reader) kernelBody(k *kernelBody) {
	fresh := *k.f
	r.dynamic = 0
	for {
		*k.f = fresh
		r.begin(k.f, k.params)
		r.next = k.start
		r.body(true)
		if !r.grows || r.shared <= r.dynamic {
			break
		}
		r.dynamic = (r.shared + 1023) / 1024 * 1024
	}
	k.f.Shared = r.shared
	if r.grows {
		k.f.Shared = r.dynamic
	}
	r.end()
}

// begin prepares to read the body of a function.
func (r *reader) begin(f *simt.Func, names map[string]entity) {
	r.f, r.pos, r.local, r.shared, r.grows, r.calls = f, gotoken.Position{}, 0, 0, false, nil
	r.seen = map[string]entity{}
	s := newScope()
	for name, e := range names {
		s.names[name] = e
	}
	r.scopes = []*scope{newScope()}
	for _, at := range r.registersAt { // those of the module, which each kernel has for itself
		r.next = at
		r.registers()
	}
	r.scopes = append(r.scopes, s)
}

// end makes a body whole: it must not run over its end, and no register may be read before it is written.
func (r *reader) end() {
	f := r.f
	if n := len(f.Body); n == 0 || !f.Body[n-1].Ends() {
		f.Body = append(f.Body, simt.Instr{Op: "ret", Guard: simt.NoReg, Pos: r.pos})
	}
	r.f = nil
	if r.labels += f.Labels; r.labels > 2*maxLabels {
		r.fail(r.peek(), "the kernels have more than %d labels", 2*maxLabels)
	}
	initialise(f)
}

// body takes declarations and instructions up to the closing brace of a scope.
func (r *reader) body(kernel bool) {
	if len(r.scopes) > maxDepth {
		r.fail(r.peek(), "scopes are nested more than %d deep", maxDepth)
	}
	r.placeLabels(kernel)
	for {
		switch t := r.take(); t.text {
		case "}":
			return
		case "":
			r.unexpected(t, "an instruction or }")
		case ";":
		case ".reg":
			r.registers()
		case ".global", ".const":
			r.inner(t.text[1:])
		case ".local", ".shared", ".param":
			r.bodyVariables(t.text[1:])
		case ".loc":
			r.loc()
		case ".pragma":
			r.pragma()
		case ".branchtargets":
			r.noInstruction(t)
		case ".callprototype", ".calltargets":
			r.skip(";")
		case "{":
			if r.peek().text == ".reg" && (r.tokens[r.next+2].text == "%format" || r.tokens[r.next+2].text == "%fail") {
				r.next--
				r.call()
				continue
			}
			r.scopes = append(r.scopes, newScope())
			switch {
			case r.startsByte():
				r.inByte()
			case r.startsWide():
				r.inWide()
			default:
				r.body(false)
			}
			r.scopes = r.scopes[:len(r.scopes)-1]
		default:
			if r.peek().text == ":" && isName(t.text) {
				r.take()
				n, _ := r.findLabel(t.text)
				r.add(simt.Instr{Op: simt.OpLabel, Src: []simt.Operand{simt.L(n)}, Guard: simt.NoReg})
				continue
			}
			r.next--
			r.instr()
		}
	}
}

// add appends an instruction at the present position.
func (r *reader) add(in simt.Instr) {
	if in.Op != simt.OpAssert {
		in.Pos = r.pos
	}
	in.Line = r.line
	r.f.Body = append(r.f.Body, in)
}

// pragma takes what a text tells the assembler. Behind the label of a loop it may say that the loop is not unrolled.
func (r *reader) pragma() {
	first := r.peek().text
	r.skip(";")
	if n := len(r.f.Body); n > 0 && first == `"nounroll"` && r.f.Body[n-1].Op == simt.OpLabel {
		r.f.Body[n-1].Rolled = true
	}
}

// registers takes the declaration of registers: one, a range, or vectors.
func (r *reader) registers() {
	t := r.take()
	length := vectorLength(t.text)
	if length > 0 {
		t = r.take()
	}
	typ := strings.TrimPrefix(t.text, ".")
	if t.text == wideType {
		r.fail(t, "%s", simt.Lacks("registers of 128 bits"))
	}
	if !strings.HasPrefix(t.text, ".") || simt.TypeBits(typ) == 0 {
		r.unexpected(t, "the type of a register")
	}
	class := simt.ClassOf(typ)
	for first := true; first || r.accept(","); first = false {
		t := r.name()
		if !r.accept("<") {
			e := entity{kind: aRegister}
			if length > 0 {
				e.kind = aVector
			}
			for range max(length, 1) {
				e.regs = append(e.regs, r.newReg(class))
			}
			r.declare(t, e)
			continue
		}
		s := r.scopes[len(r.scopes)-1]
		if _, twice := s.ranges[t.text]; twice {
			r.fail(t, "%s is declared a second time", t.text)
		}
		n := r.number(1, maxRegs)
		r.expect(">")
		g := regRange{simt.Reg(len(r.f.Regs)), n, max(length, 1)}
		if n *= g.length; n > maxRegs-r.regs {
			r.fail(t, "the kernels have more than %d registers", maxRegs)
		}
		r.regs += n
		r.f.Regs = append(r.f.Regs, slices.Repeat([]simt.Class{class}, n)...)
		s.ranges[t.text] = g
	}
	r.expect(";")
}

// bodyVariables takes variables of a function. Those of the space of parameters, which calls use, lie in local memory.
func (r *reader) bodyVariables(space string) {
	for first := true; first || r.accept(","); first = false {
		t, v := r.declarator(space)
		if space == "shared" {
			v.off, v.base = r.place(&r.shared, v.size, v.align), "smem"
		} else {
			v.entity = r.onStack(v.variable)
		}
		r.declare(t, v.entity)
	}
	r.expect(";")
}

// inner takes variables in global memory that a function declares: each exists once, however often the function is read.
func (r *reader) inner(space string) {
	for first := true; first || r.accept(","); first = false {
		t, v := r.declarator(space)
		e, known := r.inside[r.next]
		if !known {
			r.moduleVariable(t, v, false)
			continue
		}
		r.declare(t, e)
		if r.accept("=") {
			r.initial(&simt.Var{Name: t.text}, v.typ, v.size, v.open, 0)
		}
	}
	r.expect(";")
}

// onStack gives a variable its place in local memory.
func (r *reader) onStack(v variable) entity {
	v.space, v.base = "local", "local"
	v.off = r.place(&r.local, v.size, v.align)
	r.f.Local = max(r.f.Local, r.local)
	return v.entity
}

// loc takes the position of what follows.
func (r *reader) loc() {
	t := r.peek()
	file, ok := r.files[r.number(0, maxBytes)]
	if !ok {
		file = "file" + t.text // which some texts do not declare
	}
	r.pos.Filename, r.pos.Line, r.pos.Column = file, r.number(0, maxBytes), r.number(0, maxBytes)
	r.skipLine()
}

// register gives a register by its name, if it is one.
func (r *reader) register(name string) (simt.Reg, bool) {
	if e, ok := r.lookup(name); ok && e.kind == aRegister {
		return e.regs[0], true
	}
	if dot := strings.LastIndexByte(name, '.'); dot > 0 && dot == len(name)-2 {
		if e, ok := r.lookup(name[:dot]); ok && e.kind == aVector {
			if i := strings.IndexByte("xyzwrgba", name[dot+1]) % 4; i >= 0 && i < len(e.regs) {
				return e.regs[i], true
			}
		}
	}
	return simt.NoReg, false
}

// needRegister takes a register.
func (r *reader) needRegister() simt.Reg {
	t := r.take()
	reg, ok := r.register(t.text)
	if !ok {
		r.unexpected(t, "a declared register")
	}
	return reg
}

// guard takes "@%p1", if it is there.
func (r *reader) guard() (reg simt.Reg, unless bool) {
	if !r.accept("@") {
		return simt.NoReg, false
	}
	unless = r.accept("!")
	return r.needRegister(), unless
}

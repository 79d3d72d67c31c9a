package ir

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// NewVar makes a variable.
func (b *Builder) NewVar(c vec.Class) Var {
	b.Vars = append(b.Vars, c)
	return Var(len(b.Vars) - 1)
}

// Get reads a variable.
func (b *Builder) Get(v Var) Value {
	x := b.value(b.Vars[v], len(b.open)-1)
	b.add(&Instr{Op: Get, Vars: []Var{v}, Dst: []Value{x}})
	return x
}

// Set assigns variables, all at once.
func (b *Builder) Set(vars []Var, src []Value) {
	if len(vars) > 0 {
		b.add(&Instr{Op: Set, Vars: vars, Src: src})
	}
}

// Shuffle is the value of another lane.
func (b *Builder) Shuffle(t vec.Type, x Value, xor int) Value {
	return b.effect(&Instr{Op: Shuffle, Type: t, Imm: int64(xor), Src: []Value{x}}, t.Class())
}

// From is the value of the lane with a number.
func (b *Builder) From(t vec.Type, x, lane Value) Value {
	return b.effect(&Instr{Op: From, Type: t, Src: []Value{x, lane}}, t.Class())
}

// If runs one of two functions' instructions. otherwise may be nil.
func (b *Builder) If(cond Value, uniform bool, then, otherwise func()) {
	if b.facts[cond].known {
		if b.facts[cond].bits == 0 {
			then = otherwise
		}
		if then != nil {
			then()
		}
		return
	}
	in := &Instr{Op: If, Src: []Value{cond}, Body: []*Block{{}, {}}, Uniform: uniform, Loc: b.Loc}
	for i, f := range []func(){then, otherwise} {
		if f != nil {
			b.push(in.Body[i], false)
			f()
			b.pop()
		}
	}
	b.add(in)
}

// Part lets the producer's warp run one function's instructions, and the others those of another one.
func (b *Builder) Part(produce, consume func()) *Instr {
	in := &Instr{Op: Part, Body: []*Block{{}, {}}}
	b.Producer = true
	for i, f := range []func(){produce, consume} {
		b.push(in.Body[i], false)
		f()
		b.pop()
	}
	return b.add(in)
}

// Loop runs a function's instructions until they leave.
func (b *Builder) Loop(body func()) {
	in := &Instr{Op: Loop, Body: []*Block{{}}, Loc: b.Loc}
	b.push(in.Body[0], true)
	body()
	b.pop()
	b.add(in)
}

// Break leaves the loop that so many others around this place lie in, if cond holds; 0 stands for always.
func (b *Builder) Break(others int, cond Value) { b.jump(Break, others, cond) }

// Continue goes on with such a loop's next turn.
func (b *Builder) Continue(others int) { b.jump(Continue, others, 0) }

func (b *Builder) jump(op Op, others int, cond Value) {
	in := &Instr{Op: op, Imm: int64(others)}
	if cond != 0 && b.facts[cond].known {
		if b.facts[cond].bits == 0 {
			return
		}
		cond = 0
	}
	if cond != 0 {
		in.Src = []Value{cond}
	}
	b.add(in)
}

// Return ends the thread's program.
func (b *Builder) Return() { b.add(&Instr{Op: Return}) }

// Print prints.
func (b *Builder) Print(format string, src ...Value) {
	b.add(&Instr{Op: Print, Text: format, Src: src})
}

// DivisionByZero is the message where a number is divided by zero.
const DivisionByZero = "division by zero"

// Assert ends the launch if a condition is false, unless that was found out on the way here.
func (b *Builder) Assert(cond Value, message string) {
	if r := b.held[cond]; r != nil && slices.Contains(b.open, r) {
		return
	}
	b.held[cond] = b.open[len(b.open)-1]
	b.add(&Instr{Op: Assert, Text: message, Src: []Value{cond}})
}

// Looping reports whether the open block lies in a loop.
func (b *Builder) Looping() bool {
	for _, r := range b.open {
		if r.loop {
			return true
		}
	}
	return false
}

// Region identifies the open block.
func (b *Builder) Region() any { return b.open[len(b.open)-1] }

// Within reports whether a block is open still, so that values that were computed in it are at hand.
func (b *Builder) Within(region any) bool {
	for _, r := range b.open {
		if r == region {
			return true
		}
	}
	return false
}

// Depth tells how deep in blocks a value was computed; 0 for the value that stands for none.
func (b *Builder) Depth(v Value) int { return int(b.facts[v].depth) }

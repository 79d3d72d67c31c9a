package words

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// ptx writes the instruction that the //cutile:ptx directive of a function names. The directive's
// first word is the opcode, in which {T} stands for PTX's name of the type parameter T in
// arithmetic and {T.b} for that of its bits. The operands follow: parameters, numbers and special
// registers. "-> lo..hi" gives the range of an integer result, so that indices computed of it stay
// in 32 bits.
func (c *call) ptx() []emit.Value {
	words := c.callee.Words
	op := c.opcode(words[0])
	words = words[1:]
	lo, hi, ranged := int64(0), int64(0), false
	for i, w := range words {
		if w == "->" {
			from, to, _ := strings.Cut(words[i+1], "..")
			lo, _ = strconv.ParseInt(from, 0, 64)
			hi, _ = strconv.ParseInt(to, 0, 64)
			words, ranged = words[:i], true
			break
		}
	}
	form, ok := simt.FormOf(op)
	c.Must(ok, c.pos, "%s does not take these types: there is no instruction %s", c.callee.Name, op)
	special := func(w string) bool { return w[0] == '%' }
	c.Must(!c.B.Host || form.InHost() && !slices.ContainsFunc(words, special), c.pos, "%s is for kernels: a host function has one thread and no memory", c.called())
	names := c.paramNames()
	var src []simt.Operand
	sig := c.signature(form, len(words))
	for i, w := range words {
		src = append(src, c.ptxOperand(w, names, &sig.Src[i]))
	}
	if len(sig.Dst) == 0 {
		c.B.Emit(op, nil, src...)
		return nil
	}
	t := c.resultType(0)
	e, _ := emit.Numbers(t)
	n := c.NewNum(e)
	if ranged {
		n = c.Ranged(e, interval.Ints(lo, hi))
	}
	// The result is an int, but the instruction gives 32 bits: its range fits them.
	if class := simt.ClassOf(sig.Dst[0].Type); class == simt.B32 && n.Class() == simt.B64 {
		// It is a register of 32 bits that counts as an int from then on.
		n = c.Ranged(emit.I32, emit.I32.All())
		n.Elem = emit.Int
	}
	c.B.Emit(op, []simt.Operand{n.Op()}, src...)
	if e.IsInt() && e.Bits < 32 {
		// The instruction leaves the upper bits undefined, and small integers are kept extended.
		n = c.Extend(n, e)
	}
	return []emit.Value{n}
}

// signature gives the operands of a form of an instruction by their number.
func (c *call) signature(f *simt.Form, n int) *simt.Sig {
	for i := range f.Sigs {
		if len(f.Sigs[i].Src) == n {
			return &f.Sigs[i]
		}
	}
	panic("BUG: words: " + f.Op + " does not take the operands of " + c.callee.Name)
}

// opcode replaces the type parameters in an opcode by PTX's types.
func (c *call) opcode(op string) string {
	for {
		i := strings.IndexByte(op, '{')
		if i < 0 {
			return op
		}
		j := i + strings.IndexByte(op[i:], '}')
		name, bits, _ := strings.Cut(op[i+1:j], ".")
		e := c.namedElem(name)
		text := e.Suffix
		if bits != "" {
			text = e.RegClass(e.Bits == 64).String()
		}
		op = op[:i] + text + op[j+1:]
	}
}

// namedElem gives the element type of a type parameter by its name.
func (c *call) namedElem(name string) *emit.Elem {
	for p := range c.callee.typeParams().TypeParams() {
		if p.Obj().Name() == name {
			t := c.callee.Subst(p)
			e := emit.ElemOf(t)
			c.Must(e != nil, c.pos, "%s does not take the type %s", c.callee.Name, t)
			return e
		}
	}
	panic("BUG: words: " + c.callee.Name + " has no type parameter " + name)
}

// paramNames maps the names of the parameters to their indices among the arguments.
func (c *call) paramNames() map[string]int {
	names := map[string]int{}
	for i := range c.callee.Sig.Params().Len() {
		names[c.callee.Sig.Params().At(i).Name()] = i + c.callee.receivers()
	}
	return names
}

// receivers gives how many arguments come before the parameters.
func (f *Callee) receivers() int {
	if f.Sig.Recv() != nil {
		return 1
	}
	return 0
}

// resultType gives the type of a result.
func (c *call) resultType(i int) types.Type {
	return c.callee.Subst(c.callee.Sig.Results().At(i).Type())
}

// ptxOperand gives an operand that a directive names. A static argument is an immediate if the
// instruction takes one there.
func (c *call) ptxOperand(word string, names map[string]int, slot *simt.Slot) simt.Operand {
	if word[0] == '%' {
		return simt.S(word)
	}
	i, ok := names[word]
	if !ok {
		// A word that is not a parameter is a number.
		n, err := strconv.ParseInt(word, 0, 64)
		if err != nil {
			panic("BUG: words: operand " + word + " of " + c.callee.Name)
		}
		if !slot.Kinds.Has(simt.Imm) {
			// The instruction takes a register here, so the number is moved into one.
			return c.Immediate(simt.ClassOf(slot.Type), simt.I(n))
		}
		return simt.I(n)
	}
	v := c.arg(i)
	// The parameter's type counts if it is one of numbers: a constant argument has no other type.
	e := c.ElemOf(v)
	if f, _ := emit.Numbers(c.paramType(i)); f != nil {
		e = f
	}
	c.Must(e != nil, c.pos, "%s takes a number here, not %s", c.callee.Name, c.Describe(v))
	// The instruction's table tells how many bits it reads.
	wide := simt.ClassOf(slot.Type) == simt.B64
	if emit.IsStatic(v) && slot.Kinds.Has(simt.Imm) && e != emit.Bool {
		return c.Operand(v, e, wide)
	}
	c.Must(slot.Kinds.Has(simt.Register), c.pos, "argument %s of %s must be static, a number that is known when the function is compiled", word, c.callee.Name)
	if e.IsInt() && e.Bits == 64 {
		return c.RegOf(v, e, wide)
	}
	return c.InReg(v, e)
}

// paramType gives the type of the parameter that has argument i, or nil for a receiver.
func (c *call) paramType(i int) types.Type {
	i -= c.callee.receivers()
	if i < 0 {
		return nil
	}
	return c.callee.Subst(c.callee.Sig.Params().At(i).Type())
}

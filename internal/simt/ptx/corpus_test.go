package ptx_test

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/simt"
)

// corpus makes kernels that hold, together, every instruction of the table that a target has, with every operand that
// each may have.
type corpus struct {
	m     *simt.Module
	b     *simt.Builder
	ready [4][]simt.Reg // registers with a value, by class
	free  [4][]simt.Reg // registers for results
	skip  int
	after int // the label at the kernel's end
}

// perKernel is how many instructions are put in a kernel.
const perKernel = 500

// newCorpus makes an empty corpus. Textures have samplers of their own, or the module has samplers.
func newCorpus(samplers bool) *corpus {
	m := &simt.Module{Name: "corpus", Handles: []*simt.Handle{
		{Name: "t", Type: "texref", Init: []simt.Attr{{Name: "filter_mode", Value: "linear"}, {Name: "width", Value: "7"}}},
		{Name: "s", Type: "surfref"},
	}}
	if samplers {
		m.Handles = append(m.Handles, &simt.Handle{Name: "q", Type: "samplerref"})
	}
	return &corpus{m: m}
}

// everything makes the corpus of a target: a module whose textures have samplers of their own, and one of what differs in
// modules that have samplers. Only one in every `every` forms is taken.
func everything(arch simt.Arch, every int) []*simt.Module {
	return []*simt.Module{part(arch, every, false), part(arch, every, true)}
}

func part(arch simt.Arch, every int, samplers bool) *simt.Module {
	c := newCorpus(samplers)
	c.open()
	n := 0
	for f := range simt.Forms() {
		if n++; n%every != 0 {
			continue
		}
		for i := range f.Sigs {
			s := &f.Sigs[i]
			if s.Since.In(arch) && c.has(s) && (!samplers || takesTexture(s)) {
				c.variants(f, s, arch)
			}
		}
	}
	c.close()
	return c.m
}

// has reports whether a list of operands fits the module's samplers.
func (c *corpus) has(s *simt.Sig) bool {
	reads, sampled := s.Texture()
	return !reads || sampled == c.m.Samplers()
}

// takesTexture reports whether an operand is a texture or sampler.
func takesTexture(s *simt.Sig) bool {
	return slices.ContainsFunc(s.Src, func(s simt.Slot) bool { return s.Names("texref") || s.Names("samplerref") })
}

// open begins a kernel.
func (c *corpus) open() {
	f := &simt.Func{
		Name: fmt.Sprintf("k%d", len(c.m.Kernels)), Block: [3]int{128, 1, 1}, Local: 256, Shared: 1024,
		Params: []simt.Param{{Name: "x", Type: "u64"}, {Name: "m", Type: "b8", Bytes: 128, Align: 64}, {Name: "pt", Type: "texref"}},
	}
	c.m.Kernels = append(c.m.Kernels, f)
	c.b = &simt.Builder{Func: f}
	c.after = c.b.NewLabel()
	for class := simt.Pred; class <= simt.B64; class++ {
		c.ready[class], c.free[class] = nil, nil
		for i := range 8 {
			r := c.b.NewReg(class)
			c.b.Emit("mov."+class.String(), []simt.Operand{simt.R(r)}, simt.I(int64(i%2)))
			c.ready[class] = append(c.ready[class], r)
		}
		for range map[bool]int{true: 128, false: 8}[class == simt.B32] {
			c.free[class] = append(c.free[class], c.b.NewReg(class))
		}
	}
}

// close ends a kernel.
func (c *corpus) close() {
	c.b.Place(c.after)
	c.b.Emit("ret", nil)
}

// variants appends an instruction with registers, then for each operand what else it may be, then with as many numbers as
// possible.
func (c *corpus) variants(f *simt.Form, s *simt.Sig, arch simt.Arch) {
	slots := append(append([]simt.Slot(nil), s.Dst...), s.Src...)
	plain := make([]simt.Operand, len(slots))
	for i := range slots {
		plain[i] = c.choices(&slots[i], i < len(s.Dst), i, arch)[0]
	}
	c.emit(f, s, plain)
	for i := range slots {
		for _, op := range c.choices(&slots[i], i < len(s.Dst), i, arch)[1:] {
			ops := append([]simt.Operand(nil), plain...)
			ops[i] = op
			c.emit(f, s, ops)
		}
	}
	numbers := append([]simt.Operand(nil), plain...)
	for i := range slots {
		for _, op := range c.choices(&slots[i], i < len(s.Dst), i, arch) {
			if op.Kind == simt.Imm {
				numbers[i] = op
			}
		}
	}
	c.emit(f, s, numbers)
}

func (c *corpus) emit(f *simt.Form, s *simt.Sig, ops []simt.Operand) {
	if f.Op == simt.OpLabel {
		return
	}
	n := len(s.Dst)
	in := c.b.Emit(f.Op, ops[:n:n], ops[n:]...)
	if in.Ends() { // what follows must be reachable
		in.Guard = c.ready[simt.Pred][1]
	}
	if len(c.b.Body)%perKernel == 0 {
		c.close()
		c.open()
	}
}

// choices gives what an operand may be, one of each sort.
func (c *corpus) choices(s *simt.Slot, dst bool, i int, arch simt.Arch) []simt.Operand {
	var all []simt.Operand
	if s.Kinds.Has(simt.Vector) {
		elems := make([]simt.Operand, s.Len)
		if s.Elems != nil {
			return c.mixed(s, elems, dst, arch)
		}
		for e := range elems {
			elems[e] = simt.R(c.register(simt.ClassOf(s.Type), dst, e))
		}
		all = append(all, simt.V(elems...))
		if s.Kinds.Has(simt.Imm) {
			all = append(all, simt.V(append([]simt.Operand{simt.I(1)}, elems[1:]...)...))
			all = append(all, simt.V(slices.Repeat([]simt.Operand{simt.I(0)}, s.Len)...))
		}
		if s.Kinds.Has(simt.Sink) {
			all = append(all, simt.V(append([]simt.Operand{{Kind: simt.Sink, Reg: simt.NoReg}}, elems[1:]...)...))
		}
		return all
	}
	if s.Kinds.Has(simt.Register) {
		r := simt.R(c.register(simt.ClassOf(s.Type), dst, i))
		all = append(all, r)
		if s.Not {
			r.Not = true
			all = append(all, r)
		}
		if simt.TypeBits(s.Type) == 8 {
			all = append(all, simt.R(c.register(simt.B32, dst, i)))
		}
	}
	for kind, make := range map[simt.OperandKind]func() []simt.Operand{
		simt.Sink:    func() []simt.Operand { return []simt.Operand{{Kind: simt.Sink, Reg: simt.NoReg}} },
		simt.Target:  func() []simt.Operand { return []simt.Operand{simt.L(c.after)} },
		simt.Imm:     func() []simt.Operand { return numbers(s) },
		simt.Special: func() []simt.Operand { return specials(s, arch) },
		simt.Symbol:  func() []simt.Operand { return symbols(s) },
		simt.Address: func() []simt.Operand { return c.addresses(s) },
	} {
		if s.Kinds.Has(kind) {
			all = append(all, make()...)
		}
	}
	return all
}

// mixed gives vectors of elements of several sorts: the first choices of all, and for each element what else it may be.
func (c *corpus) mixed(s *simt.Slot, first []simt.Operand, dst bool, arch simt.Arch) []simt.Operand {
	for i := range first {
		first[i] = c.choices(&s.Elems[i], dst, i, arch)[0]
	}
	all := []simt.Operand{simt.V(first...)}
	for i := range first {
		for _, op := range c.choices(&s.Elems[i], dst, i, arch)[1:] {
			elems := slices.Clone(first)
			elems[i] = op
			all = append(all, simt.V(elems...))
		}
	}
	return all
}

func (c *corpus) register(class simt.Class, dst bool, i int) simt.Reg {
	pool := c.ready[class]
	if dst {
		pool = c.free[class]
	}
	return pool[i%len(pool)]
}

// numbers gives a number, and every one where few are allowed.
func numbers(s *simt.Slot) []simt.Operand {
	if s.Imm == nil {
		return []simt.Operand{simt.I(1), simt.I(0), simt.I(-1)}
	}
	var all []simt.Operand
	for _, r := range s.Imm {
		all = append(all, simt.I(r.Low))
		if r.High != r.Low {
			all = append(all, simt.I(r.High))
		}
	}
	return all
}

// specials gives all special registers of a type.
func specials(s *simt.Slot, arch simt.Arch) []simt.Operand {
	var all []simt.Operand
	for _, name := range simt.Specials() {
		if typ, since, _ := simt.SpecialType(name); simt.ClassOf(typ) == simt.ClassOf(s.Type) && since.In(arch) {
			all = append(all, simt.S(name))
		}
	}
	return all
}

func symbols(s *simt.Slot) []simt.Operand {
	if simt.TypeBits(s.Type) == 32 {
		return []simt.Operand{simt.Sym("smem")}
	}
	all := []simt.Operand{simt.Sym("smem"), simt.Sym("local"), simt.Sym("m")}
	if s.Type == "u64" {
		all = append(all, simt.Sym("t"), simt.Sym("s"), simt.Sym("pt"))
	}
	return all
}

// handles gives a register, and the name of each texture, sampler or surface that a slot takes.
func (c *corpus) handles(s *simt.Slot) []simt.Operand {
	all := []simt.Operand{simt.At(c.ready[simt.B64][2], 0)}
	for _, h := range append(c.m.Handles, &simt.Handle{Name: "pt", Type: "texref"}) {
		state := s.Names("texref") && s.Names("samplerref")
		if s.Names(h.Type) && !(state && c.m.Samplers() && h.Type == "texref") {
			all = append(all, simt.AtName(h.Name, 0))
		}
	}
	return all
}

func (c *corpus) addresses(s *simt.Slot) []simt.Operand {
	base := c.ready[simt.B64][2]
	if s.IsHandle() {
		return c.handles(s)
	}
	if s.Bare {
		return []simt.Operand{simt.At(base, 0)}
	}
	switch s.Space {
	case "param":
		return []simt.Operand{simt.AtName("m", 64)}
	case "local":
		return []simt.Operand{simt.At(base, 0), simt.At(base, -16), simt.AtName("local", 32)}
	case simt.TensorMemory:
		return []simt.Operand{simt.At(c.ready[simt.B32][2], 0), simt.At(c.ready[simt.B32][2], 16)}
	case "", "global", "const":
		return []simt.Operand{simt.At(base, 0), simt.At(base, 16)}
	}
	return []simt.Operand{simt.At(c.ready[simt.B32][2], 0), simt.At(c.ready[simt.B32][2], 16), simt.At(base, 16), simt.AtName("smem", 16)}
}

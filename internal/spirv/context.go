package spirv

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/spirv/grammar"
)

// context is what instructions are looked at with: where IDs are defined, and what the module declares.
type context struct {
	g            *grammar.Grammar
	m            *Module
	defs         definitions
	capabilities map[Capability]bool
	extensions   map[string]bool
	addressing   AddressingModel
	model        MemoryModel
	held         map[ID]uint32 // the widths of the numbers that a type has in it, as a set of bits; a pointer has none
}

// definitions are the places of the instructions whose results IDs are. IDs that are not far above the number of instructions are in a
// slice, as those of compilers are, and others in a map: what a module claims to be the bound allocates nothing.
type definitions struct {
	near []int32 // the place and 1; 0 where there is none
	far  map[ID]int32
}

func newDefinitions(m *Module) definitions {
	return definitions{make([]int32, min(int(m.Bound), 4*len(m.Instrs)+64)), map[ID]int32{}}
}

func (d *definitions) set(id ID, place int) {
	if int(id) < len(d.near) {
		d.near[id] = int32(place + 1)
	} else {
		d.far[id] = int32(place + 1)
	}
}

func (d *definitions) get(id ID) int {
	if int(id) < len(d.near) {
		return int(d.near[id]) - 1
	}
	return int(d.far[id]) - 1
}

// newContext collects definitions and declarations.
func newContext(m *Module) *context {
	c := &context{g: grammar.Get(), m: m, defs: newDefinitions(m), capabilities: map[Capability]bool{}, extensions: map[string]bool{},
		held: map[ID]uint32{}}
	for i := range m.Instrs {
		in := &m.Instrs[i]
		if in.Result != 0 && c.place(in.Result) < 0 {
			c.defs.set(in.Result, i)
		}
		switch in.Op {
		case OpCapability:
			c.capability(Capability(in.Operands[0].Word()))
		case OpExtension:
			c.extensions[in.Operands[0].Text()] = true
		case OpMemoryModel:
			c.addressing, c.model = AddressingModel(in.Operands[0].Word()), MemoryModel(in.Operands[1].Word())
		case OpTypeInt, OpTypeFloat:
			c.held[in.Result] = in.Operands[0].Word()
		case OpTypeVector, OpTypeMatrix, OpTypeArray, OpTypeRuntimeArray, OpTypeStruct:
			for _, o := range in.Operands {
				if o.IsID() {
					c.held[in.Result] |= c.held[o.ID()]
				}
			}
		}
	}
	return c
}

// capability notes a capability with all that it implies.
func (c *context) capability(k Capability) {
	if c.capabilities[k] {
		return
	}
	c.capabilities[k] = true
	if e, ok := c.g.Kind("Capability").Find(uint32(k)); ok {
		for _, implied := range e.Needs.Capabilities {
			c.capability(Capability(implied))
		}
	}
}

// def gives the instruction that defines an ID, nil if there is none.
func (c *context) def(id ID) *Instr {
	if i := c.place(id); i >= 0 {
		return &c.m.Instrs[i]
	}
	return nil
}

// place gives the place of the instruction that defines an ID, -1 if there is none.
func (c *context) place(id ID) int { return c.defs.get(id) }

// op gives what defines an ID, OpNop if nothing does.
func (c *context) op(id ID) Op {
	if in := c.def(id); in != nil {
		return in.Op
	}
	return OpNop
}

// typeOf gives the type of a value, 0 if it is none.
func (c *context) typeOf(id ID) ID {
	if in := c.def(id); in != nil {
		return in.Type
	}
	return 0
}

// constant gives the value of an integer constant that is no specialisation constant.
func (c *context) constant(id ID) (uint64, bool) {
	in := c.def(id)
	if in == nil || c.op(in.Type) != OpTypeInt {
		return 0, false
	}
	switch in.Op {
	case OpConstant:
		return in.Operands[0].Bits(), true
	case OpConstantNull:
		return 0, true
	}
	return 0, false
}

// need is something that a module has to declare: any of the capabilities, or else any of the extensions.
type need struct {
	instr        int
	what         string
	capabilities []Capability
	extensions   []string
	version      Version // which would be enough instead of an extension; 0 for none
}

// ofKernels are the capabilities of core SPIR-V that Vulkan 1.3 does not have.
var ofKernels = []Capability{
	CapabilityAddresses, CapabilityLinkage, CapabilityKernel, CapabilityVector16, CapabilityFloat16Buffer, CapabilityImageBasic,
	CapabilityImageReadWrite, CapabilityImageMipmap, CapabilityPipes, CapabilityGroups, CapabilityDeviceEnqueue, CapabilityLiteralSampler,
	CapabilityAtomicStorage, CapabilityImageRect, CapabilitySampledRect, CapabilityGenericPointer, CapabilitySubgroupDispatch,
	CapabilityNamedBarrier, CapabilityPipeStorage, CapabilityUniformDecoration,
}

// declare declares what is needed: the first capability that Vulkan has, else the first extension.
func (n *need) declare(b *Builder) {
	for _, k := range n.capabilities {
		if !slices.Contains(ofKernels, k) {
			b.Capability(k)
			return
		}
	}
	for _, prefix := range []string{"SPV_KHR_", "SPV_"} { // those of Khronos first
		for _, e := range n.extensions {
			if strings.HasPrefix(e, prefix) {
				b.Extension(e)
				return
			}
		}
	}
}

// String says what is needed, and what would do.
func (n *need) String() string {
	var ways []string
	for _, k := range n.capabilities {
		ways = append(ways, "capability "+k.String())
	}
	for _, e := range n.extensions {
		ways = append(ways, "extension "+e)
	}
	if n.version != 0 {
		ways = append(ways, "SPIR-V "+n.version.String())
	}
	if len(ways) == 0 {
		return n.what + " is not in this version of SPIR-V"
	}
	return n.what + " needs " + strings.Join(ways, " or ")
}

// String gives the name of a capability.
func (k Capability) String() string {
	if e, ok := grammar.Get().Kind("Capability").Find(uint32(k)); ok {
		return e.Name
	}
	return fmt.Sprintf("%d", uint32(k))
}

// missing gives what the module needs and does not declare, in the order of the instructions.
func (c *context) missing() []need {
	n := &needs{context: c}
	for n.at = range c.m.Instrs {
		in := &c.m.Instrs[n.at]
		op := in.Op.op()
		n.of(op.Name, &op.Needs, len(op.Needs.Capabilities) == 0)
		for i := range in.Operands {
			n.operand(in, &in.Operands[i])
		}
		n.typed(in)
	}
	return n.list
}

// needs collects what is needed.
type needs struct {
	*context
	at   int // the instruction
	list []need
}

// of adds what something needs, if the module lacks it. A capability brings an instruction in any version; an enumerant needs its
// version or extension as well.
func (n *needs) of(what string, x *grammar.Needs, version bool) {
	if x.Until != 0 && n.m.Version > x.Until {
		n.list = append(n.list, need{instr: n.at, what: what})
		return
	}
	if len(x.Capabilities) > 0 {
		n.capability(what, x.Capabilities...)
	}
	if version {
		n.since(what, x)
	}
}

// since adds the version or extension that brings something, if the module lacks them.
func (n *needs) since(what string, x *grammar.Needs) {
	if x.Since != 0 && n.m.Version >= x.Since || x.Since == 0 && len(x.Extensions) == 0 {
		return // the latter comes with what it is an operand of
	}
	if !slices.ContainsFunc(x.Extensions, func(e string) bool { return n.extensions[e] }) {
		n.list = append(n.list, need{instr: n.at, what: what, extensions: x.Extensions, version: x.Since})
	}
}

// capability adds capabilities of which one is needed, if the module has none of them.
func (n *needs) capability(what string, any ...uint32) {
	list := make([]Capability, len(any))
	for i, k := range any {
		if list[i] = Capability(k); n.capabilities[list[i]] {
			return
		}
	}
	n.list = append(n.list, need{instr: n.at, what: what, capabilities: list})
}

// operand adds what enumerants need.
func (n *needs) operand(in *Instr, o *Operand) {
	switch {
	case in.Op == OpCapability || in.Op == OpConditionalCapabilityINTEL:
		if e, ok := o.Kind.Find(o.Word()); ok && o.Kind.Name == "Capability" {
			n.since("capability "+e.Name, &e.Needs)
		}
	case o.Kind.Category == grammar.Value:
		if e, ok := o.Kind.Find(o.Word()); ok {
			n.of(o.Kind.Name+" "+e.Name, &e.Needs, true)
		}
	case o.Kind.Category == grammar.Bits:
		n.mask(o.Kind, o.Word())
	case o.Kind.Name == "IdMemorySemantics":
		if v, ok := n.constant(o.ID()); ok {
			n.mask(n.g.Kind("MemorySemantics"), uint32(v))
		}
	case o.Kind.Name == "IdScope":
		if v, ok := n.constant(o.ID()); ok && Scope(v) == ScopeDevice && n.model == MemoryModelVulkan {
			n.capability("scope Device of the Vulkan memory model", uint32(CapabilityVulkanMemoryModelDeviceScope))
		}
	}
}

// mask adds what the bits of a mask need.
func (n *needs) mask(k *grammar.Kind, value uint32) {
	for rest := value; rest != 0; rest &= rest - 1 {
		if e, ok := k.Find(1 << bits.TrailingZeros32(rest)); ok {
			n.of(k.Name+" "+e.Name, &e.Needs, true)
		}
	}
}

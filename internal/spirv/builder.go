package spirv

import (
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/spirv/grammar"
)

// Options say what a module is for.
type Options struct {
	Version Version // 0: 1.5, which Vulkan 1.2 and later take
	Vulkan  bool    // the Vulkan memory model, in place of GLSL450's
	Exact   bool    // no float operation may be contracted with another one: NoContraction on each
}

// section is a part of a module's layout, in the specification's order.
type section int

const (
	capabilitySection section = iota
	extensionSection
	importSection
	modelSection
	entrySection
	modeSection
	stringSection
	nameSection
	decorationSection
	globalSection // types, constants and variables
	functionSection
	sections
)

// Builder writes a module of compute kernels. Its methods add what they name to the section where it belongs; instructions go to the
// current block of the current function. The same calls make the same words. What a method cannot do is a bug of the caller, for which
// it panics; types of operands are for [Verify] to check.
type Builder struct {
	options  Options
	sections [sections][]uint32
	next     ID
	known    map[string]ID // types, constants and imports by their words
	declared map[string]bool
	types    map[ID]typeInfo
	values   map[ID]ID // the type of each value
	globals  map[ID]bool
	builtins map[BuiltIn]ID
	push     pushBlock
	modes    [][]uint32 // of all kernels
	kernels  []*function
	funcs    map[ID]*function
	f        *function
}

// New makes a builder of an empty module.
func New(o Options) *Builder {
	if o.Version == 0 {
		o.Version = V1_5
	}
	b := &Builder{
		options: o, next: 1, known: map[string]ID{}, declared: map[string]bool{}, types: map[ID]typeInfo{}, values: map[ID]ID{},
		globals: map[ID]bool{}, builtins: map[BuiltIn]ID{}, funcs: map[ID]*function{},
	}
	b.Capability(CapabilityShader)
	b.Capability(CapabilityPhysicalStorageBufferAddresses)
	model := MemoryModelGLSL450
	if o.Vulkan {
		b.Capability(CapabilityVulkanMemoryModel)
		b.Capability(CapabilityVulkanMemoryModelDeviceScope)
		model = MemoryModelVulkan
	}
	b.add(modelSection, OpMemoryModel, uint32(AddressingModelPhysicalStorageBuffer64), uint32(model))
	return b
}

// bug panics because of a wrong use of the builder.
func bug(format string, args ...any) { panic("BUG: spirv: " + fmt.Sprintf(format, args...)) }

// id gives a new ID.
func (b *Builder) id() ID {
	b.next++
	return b.next - 1
}

// write appends an instruction to words.
func write(to []uint32, op Op, words ...uint32) []uint32 {
	if len(words) >= 1<<16-1 {
		bug("%s has %d words, but an instruction has at most 65535", op, len(words)+1)
	}
	return append(append(to, uint32(len(words)+1)<<16|uint32(op)), words...)
}

func (b *Builder) add(s section, op Op, words ...uint32) {
	b.sections[s] = write(b.sections[s], op, words...)
}

// once adds an instruction whose operands say all of it, such as a type or a constant, or finds it. The result stands before the
// operand at.
func (b *Builder) once(s section, op Op, at int, words ...uint32) ID {
	key := string(Bytes(append([]uint32{uint32(op)}, words...)))
	if id, ok := b.known[key]; ok {
		return id
	}
	id := b.id()
	b.known[key] = id
	all := append(append(append([]uint32{}, words[:at]...), uint32(id)), words[at:]...)
	b.add(s, op, all...)
	return id
}

// Capability declares a capability. Those that instructions and types need are declared without it.
func (b *Builder) Capability(c Capability) {
	if key := fmt.Sprint("capability ", c); !b.declared[key] {
		b.declared[key] = true
		b.add(capabilitySection, OpCapability, uint32(c))
	}
}

// Extension declares an extension, "SPV_EXT_shader_atomic_float_add". Those that capabilities need are declared without it.
func (b *Builder) Extension(name string) {
	if key := "extension " + name; !b.declared[key] {
		b.declared[key] = true
		b.add(extensionSection, OpExtension, textWords(name)...)
	}
}

// Name gives something a name, for people who read the module.
func (b *Builder) Name(id ID, name string) {
	b.add(nameSection, OpName, append([]uint32{uint32(id)}, textWords(name)...)...)
}

// Decorate adds a decoration. It is written once for the same ID, decoration and parameters.
func (b *Builder) Decorate(id ID, d Decoration, params ...uint32) {
	if key := fmt.Sprint("decoration ", id, d, params); !b.declared[key] {
		b.declared[key] = true
		b.add(decorationSection, OpDecorate, append([]uint32{uint32(id), uint32(d)}, params...)...)
	}
}

// DecorateMember adds a decoration of a structure's member.
func (b *Builder) DecorateMember(id ID, member int, d Decoration, params ...uint32) {
	b.add(decorationSection, OpMemberDecorate, append([]uint32{uint32(id), uint32(member), uint32(d)}, params...)...)
}

// Finish gives the module, with the capabilities and extensions that it needs. Every function must have ended.
func (b *Builder) Finish() *Module {
	if b.f != nil {
		bug("Finish within a function")
	}
	b.entries()
	head := b.module(b.sections[:importSection]...)
	m := b.module(b.sections[:]...)
	before := len(head.Instrs)
	for missing := newContext(m).missing(); len(missing) > 0; missing = newContext(head).missing() {
		declared := len(b.declared)
		for _, need := range missing {
			need.declare(b)
		}
		if len(b.declared) == declared {
			break // Verify says what nothing provides
		}
		head = b.module(b.sections[:importSection]...)
	}
	m.Instrs = append(head.Instrs, m.Instrs[before:]...)
	m.tidy()
	return m
}

// tidy removes names and decorations of values that are not written, as nothing reaches them, and sets the places of instructions.
func (m *Module) tidy() {
	c := newContext(m)
	m.Instrs = slices.DeleteFunc(m.Instrs, func(in Instr) bool {
		return (in.Op == OpName || in.Op == OpDecorate) && c.op(in.Operands[0].ID()) == OpNop
	})
	at := 5
	for i := range m.Instrs {
		m.Instrs[i].At = at
		at += m.Instrs[i].size()
	}
}

// module gives the module of sections.
func (b *Builder) module(list ...[]uint32) *Module {
	words := []uint32{Magic, uint32(b.options.Version), 0, uint32(b.next), 0}
	for _, s := range list {
		words = append(words, s...)
	}
	m, err := ReadWords(words)
	if err != nil {
		bug("the module cannot be read: %v", err)
	}
	return m
}

// op gives the grammar's instruction.
func (o Op) op() *grammar.Op {
	op, ok := grammar.Get().Op(uint32(o))
	if !ok {
		bug("there is no instruction %d", o)
	}
	return op
}

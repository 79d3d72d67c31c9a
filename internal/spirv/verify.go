package spirv

import (
	"errors"
	"fmt"
	"strings"
)

// Error is a mistake in a module.
type Error struct {
	Index int    // of the instruction, from 0; -1 for a mistake that is of none
	Text  string // the instruction
	Msg   string
}

// Error gives the instruction and what is wrong.
func (e *Error) Error() string {
	if e.Index < 0 {
		return "SPIR-V module: " + e.Msg
	}
	return fmt.Sprintf("SPIR-V module: instruction %d, %s: %s", e.Index, e.Text, e.Msg)
}

// mistakes is how many Verify lists.
const mistakes = 10

// Verify reports what is wrong in a module of compute kernels for Vulkan 1.3: an [Error] for each mistake, joined, at most ten. The
// module is one that [Read] or [Builder.Finish] gives. What it checks is in the documentation of the package.
func Verify(m *Module) error {
	if m == nil {
		return &Error{Index: -1, Msg: "there is no module"}
	}
	v := &verifier{context: newContext(m), at: -1}
	for _, step := range []func(){v.ids, v.layout, v.declared, v.declarations, v.limits, v.decorations, v.bodies, v.entries} {
		if step(); v.found > 0 {
			break // what follows relies on it
		}
	}
	return errors.Join(v.errs...)
}

// verifier is the state of Verify.
type verifier struct {
	*context
	at        int // the instruction that is looked at
	functions []*body
	decorated map[ID][]*Instr       // OpDecorate by target
	members   map[memberOf][]*Instr // OpMemberDecorate by target
	forwards  map[ID]int            // where OpTypeForwardPointer announces a type of pointers
	blocks    map[ID]bool           // structures with decoration Block or BufferBlock
	limited   map[ID]bool           // types with numbers that the module may only have in memory
	printer   *printer
	errs      []error
	found     int // mistakes, also those that are not listed
}

// memberOf names a member of a structure.
type memberOf struct {
	structure ID
	member    uint32
}

// add notes a mistake at the current instruction.
func (v *verifier) add(format string, args ...any) {
	if v.found++; v.found > mistakes {
		return
	}
	e := &Error{Index: v.at, Msg: fmt.Sprintf(format, args...)}
	if v.at >= 0 {
		if v.printer == nil {
			v.printer = newPrinter(v.m)
		}
		e.Text = v.printer.line(&v.m.Instrs[v.at])
	}
	v.errs = append(v.errs, e)
}

// holds notes a mistake where a condition does not hold.
func (v *verifier) holds(ok bool, format string, args ...any) bool {
	if !ok {
		v.add(format, args...)
	}
	return ok
}

// each looks at every instruction.
func (v *verifier) each(f func(in *Instr)) {
	for v.at = range v.m.Instrs {
		f(&v.m.Instrs[v.at])
	}
	v.at = -1
}

// forward are the instructions that may name what is defined after them.
var forward = map[Op]bool{
	OpPhi: true, OpBranch: true, OpBranchConditional: true, OpSwitch: true, OpLoopMerge: true, OpSelectionMerge: true, OpFunctionCall: true,
	OpEntryPoint: true, OpExecutionMode: true, OpExecutionModeId: true, OpName: true, OpMemberName: true, OpDecorate: true, OpDecorateId: true,
	OpDecorateString: true, OpMemberDecorate: true, OpMemberDecorateString: true, OpGroupDecorate: true, OpGroupMemberDecorate: true,
	OpTypeForwardPointer: true, OpTypeStruct: true,
}

// ids checks that every ID is defined once, before what uses it.
func (v *verifier) ids() {
	v.each(func(in *Instr) {
		if in.Result != 0 {
			v.holds(v.place(in.Result) == v.at, "%%%d is defined a second time: instruction %d does, too", in.Result, v.place(in.Result))
		}
		v.defined(in, in.Type, false)
		if in.Type != 0 && v.found == 0 {
			v.holds(isType(v.op(in.Type)), "%%%d is %s, expected a type", in.Type, v.op(in.Type))
		}
		for i := range in.Operands {
			if o := &in.Operands[i]; o.IsID() {
				v.defined(in, o.ID(), forward[in.Op] && (in.Op != OpFunctionCall || i == 0))
				v.kind(in, o.ID())
			}
		}
	})
}

// noValues are the classes of instructions whose operands need not be values.
var noValues = map[string]bool{
	"Debug": true, "Annotation": true, "Mode-Setting": true, "Type-Declaration": true, "Control-Flow": true, "Function": true, "Extension": true,
	"Reserved": true, "@exclude": true, "Miscellaneous": true, "Group": true,
}

// namesFunctions are the instructions that may name a function.
var namesFunctions = map[Op]bool{
	OpFunctionCall: true, OpEntryPoint: true, OpExecutionMode: true, OpExecutionModeId: true, OpName: true, OpDecorate: true, OpDecorateId: true,
	OpDecorateString: true, OpGroupDecorate: true, OpExtInst: true,
}

// kind checks that an operand is a value where one is expected.
func (v *verifier) kind(in *Instr, id ID) {
	if d := v.def(id); d != nil && d.Op == OpFunction && !namesFunctions[in.Op] {
		v.add("%%%d is a function, expected a value", id)
	} else if d != nil && d.Op == OpTypeFunction && in.Op != OpFunction && !namesFunctions[in.Op] {
		v.add("%%%d is a type of functions, which only functions have", id)
	} else if d == nil || noValues[in.Op.op().Class] || in.Op == OpCooperativeMatrixLengthKHR {
		return
	} else if d.Type == 0 {
		v.add("%%%d is %s, expected a value", id, d.Op)
	}
}

// defined checks that an ID is defined, before the instruction unless that may name what follows.
func (v *verifier) defined(in *Instr, id ID, later bool) {
	if id == 0 {
		return
	}
	switch at := v.place(id); {
	case at < 0:
		v.add("%%%d is not defined", id)
	case at == v.at && in.Op != OpPhi:
		v.add("%%%d is defined by what uses it", id)
	case at > v.at && !later:
		v.add("%%%d is defined after its use, by instruction %d", id, at)
	}
}

// isType reports whether an instruction declares a type.
func isType(op Op) bool { return op.op().Class == "Type-Declaration" && op != OpTypeForwardPointer }

// declared checks that the module declares what it uses, and nothing that Vulkan does not have.
func (v *verifier) declared() {
	for _, n := range v.missing() {
		v.at = n.instr
		v.add("%s", n.String())
	}
	v.each(func(in *Instr) {
		if in.Op != OpCapability {
			return
		}
		for _, k := range ofKernels {
			v.holds(Capability(in.Operands[0].Word()) != k, "Vulkan has no capability %v", k)
		}
	})
	v.each(func(in *Instr) {
		if in.Op == OpExtInstImport {
			name := in.Operands[0].Text()
			v.holds(name == "GLSL.std.450" || strings.HasPrefix(name, "NonSemantic."), "Vulkan has no set of extended instructions %q", name)
		}
	})
	matrices := v.capabilities[CapabilityCooperativeMatrixKHR]
	v.holds(!matrices || v.capabilities[CapabilityVulkanMemoryModel], "capability CooperativeMatrixKHR needs capability VulkanMemoryModel")
	v.holds(v.capabilities[CapabilityShader], "capability Shader is missing")
	physical := v.addressing == AddressingModelPhysicalStorageBuffer64
	v.holds(physical || v.addressing == AddressingModelLogical, "Vulkan has no such addressing model, expected Logical or PhysicalStorageBuffer64")
	v.each(func(in *Instr) {
		pointer := in.Op == OpTypePointer && StorageClass(in.Operands[0].Word()) == StorageClassPhysicalStorageBuffer
		v.holds(physical || !pointer, "a pointer to PhysicalStorageBuffer needs the addressing model PhysicalStorageBuffer64")
	})
	v.holds(v.capabilities[CapabilityVulkanMemoryModel] == (v.model == MemoryModelVulkan), "capability VulkanMemoryModel and the memory model Vulkan go together")
}

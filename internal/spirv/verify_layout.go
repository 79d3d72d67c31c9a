package spirv

// body is a function with its instructions' places.
type body struct {
	id     ID
	first  int // OpFunction
	params []int
	blocks []*block
	last   int // OpFunctionEnd
}

// block is a basic block.
type block struct {
	label       ID
	first, last int // OpLabel, and the instruction that ends it
	merge       int // OpSelectionMerge or OpLoopMerge, -1 if there is none
	order       int // in the function
}

// places are the sections of instructions that stand outside of functions, in the specification's order. The other ones are types,
// constants and variables, or instructions of functions.
var places = map[Op]int{
	OpCapability: 1, OpExtension: 2, OpExtInstImport: 3, OpMemoryModel: 4, OpEntryPoint: 5, OpExecutionMode: 6, OpExecutionModeId: 6,
	OpString: 7, OpSourceExtension: 7, OpSource: 7, OpSourceContinued: 7, OpName: 8, OpMemberName: 8, OpModuleProcessed: 9,
	OpDecorate: 10, OpMemberDecorate: 10, OpDecorationGroup: 10, OpGroupDecorate: 10, OpGroupMemberDecorate: 10, OpDecorateId: 10,
	OpDecorateString: 10, OpMemberDecorateString: 10,
}

// placeOfGlobals is the section of types, constants and variables; functions follow.
const placeOfGlobals = 11

// terminators are the instructions that end a block.
var terminators = map[Op]bool{
	OpBranch: true, OpBranchConditional: true, OpSwitch: true, OpReturn: true, OpReturnValue: true, OpKill: true, OpUnreachable: true,
	OpTerminateInvocation: true, OpIgnoreIntersectionKHR: true, OpTerminateRayKHR: true, OpEmitMeshTasksEXT: true, OpAbortKHR: true,
}

// ofGlobals reports whether an instruction stands among types, constants and variables.
func ofGlobals(in *Instr) bool {
	switch in.Op {
	case OpVariable:
		return StorageClass(in.Operands[0].Word()) != StorageClassFunction
	case OpUndef, OpLine, OpNoLine, OpTypeForwardPointer, OpExtInst:
		return true
	}
	class := in.Op.op().Class
	return class == "Type-Declaration" || class == "Constant-Creation"
}

// layout checks the order of sections, and of instructions in functions.
func (v *verifier) layout() {
	place, models, entries := 0, 0, 0
	var f *body
	v.each(func(in *Instr) {
		switch in.Op {
		case OpMemoryModel:
			models++
		case OpEntryPoint:
			entries++
		}
		if f == nil && in.Op != OpFunction {
			p, ok := places[in.Op]
			if !ok {
				p = placeOfGlobals
				v.holds(ofGlobals(in), "the instruction stands outside of functions")
			}
			line := in.Op == OpLine || in.Op == OpNoLine
			v.holds(p >= place && (len(v.functions) == 0 || line), "the instruction stands after a later section of the module")
			place = max(place, p)
			return
		}
		f = v.inFunction(f, in)
	})
	v.holds(f == nil, "the last function has no OpFunctionEnd")
	v.holds(models == 1, "the module has %d memory models, expected one", models)
	v.holds(entries > 0, "the module has no entry point")
}

// inFunction adds an instruction to the function that is read, and gives the function that goes on.
func (v *verifier) inFunction(f *body, in *Instr) *body {
	var open *block // that has not ended
	if f != nil && len(f.blocks) > 0 && f.blocks[len(f.blocks)-1].last < 0 {
		open = f.blocks[len(f.blocks)-1]
	}
	switch {
	case in.Op == OpFunction:
		v.holds(f == nil, "a function begins within a function")
		return &body{id: in.Result, first: v.at}
	case in.Op == OpFunctionEnd:
		v.holds(open == nil, "the last block has no end")
		v.holds(len(f.blocks) > 0, "the function has no block")
		f.last = v.at
		v.functions = append(v.functions, f)
		return nil
	case in.Op == OpFunctionParameter:
		v.holds(len(f.blocks) == 0, "a parameter stands after the first block began")
		f.params = append(f.params, v.at)
	case in.Op == OpLabel:
		v.holds(open == nil, "the block before has no end")
		f.blocks = append(f.blocks, &block{label: in.Result, first: v.at, last: -1, merge: -1, order: len(f.blocks)})
	case in.Op == OpLine || in.Op == OpNoLine:
	case open == nil:
		v.add("the instruction stands in no block")
	case terminators[in.Op]:
		open.last = v.at
		v.holds(open.merge < 0 || open.merge == v.at-1, "the block's merge instruction does not stand right before its end")
	default:
		v.inBlock(open, in, len(f.blocks) == 1)
	}
	return f
}

// inBlock checks where an instruction stands in its block.
func (v *verifier) inBlock(b *block, in *Instr, first bool) {
	v.holds(b.merge < 0, "expected the block's end after its merge instruction")
	before := v.at - 1
	for before > b.first && (v.m.Instrs[before].Op == OpLine || v.m.Instrs[before].Op == OpNoLine) {
		before--
	}
	switch in.Op {
	case OpSelectionMerge, OpLoopMerge:
		b.merge = v.at
	case OpPhi:
		v.holds(before == b.first || v.m.Instrs[before].Op == OpPhi, "a phi stands after another instruction of its block")
	case OpVariable:
		v.holds(first && (before == b.first || v.m.Instrs[before].Op == OpVariable), "a variable of a function stands first in its first block")
	case OpUndef:
	default:
		if _, ok := places[in.Op]; ok || in.Op.op().Class == "Type-Declaration" || in.Op.op().Class == "Constant-Creation" {
			v.add("the instruction stands in a function")
		}
	}
}

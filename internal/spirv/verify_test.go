package spirv_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// edit changes a module by hand.
type edit struct {
	*testing.T
	m *spirv.Module
}

// at gives the n-th instruction of a code, from 0; negative numbers count from the end.
func (e edit) at(op spirv.Op, n int) *spirv.Instr {
	var list []*spirv.Instr
	for i := range e.m.Instrs {
		if e.m.Instrs[i].Op == op {
			list = append(list, &e.m.Instrs[i])
		}
	}
	if n < 0 {
		n += len(list)
	}
	if n < 0 || n >= len(list) {
		e.Fatalf("there are %d of %s", len(list), op)
	}
	in := list[n]
	in.Operands = slices.Clone(in.Operands)
	for i := range in.Operands {
		in.Operands[i].Words = slices.Clone(in.Operands[i].Words)
	}
	return in
}

// set sets an operand's first word.
func (e edit) set(op spirv.Op, n, operand int, word uint32) {
	e.at(op, n).Operands[operand].Words[0] = word
}

// drop removes an instruction.
func (e edit) drop(op spirv.Op, n int) {
	in := e.at(op, n)
	i := slices.IndexFunc(e.m.Instrs, func(x spirv.Instr) bool { return x.At == in.At && x.Op == in.Op })
	e.m.Instrs = slices.Delete(e.m.Instrs, i, i+1)
}

// wrong are modules of samples with a mistake, and what Verify says of it.
var wrong = []struct {
	sample string
	change func(e edit)
	want   []string
}{
	{"add", func(e edit) { e.drop(spirv.OpMemoryModel, 0) }, []string{"SPIR-V module: the module has 0 memory models, expected one"}},
	{"add", func(e edit) { e.drop(spirv.OpEntryPoint, 0) }, []string{"the module has no entry point"}},
	{"add", func(e edit) { e.drop(spirv.OpFunctionEnd, 0) }, []string{"the last function has no OpFunctionEnd"}},
	{"add", func(e edit) { e.drop(spirv.OpReturn, 0) }, []string{"OpFunctionEnd: the last block has no end"}},
	{"add", func(e edit) { e.drop(spirv.OpLabel, 1) }, []string{"is not defined"}},
	{"add", func(e edit) {
		e.m.Instrs[0], e.m.Instrs[len(e.m.Instrs)-1] = e.m.Instrs[len(e.m.Instrs)-1], e.m.Instrs[0]
	}, []string{"stands outside of functions"}},
	{"add", func(e edit) { a, b := e.at(spirv.OpCapability, 0), e.at(spirv.OpMemoryModel, 0); *a, *b = *b, *a }, []string{"instruction", "OpCapability", "stands after a later section of the module"}},
	{"add", func(e edit) { e.at(spirv.OpIAdd, 0).Result = e.at(spirv.OpIMul, 0).Result }, []string{"is defined a second time"}},
	{"add", func(e edit) { e.set(spirv.OpIAdd, 0, 0, uint32(e.at(spirv.OpIAdd, 0).Result)) }, []string{"is defined by what uses it"}},
	{"add", func(e edit) { e.set(spirv.OpIMul, 0, 0, uint32(e.at(spirv.OpFMul, 0).Result)) }, []string{"is defined after its use, by instruction"}},
	{"add", func(e edit) { e.set(spirv.OpFAdd, 0, 0, uint32(e.at(spirv.OpIMul, 0).Result)) }, []string{"OpFAdd", "operand 1, %", "has type %", "expected the type of the result"}},
	{"add", func(e edit) { e.at(spirv.OpFAdd, 0).Type = e.at(spirv.OpTypeBool, 0).Result }, []string{"the result has type %", "expected float"}},
	{"add", func(e edit) { e.drop(spirv.OpCapability, 2) }, []string{" needs capability "}},
	{"add", func(e edit) { e.set(spirv.OpCapability, 2, 0, uint32(spirv.CapabilityKernel)) }, []string{"Vulkan has no capability Kernel"}},
	{"atomics", func(e edit) { e.drop(spirv.OpExtension, 0) }, []string{" needs extension SPV_EXT_shader_atomic_float"}},
	{"add", func(e edit) { e.drop(spirv.OpDecorate, 0) }, []string{"the variable is of OpTypeStruct, expected a structure with decoration Block"}},
	{"add", func(e edit) { e.drop(spirv.OpMemberDecorate, 2) }, []string{"member 2 has no Offset"}},
	{"add", func(e edit) { e.set(spirv.OpMemberDecorate, 1, 3, 4) }, []string{"member 1 has Offset 4, expected a multiple of 8"}},
	{"add", func(e edit) { e.set(spirv.OpMemberDecorate, 3, 3, 16) }, []string{"members 2 and 3 overlap"}},
	{"add", func(e edit) { e.drop(spirv.OpSelectionMerge, 0) }, []string{"OpBranchConditional", "expected OpSelectionMerge before it"}},
	{"add", func(e edit) { e.drop(spirv.OpExecutionMode, 0) }, []string{"the kernel has 0 sizes of its workgroups, expected one"}},
	{"add", func(e edit) { e.set(spirv.OpExecutionMode, 0, 3, 0) }, []string{"a workgroup has the size 0"}},
	{"add", func(e edit) { e.at(spirv.OpEntryPoint, 0).Operands = e.at(spirv.OpEntryPoint, 0).Operands[:4] }, []string{"is used, but not in the interface"}},
	{"add", func(e edit) { e.set(spirv.OpEntryPoint, 0, 0, uint32(spirv.ExecutionModelVertex)) }, []string{"the entry point is no compute kernel"}},
	{"add", func(e edit) { e.set(spirv.OpStore, 0, 3, 3) }, []string{"the alignment is 3, expected a power of two"}},
	{"add", func(e edit) { e.set(spirv.OpStore, 0, 3, 2) }, []string{"the alignment is 2, expected at least 4"}},
	{"add", func(e edit) { in := e.at(spirv.OpStore, 0); in.Operands = in.Operands[:2] }, []string{"says its alignment by Aligned"}},
	{"sum", func(e edit) { e.drop(spirv.OpLoopMerge, 0) }, []string{"which is the header of no loop"}},
	{"sum", func(e edit) { e.set(spirv.OpPhi, 0, 1, e.at(spirv.OpPhi, 0).Operands[3].Word()) }, []string{"has a second value", "the phi has no value for it"}},
	{"sum", func(e edit) { in := e.at(spirv.OpPhi, 0); in.Operands = in.Operands[:2] }, []string{"leads here, but the phi has no value for it"}},
	{"sum", func(e edit) { e.set(spirv.OpLoopMerge, 0, 1, e.at(spirv.OpLoopMerge, 0).Operands[0].Word()) }, []string{"the continue target is the merge block"}},
	{"sum", func(e edit) { e.set(spirv.OpControlBarrier, 0, 2, e.at(spirv.OpControlBarrier, 0).Operands[0].Word()) }, []string{"name an order, but no memory"}},
	{"sum", func(e edit) {
		e.set(spirv.OpGroupNonUniformShuffleXor, 0, 1, e.at(spirv.OpGroupNonUniformShuffleXor, 0).Operands[2].Word())
	}, []string{"an operand has type %", "expected the type of the result"}},
	{"product", func(e edit) {
		v := e.at(spirv.OpVariable, -1)
		*v, e.m.Instrs[len(e.m.Instrs)-2] = e.m.Instrs[len(e.m.Instrs)-2], *v
	}, []string{"is defined after its use"}},
	{"product", func(e edit) { e.set(spirv.OpCompositeExtract, 0, 1, 9) }, []string{"has no part 9"}},
	{"functions", func(e edit) { in := e.at(spirv.OpFunctionCall, 0); in.Operands = in.Operands[:1] }, []string{"0 arguments, expected 1"}},
	{"functions", func(e edit) { e.set(spirv.OpFunctionCall, 0, 0, uint32(e.at(spirv.OpFunction, 1).Result)) }, []string{"arguments, expected"}},
	{"functions", func(e edit) {
		e.at(spirv.OpReturnValue, 0).Operands = nil
		e.at(spirv.OpReturnValue, 0).Op = spirv.OpReturn
	}, []string{"the function has a result: expected OpReturnValue"}},
	{"atomics", func(e edit) { e.at(spirv.OpAtomicIAdd, 0).Type = e.at(spirv.OpTypeFloat, 0).Result }, []string{"OpAtomicIAdd", "the result has type %", "but the pointer leads to %"}},
	{"parts", func(e edit) { e.at(spirv.OpLoad, -1).Type = e.at(spirv.OpTypeBool, 0).Result }, []string{"the pointer leads to %", "but the result has type %"}},
}

// TestWrong: what is wrong in a module is said, with the instruction.
func TestWrong(t *testing.T) {
	for _, w := range wrong {
		i := slices.IndexFunc(samples(), func(s sample) bool { return s.name == w.sample })
		m := samples()[i].build()
		w.change(edit{t, m})
		err := spirv.Verify(m)
		var first *spirv.Error
		if !errors.As(err, &first) {
			t.Errorf("%s, expected %q: %v", w.sample, w.want, err)
			continue
		}
		for _, text := range w.want {
			if !strings.Contains(err.Error(), text) {
				t.Errorf("%s: %v, expected %q", w.sample, err, text)
			}
		}
	}
}

// TestManyMistakes: ten are listed.
func TestManyMistakes(t *testing.T) {
	m := smallest()
	for i := range m.Instrs {
		m.Instrs[i].Result = 1
	}
	err, ok := spirv.Verify(m).(interface{ Unwrap() []error })
	if !ok || len(err.Unwrap()) > 10 {
		t.Fatal(err)
	}
	if spirv.Verify(nil) == nil {
		t.Error("no module is a module")
	}
}

// TestDeep: constructs within each other and one after the other are verified up to the limits, in time with their number.
func TestDeep(t *testing.T) {
	testenv.Alone(t)
	loops := func(b *spirv.Builder, inner func()) {
		b.Loop(nil, func(l *spirv.Loop, _ []ID) []ID { inner(); l.Break(); return nil })
	}
	ifs := func(b *spirv.Builder, inner func()) { b.If(b.ConstBool(true), one(inner), one(func() {})) }
	for _, c := range []struct {
		construct func(b *spirv.Builder, inner func())
		depth, n  int // how many within each other, and how often
		want      string
	}{
		{loops, 1000, 1, ""}, {loops, 1100, 1, "more than 1023 constructs are nested"}, {ifs, 1000, 1, ""}, {ifs, 1100, 1, "more than 1023 constructs are nested"},
		{loops, 1, 10000, ""}, {ifs, 1, 20000, ""}, {ifs, 1, 25000, "the function has 75001 blocks, expected at most 65536"},
	} {
		b := spirv.New(spirv.Options{})
		b.Kernel("deep", 1, 1, 1)
		for range c.n {
			nest := func() {}
			for range c.depth {
				inner := nest
				nest = func() { c.construct(b, inner) }
			}
			nest()
		}
		b.End()
		if err := spirv.Verify(b.Finish()); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d in %d: %v, expected %q", c.n, c.depth, err, c.want)
		}
	}
}

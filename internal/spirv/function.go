package spirv

import (
	"maps"
	"slices"
)

// function is a function that is being written, or was.
type function struct {
	id     ID
	name   string // of a kernel
	size   [3]uint32
	head   []uint32 // OpFunction, parameters and the first label
	vars   []uint32 // which must stand first in the first block
	body   []uint32
	block  ID // the current one; 0 where code cannot be reached
	loops  []*Loop
	uses   map[ID]bool // globals
	calls  map[ID]bool
	result ID // its type

	line, written position
}

// position is a place in a source.
type position struct {
	file   ID
	line   uint32
	column uint32
}

// Mode asks for a mode of all kernels, such as MaximallyReconvergesKHR, once for the same operands. The device must have it.
func (b *Builder) Mode(mode ExecutionMode, operands ...uint32) {
	words := append([]uint32{uint32(mode)}, operands...)
	if !slices.ContainsFunc(b.modes, func(m []uint32) bool { return slices.Equal(m, words) }) {
		b.modes = append(b.modes, words)
	}
}

// FloatMode is [Builder.Mode] for floats of a width: DenormPreserve, DenormFlushToZero, SignedZeroInfNanPreserve, RoundingModeRTE,
// RoundingModeRTZ.
func (b *Builder) FloatMode(mode ExecutionMode, width int) { b.Mode(mode, uint32(width)) }

// Kernel begins a kernel with the size of its workgroups. It ends with [Builder.End].
func (b *Builder) Kernel(name string, x, y, z int) ID {
	f := b.begin(b.Void())
	f.name, f.size = name, [3]uint32{uint32(x), uint32(y), uint32(z)}
	b.kernels = append(b.kernels, f)
	b.Name(f.id, name)
	b.start()
	return f.id
}

// Function begins a function that kernels and other functions may call, and gives its parameters. It ends with [Builder.End].
func (b *Builder) Function(name string, result ID, params ...ID) (id ID, values []ID) {
	f := b.begin(result, params...)
	b.Name(f.id, name)
	for _, t := range params {
		p := b.id()
		b.values[p] = t
		f.head = write(f.head, OpFunctionParameter, uint32(t), uint32(p))
		values = append(values, p)
	}
	b.start()
	return f.id, values
}

func (b *Builder) begin(result ID, params ...ID) *function {
	if b.f != nil {
		bug("a function within a function")
	}
	f := &function{id: b.id(), uses: map[ID]bool{}, calls: map[ID]bool{}, result: result}
	f.head = write(nil, OpFunction, uint32(result), uint32(f.id), uint32(FunctionControlNone), uint32(b.FunctionType(result, params...)))
	b.f, b.funcs[f.id] = f, f
	return f
}

func (b *Builder) start() {
	b.f.block = b.id()
	b.f.head = write(b.f.head, OpLabel, uint32(b.f.block))
}

// End ends the function; a kernel returns where its code can be reached.
func (b *Builder) End() {
	f := b.f
	switch {
	case f == nil:
		bug("End outside of a function")
	case len(f.loops) > 0:
		bug("End within a loop")
	case f.block == 0:
	case f.result == b.Void():
		b.Return()
	default:
		bug("a function with a result ends without Return")
	}
	s := &b.sections[functionSection]
	*s = append(append(append(*s, f.head...), f.vars...), f.body...)
	*s = write(*s, OpFunctionEnd)
	b.f = nil
}

// Return ends the current block and the function, with the result of functions that have one.
func (b *Builder) Return(value ...ID) {
	if len(value) > 0 {
		b.terminate(OpReturnValue, uint32(value[0]))
		return
	}
	b.terminate(OpReturn)
}

// Call calls a function.
func (b *Builder) Call(function ID, args ...ID) ID {
	f, ok := b.funcs[function]
	if !ok {
		bug("%%%d is no function", function)
	}
	b.f.calls[function] = true
	return b.Op(OpFunctionCall, f.result, append([]ID{function}, args...)...)
}

// Local adds a variable of the function and gives its pointer. It has no value until it is stored to.
func (b *Builder) Local(t ID) ID {
	id, p := b.id(), b.Pointer(StorageClassFunction, t)
	b.f.vars = write(b.f.vars, OpVariable, uint32(p), uint32(id), uint32(StorageClassFunction))
	b.values[id] = p
	return id
}

// Line says where in a source the following instructions come from; line 0 says that nothing is known.
func (b *Builder) Line(file string, line, column int) {
	b.f.line = position{}
	if line > 0 {
		b.f.line = position{b.once(stringSection, OpString, 0, textWords(file)...), uint32(line), uint32(column)}
	}
}

// entries writes the kernels' entry points and modes. The interface of an entry point has the globals that it and what it calls use.
func (b *Builder) entries() {
	b.sections[entrySection], b.sections[modeSection] = nil, nil
	for _, k := range b.kernels {
		uses, seen := map[ID]bool{}, map[ID]bool{}
		var visit func(*function)
		visit = func(f *function) {
			if seen[f.id] {
				return
			}
			seen[f.id] = true
			maps.Copy(uses, f.uses)
			for id := range f.calls {
				visit(b.funcs[id])
			}
		}
		visit(k)
		words := append([]uint32{uint32(ExecutionModelGLCompute), uint32(k.id)}, textWords(k.name)...)
		for _, id := range slices.Sorted(maps.Keys(uses)) {
			if b.options.Version >= 0x10400 || b.types[b.values[id]].words[0] == uint32(StorageClassInput) {
				words = append(words, uint32(id))
			}
		}
		b.add(entrySection, OpEntryPoint, words...)
		b.add(modeSection, OpExecutionMode, uint32(k.id), uint32(ExecutionModeLocalSize), k.size[0], k.size[1], k.size[2])
		for _, m := range b.modes {
			b.add(modeSection, OpExecutionMode, append([]uint32{uint32(k.id)}, m...)...)
		}
	}
}

package spirv

import "fmt"

// used is what a function names: variables of the module, and the functions that it calls.
type used struct {
	variables []ID
	calls     []ID
}

// entries checks entry points, their interfaces and their modes.
func (v *verifier) entries() {
	uses := v.uses()
	v.recursion(uses)
	names, kernels := map[string]bool{}, map[ID]int{}
	v.each(func(in *Instr) {
		if in.Op != OpEntryPoint {
			return
		}
		model, f := ExecutionModel(in.Operands[0].Word()), v.def(in.Operands[1].ID())
		v.holds(model == ExecutionModelGLCompute, "the entry point is no compute kernel")
		if !v.holds(f.Op == OpFunction, "%%%d is no function", in.Operands[1].ID()) {
			return
		}
		kernels[f.Result]++
		t := v.def(f.Operands[1].ID())
		v.holds(v.op(f.Type) == OpTypeVoid && len(t.Operands) == 1, "a kernel has no parameters and no result")
		name := in.Operands[2].Text()
		v.holds(!names[name], "there is another entry point %q", name)
		names[name] = true
		if v.found == 0 {
			v.interfaces(in, uses)
		}
	})
	for _, f := range v.functions {
		for _, f := range uses[f.id].calls {
			v.holds(kernels[f] == 0, "%%%d is an entry point, which nothing calls", f)
		}
	}
	if v.found == 0 {
		v.modes(kernels)
	}
}

// uses collects what functions use.
func (v *verifier) uses() map[ID]*used {
	all := map[ID]*used{}
	for _, f := range v.functions {
		u, seen := &used{}, map[ID]bool{}
		all[f.id] = u
		for at := f.first; at <= f.last; at++ {
			in := &v.m.Instrs[at]
			for _, o := range in.Operands {
				if !o.IsID() || seen[o.ID()] {
					continue
				}
				seen[o.ID()] = true
				switch d := v.def(o.ID()); {
				case d.Op == OpVariable && StorageClass(d.Operands[0].Word()) != StorageClassFunction:
					u.variables = append(u.variables, o.ID())
				case in.Op == OpFunctionCall && d.Op == OpFunction:
					u.calls = append(u.calls, o.ID())
				}
			}
		}
	}
	return all
}

// recursion refuses functions that call themselves, also by others.
func (v *verifier) recursion(uses map[ID]*used) {
	callers := map[ID]int{} // that are left
	for _, u := range uses {
		for _, f := range u.calls {
			callers[f]++
		}
	}
	var free []ID
	for id := range uses {
		if callers[id] == 0 {
			free = append(free, id)
		}
	}
	done := 0
	for ; len(free) > 0; done++ {
		u := uses[free[len(free)-1]]
		free = free[:len(free)-1]
		for _, f := range u.calls {
			if callers[f]--; callers[f] == 0 {
				free = append(free, f)
			}
		}
	}
	v.holds(done == len(uses), "a function calls itself, perhaps by others")
}

// interfaces checks that the interface of an entry point has every variable that its code uses, and nothing twice.
func (v *verifier) interfaces(in *Instr, uses map[ID]*used) {
	listed, builtins, pushes := map[ID]bool{}, map[BuiltIn]bool{}, 0
	for _, o := range in.Operands[3:] {
		id := o.ID()
		d := v.def(id)
		if !v.holds(d.Op == OpVariable, "%%%d is %s, expected a variable", id, d.Op) {
			continue
		}
		class := StorageClass(d.Operands[0].Word())
		v.holds(class != StorageClassFunction, "%%%d is a variable of a function", id)
		v.holds(v.m.Version >= 0x10400 || class == StorageClassInput || class == StorageClassOutput, "%%%d is neither input nor output, which alone are in the interface before SPIR-V 1.4", id)
		v.holds(!listed[id], "%%%d is there a second time", id)
		listed[id] = true
		if d := v.decoration(id, DecorationBuiltIn); d != nil {
			b := BuiltIn(d.Operands[2].Word())
			v.holds(!builtins[b], "%%%d is a second variable for the same built-in", id)
			builtins[b] = true
		}
	}
	seen := map[ID]bool{in.Operands[1].ID(): true}
	for todo := []ID{in.Operands[1].ID()}; len(todo) > 0; {
		u := uses[todo[0]]
		todo = todo[1:]
		for _, id := range u.variables {
			class := StorageClass(v.def(id).Operands[0].Word())
			if class == StorageClassPushConstant && !seen[id] {
				pushes++
			}
			seen[id] = true
			io := class == StorageClassInput || class == StorageClassOutput
			v.holds(listed[id] || v.m.Version < 0x10400 && !io, "%%%d is used, but not in the interface", id)
		}
		for _, f := range u.calls {
			if !seen[f] {
				seen[f] = true
				todo = append(todo, f)
			}
		}
	}
	v.holds(pushes <= 1, "%d blocks of push constants are used, expected at most one", pushes)
}

// computeModes are the modes of compute kernels.
var computeModes = map[ExecutionMode]bool{
	ExecutionModeLocalSize: true, ExecutionModeLocalSizeId: true, ExecutionModeDenormPreserve: true, ExecutionModeDenormFlushToZero: true,
	ExecutionModeRoundingModeRTE: true, ExecutionModeRoundingModeRTZ: true, ExecutionModeSignedZeroInfNanPreserve: true,
	ExecutionModeFPFastMathDefault: true, ExecutionModeSubgroupUniformControlFlowKHR: true, ExecutionModeMaximallyReconvergesKHR: true,
}

// exclusive are the modes of which a width of floats has at most one.
var exclusive = map[ExecutionMode]string{
	ExecutionModeDenormPreserve: "denormal numbers", ExecutionModeDenormFlushToZero: "denormal numbers",
	ExecutionModeRoundingModeRTE: "rounding", ExecutionModeRoundingModeRTZ: "rounding",
}

// modes checks execution modes: each kernel has one size of its workgroups.
func (v *verifier) modes(kernels map[ID]int) {
	sizes, chosen, seen := map[ID]int{}, map[string]ExecutionMode{}, map[string]bool{}
	sized := false // by a constant
	v.each(func(in *Instr) {
		if in.Op == OpDecorate && Decoration(in.Operands[1].Word()) == DecorationBuiltIn && BuiltIn(in.Operands[2].Word()) == BuiltInWorkgroupSize {
			sized = true
		}
		if in.Op != OpExecutionMode && in.Op != OpExecutionModeId {
			return
		}
		f, mode := in.Operands[0].ID(), ExecutionMode(in.Operands[1].Word())
		v.holds(kernels[f] > 0, "%%%d is no entry point", f)
		v.holds(computeModes[mode], "compute kernels have no such mode")
		words := string(Bytes(in.words(nil)))
		v.holds(!seen[words], "the mode is there a second time")
		seen[words] = true
		switch mode {
		case ExecutionModeLocalSize, ExecutionModeLocalSizeId:
			sizes[f]++
			for _, o := range in.Operands[2:] {
				n := uint64(o.Word())
				if o.IsID() {
					var ok bool
					if n, ok = v.constant(o.ID()); !ok {
						n = 1
						v.holds(v.isConstant(o.ID(), true), "%%%d is no constant", o.ID())
					}
				}
				v.holds(n > 0, "a workgroup has the size 0")
			}
			v.holds((mode == ExecutionModeLocalSizeId) == (in.Op == OpExecutionModeId), "LocalSize goes with OpExecutionMode, and LocalSizeId with OpExecutionModeId")
		case ExecutionModeDenormPreserve, ExecutionModeDenormFlushToZero, ExecutionModeRoundingModeRTE, ExecutionModeRoundingModeRTZ, ExecutionModeSignedZeroInfNanPreserve:
			w := in.Operands[2].Word()
			v.holds(w == 16 || w == 32 || w == 64, "floats of %d bits, expected 16, 32 or 64", w)
			if what := exclusive[mode]; what != "" {
				key := fmt.Sprint(f, what, w)
				old, ok := chosen[key]
				v.holds(!ok || old == mode, "the kernel has another mode of %s for %d bits", what, w)
				chosen[key] = mode
			}
		}
	})
	v.each(func(in *Instr) {
		if in.Op == OpEntryPoint {
			n := sizes[in.Operands[1].ID()]
			v.holds(n == 1 || n == 0 && sized, "the kernel has %d sizes of its workgroups, expected one", n)
		}
	})
}

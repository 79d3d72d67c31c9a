package spirv

// flow is the control flow of a function that is looked at.
type flow struct {
	*verifier
	f       *body
	numbers map[ID]int // of blocks by label
	plain   *graph     // as code runs
	full    *graph     // with edges from headers to their merge blocks and continue targets, too: the structure of the code
	owners  map[int]int
	inner   map[int]*construct // the innermost one of a block

	constructs []*construct
}

// bodies checks the functions.
func (v *verifier) bodies() {
	for _, f := range v.functions {
		v.function(f)
		fl := &flow{verifier: v, f: f, numbers: map[ID]int{}, owners: map[int]int{}, inner: map[int]*construct{}}
		if before := v.found; fl.graphs() {
			fl.structure()
			if v.found == before {
				fl.instructions()
			}
		}
		v.at = -1
	}
}

// function checks a function's type against its parameters.
func (v *verifier) function(f *body) {
	v.at = f.first
	in := &v.m.Instrs[f.first]
	t := v.def(in.Operands[1].ID())
	if !v.holds(t.Op == OpTypeFunction, "the type of the function is %s, expected OpTypeFunction", t.Op) {
		return
	}
	v.holds(t.Operands[0].ID() == in.Type, "the function gives %%%d, but its type says %%%d", in.Type, t.Operands[0].ID())
	if !v.holds(len(f.params) == len(t.Operands)-1, "the function has %d parameters, but its type says %d", len(f.params), len(t.Operands)-1) {
		return
	}
	for i, p := range f.params {
		v.at = p
		got, want := v.m.Instrs[p].Type, t.Operands[1+i].ID()
		v.holds(got == want, "the parameter has type %%%d, but the function's type says %%%d", got, want)
	}
}

// targets gives the labels that an instruction at a block's end leads to.
func targets(in *Instr) []ID {
	var ids []ID
	for i, o := range in.Operands {
		switch {
		case !o.IsID(), in.Op == OpReturnValue, in.Op == OpEmitMeshTasksEXT, in.Op == OpAbortKHR:
		case i == 0 && in.Op != OpBranch: // the condition or selector
		default:
			ids = append(ids, o.ID())
		}
	}
	return ids
}

// graphs makes both graphs, and reports whether every target is a block.
func (v *flow) graphs() bool {
	for i, b := range v.f.blocks {
		v.numbers[b.label] = i
	}
	if v.at = v.f.first; !v.holds(len(v.f.blocks) <= maxBlocks, "the function has %d blocks, expected at most %d", len(v.f.blocks), maxBlocks) {
		return false
	}
	before := v.found
	plain, full := make([][]int, len(v.f.blocks)), make([][]int, len(v.f.blocks))
	for i, b := range v.f.blocks {
		v.at = b.last
		plain[i] = v.blocks(targets(&v.m.Instrs[b.last]))
		full[i] = plain[i]
		if b.merge >= 0 {
			v.at = b.merge
			in := &v.m.Instrs[b.merge]
			ids := []ID{in.Operands[0].ID()}
			if in.Op == OpLoopMerge {
				ids = append(ids, in.Operands[1].ID())
			}
			full[i] = append(append([]int{}, plain[i]...), v.blocks(ids)...)
		}
	}
	if v.found > before {
		return false
	}
	v.plain, v.full = newGraph(plain), newGraph(full)
	return true
}

// blocks gives the numbers of labels. A block that is named twice is there once.
func (v *flow) blocks(ids []ID) []int {
	var list []int
	seen := map[int]bool{}
	for _, id := range ids {
		n, ok := v.numbers[id]
		switch {
		case !ok:
			v.add("%%%d is no block of this function", id)
		case n == 0:
			v.add("the first block is nobody's target")
		case !seen[n]:
			seen[n] = true
			list = append(list, n)
		}
	}
	return list
}

// instructions checks the instructions of the function, where their operands come from and what they are.
func (v *flow) instructions() {
	where := make([]int, v.f.last-v.f.first) // the block of an instruction, by its place in the function
	for i, b := range v.f.blocks {
		for at := b.first; at <= b.last; at++ {
			where[at-v.f.first] = i
		}
	}
	for i, b := range v.f.blocks {
		for v.at = b.first; v.at <= b.last; v.at++ {
			in := &v.m.Instrs[v.at]
			if in.Op == OpPhi {
				v.phi(in, i, where)
				continue
			}
			for j := range in.Operands {
				if o := &in.Operands[j]; o.IsID() && v.op(o.ID()) != OpLabel {
					v.available(o.ID(), i, where)
					v.logical(in, o.ID())
				}
			}
			v.logicalResult(in)
			v.instr(in)
		}
	}
}

// available checks that a value is there in a block: its own function has it, on every way to the block.
func (v *flow) available(id ID, block int, where []int) {
	at := v.place(id)
	if op := v.m.Instrs[at].Op; at < v.functions[0].first || op == OpFunction || op == OpUndef || at > v.f.first && at < v.f.blocks[0].first {
		return // of the module, or a parameter
	}
	if !v.holds(at > v.f.first && at < v.f.last, "%%%d belongs to another function", id) {
		return
	}
	switch from := where[at-v.f.first]; {
	case from == block || !v.plain.reached(block):
	case !v.plain.reached(from) || !v.plain.dominates(from, block):
		v.add("%%%d does not exist on every way to here", id)
	}
}

// phi checks that a phi has one value of its type for each way into its block.
func (v *flow) phi(in *Instr, block int, where []int) {
	seen := map[int]bool{}
	for i := 0; i+1 < len(in.Operands); i += 2 {
		value, from := in.Operands[i].ID(), in.Operands[i+1].ID()
		n, ok := v.numbers[from]
		if !v.holds(ok, "%%%d is no block of this function", from) {
			continue
		}
		v.holds(contains(v.plain.pred[block], n), "block %%%d does not lead to this one", from)
		v.holds(!seen[n], "block %%%d has a second value", from)
		seen[n] = true
		v.holds(v.typeOf(value) == in.Type, "%%%d has type %%%d, expected %%%d", value, v.typeOf(value), in.Type)
		v.available(value, n, where)
	}
	for _, p := range v.plain.pred[block] {
		v.holds(seen[p], "block %%%d leads here, but the phi has no value for it", v.f.blocks[p].label)
	}
	if class, _, ok := v.pointee(in.Type); ok && class != StorageClassPhysicalStorageBuffer {
		v.holds(v.capabilities[CapabilityVariablePointersStorageBuffer], "a phi of pointers needs capability VariablePointers")
	}
	v.holds(v.op(in.Type) != OpTypeVoid, "a phi of nothing")
}

func contains(list []int, n int) bool {
	for _, x := range list {
		if x == n {
			return true
		}
	}
	return false
}

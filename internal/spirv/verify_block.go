package spirv

import (
	"cmp"
	"fmt"
	"slices"
)

// layout is where a type's parts are in memory, by its decorations.
type layout struct {
	size, align uint64
	open        bool   // its size is not known: an array without a length, at the end
	laid        bool   // it has a decoration that says where a part is
	problem     string // why the layout is none
}

// layouts computes layouts of types in their order.
type layouts struct {
	*verifier
	of map[ID]layout
}

// typ gives the layout of a type, whose parts are declared before it.
func (l *layouts) typ(in *Instr) layout {
	switch in.Op {
	case OpTypeInt, OpTypeFloat:
		n := uint64(in.Operands[0].Word()) / 8
		return layout{size: n, align: n}
	case OpTypeVector:
		e := l.of[in.Operands[0].ID()]
		e.size *= uint64(in.Operands[1].Word())
		return e
	case OpTypeMatrix:
		e := l.of[in.Operands[0].ID()]
		e.size *= uint64(in.Operands[1].Word())
		return e
	case OpTypePointer:
		if StorageClass(in.Operands[0].Word()) == StorageClassPhysicalStorageBuffer {
			return layout{size: 8, align: 8}
		}
		return layout{align: 1, problem: fmt.Sprintf("%%%d, a pointer, has no layout", in.Result)}
	case OpTypeArray, OpTypeRuntimeArray:
		return l.array(in)
	case OpTypeStruct:
		return l.structure(in)
	}
	return layout{align: 1, problem: fmt.Sprintf("%%%d, %s, has no layout", in.Result, in.Op)}
}

func (l *layouts) array(in *Instr) layout {
	e := l.of[in.Operands[0].ID()]
	a := layout{align: e.align, problem: e.problem, laid: e.laid, open: in.Op == OpTypeRuntimeArray}
	d := l.decoration(in.Result, DecorationArrayStride)
	if d == nil {
		a.problem = cmp.Or(a.problem, fmt.Sprintf("%%%d, an array, has no ArrayStride", in.Result))
		return a
	}
	a.laid = true
	stride := uint64(d.Operands[2].Word())
	switch {
	case a.problem != "":
	case e.open:
		a.problem = fmt.Sprintf("%%%d is an array of arrays without a length", in.Result)
	case stride < e.size:
		a.problem = fmt.Sprintf("%%%d, an array, has ArrayStride %d, expected at least %d, an element's size", in.Result, stride, e.size)
	case stride%max(e.align, 1) != 0:
		a.problem = fmt.Sprintf("%%%d, an array, has ArrayStride %d, expected a multiple of %d", in.Result, stride, e.align)
	}
	if n, ok := l.constant(lengthOf(in)); ok && n > 0 && !a.open {
		a.size = min(n, 1<<32)*stride - stride + e.size
	}
	return a
}

// lengthOf gives the constant with an array's length, 0 if it has none.
func lengthOf(in *Instr) ID {
	if in.Op == OpTypeArray {
		return in.Operands[1].ID()
	}
	return 0
}

// matrix gives the layout of a structure's member that is a matrix, whose columns or rows are a stride apart.
func (l *layouts) matrix(in *Instr, member uint32, t *Instr) layout {
	scalar := l.of[l.elem(t.Operands[0].ID())]
	d := l.member(in.Result, member, DecorationMatrixStride)
	if d == nil {
		return layout{align: 1, problem: fmt.Sprintf("%%%d, a structure: member %d, a matrix, has no MatrixStride", in.Result, member)}
	}
	lines, length := uint64(t.Operands[1].Word()), uint64(l.count(t.Operands[0].ID())) // columns, and their length
	if l.member(in.Result, member, DecorationRowMajor) != nil {
		lines, length = length, lines
	}
	return layout{size: (lines-1)*uint64(d.Operands[3].Word()) + length*scalar.size, align: scalar.align, laid: true}
}

// structure checks that each member has an offset, and that members do not overlap.
func (l *layouts) structure(in *Instr) layout {
	type part struct {
		index      int
		begin, end uint64
	}
	s := layout{align: 1}
	var parts []part
	problem := func(format string, args ...any) {
		s.problem = cmp.Or(s.problem, fmt.Sprintf("%%%d, a structure: ", in.Result)+fmt.Sprintf(format, args...))
	}
	for i, o := range in.Operands {
		m := l.of[o.ID()]
		if l.place(o.ID()) > l.at { // a pointer that is declared later
			m = layout{size: 8, align: 8}
		}
		if t := l.def(o.ID()); t.Op == OpTypeMatrix {
			m = l.matrix(in, uint32(i), t)
		}
		s.align = max(s.align, m.align)
		s.problem = cmp.Or(s.problem, m.problem)
		d := l.member(in.Result, uint32(i), DecorationOffset)
		s.laid = s.laid || d != nil || m.laid
		if d == nil {
			problem("member %d has no Offset", i)
			continue
		}
		at := uint64(d.Operands[3].Word())
		if at%max(m.align, 1) != 0 {
			problem("member %d has Offset %d, expected a multiple of %d", i, at, m.align)
		}
		if m.open {
			if i != len(in.Operands)-1 {
				problem("member %d, an array without a length, is not the last one", i)
			}
			s.open = true
		}
		parts = append(parts, part{i, at, at + m.size})
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.begin, b.begin) })
	for i, p := range parts {
		if s.open && p.index == len(in.Operands)-1 && i != len(parts)-1 {
			problem("member %d, an array without a length, does not have the largest Offset", p.index)
		}
		if s.size = max(s.size, p.end); i > 0 && p.begin < parts[i-1].end {
			problem("members %d and %d overlap", parts[i-1].index, p.index)
		}
	}
	return s
}

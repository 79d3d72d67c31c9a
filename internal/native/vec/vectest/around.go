// Package vectest makes functions that run one instruction, for tests of what instructions do.
package vectest

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// The words of the frame of what [Around] makes.
const (
	Operands = iota // address of the operands: 128 bytes for each of Src, then for the mask
	Result          // address of the result: 128 bytes
	Memory          // the base of the instruction's memory, which it counts with an index of 1 and a factor of 8
	Words
)

// Around makes a function that loads the operands of an instruction, runs it and stores its result. A mask's lanes are
// set where the lanes of a vector of 32 bits are not zero, in operands and results. Err says why there is no such
// instruction. Control flow is not for it.
func Around(in vec.Instr) (f *vec.Func, err error) {
	if in.Op.Controls() {
		return nil, fmt.Errorf("%s is control flow", in.Op)
	}
	b := vec.NewBuilder(in.Op.String())
	ops, out := b.Arg(Operands), b.Arg(Result)
	for i, c := range in.SrcClasses() {
		in.Src[i] = load(b, c, vec.Mem{Base: ops, Disp: int32(128 * i)})
	}
	if in.Mask != 0 {
		in.Mask = load(b, vec.Mask, vec.Mem{Base: ops, Disp: 3 * 128})
	}
	if in.Op.HasMem() {
		in.Mem = vec.Mem{Base: b.Arg(Memory), Index: b.Int(1), Scale: 8}
	}
	in.Dst = 0
	store(b, in.DstClass(), b.Emit(in), vec.Mem{Base: out})
	if err := b.Verify(); err != nil {
		return nil, err
	}
	return b.Finish(), nil
}

// typeOf is the integer type of a class of vectors.
func typeOf(c vec.Class) vec.Type { return vec.I8 + vec.Type(c-vec.V8) }

func load(b *vec.Builder, c vec.Class, at vec.Mem) vec.Reg {
	switch c {
	case vec.None:
		return 0
	case vec.Scalar:
		return b.Emit(vec.Instr{Op: vec.SLoad, Type: vec.I64, Mem: at})
	case vec.Mask:
		return b.Compare(vec.I32, vec.NE, b.Load(vec.I32, at, 0), b.Bits(vec.I32, 0))
	}
	return b.Load(typeOf(c), at, 0)
}

func store(b *vec.Builder, c vec.Class, r vec.Reg, at vec.Mem) {
	switch c {
	case vec.None:
	case vec.Scalar:
		b.Emit(vec.Instr{Op: vec.SStore, Type: vec.I64, Src: [3]vec.Reg{r}, Mem: at})
	case vec.Mask:
		b.Store(vec.I32, at, b.Pick(vec.I32, r, b.Bits(vec.I32, 1), b.Bits(vec.I32, 0)), 0)
	default:
		b.Store(typeOf(c), at, r, 0)
	}
}

// Instrs lists the instructions of an operation that is no control flow: every type, condition, and a choice of
// immediates, with and without a mask.
func Instrs(op vec.Op) (out []vec.Instr) {
	for _, t := range op.Types() {
		for _, from := range op.Froms() {
			for _, c := range op.Conds() {
				for _, imm := range op.SomeImms(t) {
					for _, mask := range op.Masks() {
						in := vec.Instr{Op: op, Type: t, From: from, Cond: c, Imm: imm, Mask: mask}
						if _, err := Around(in); err == nil {
							out = append(out, in)
						}
					}
				}
			}
		}
	}
	return out
}

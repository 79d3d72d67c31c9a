package emit

import (
	"go/constant"
	"go/token"

	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/simt"
)

// instrBytes is about how many bytes the compiler holds for an instruction.
const instrBytes = 512

// builder makes the builder of a function. It counts the instructions, so that a program that
// unrolls without end stops at a limit instead of taking all memory.
func (em *Emitter) builder(f *simt.Func, pos token.Position) *simt.Builder {
	return &simt.Builder{Func: f, Pos: pos, Emitted: func() {
		em.Spend(limit.Operations, 1)
		em.Spend(limit.Memory, instrBytes)
	}}
}

// join joins two texts. A loop could double a text in each turn, so the bytes are counted.
func (em *Emitter) join(a, b constant.Value) Value {
	// Numbers do not grow like this.
	if a.Kind() == constant.String {
		em.Spend(limit.Memory, int64(len(constant.StringVal(a))+len(constant.StringVal(b))))
	}
	return constant.BinaryOp(a, token.ADD, b)
}

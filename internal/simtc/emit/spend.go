package emit

import (
	"go/constant"
	"go/token"

	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/simt"
)

// instrBytes is what the compiler holds for an instruction, about.
const instrBytes = 512

// builder makes what writes a function: each instruction is counted.
func (em *Emitter) builder(f *simt.Func, pos token.Position) *simt.Builder {
	return &simt.Builder{Func: f, Pos: pos, Emitted: func() {
		em.Spend(limit.Operations, 1)
		em.Spend(limit.Memory, instrBytes)
	}}
}

// join joins texts.
func (em *Emitter) join(a, b constant.Value) Value {
	if a.Kind() == constant.String {
		em.Spend(limit.Memory, int64(len(constant.StringVal(a))+len(constant.StringVal(b))))
	}
	return constant.BinaryOp(a, token.ADD, b)
}

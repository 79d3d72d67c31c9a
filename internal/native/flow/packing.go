package flow

import (
	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// mostPacked bounds the bytes that are packed before the function looks at its budget.
const mostPacked = 1 << 15

// pack does pack and unpack. Elements of whole bytes stay where they are.
func (b *builder) pack(op *tileir.Op) bool {
	p, n, ok := nest.PackingOf(op)
	if !ok {
		return b.sameBits(op)
	}
	b.spill([]*tileir.Op{op})
	bytes, elems := op.Results[0], op.Operands[0]
	if !p.Pack {
		bytes, elems = elems, bytes
	}
	at := func(v *tileir.Value) vec.Reg { return b.AddInt(b.arena, int64(b.home(v).Disp)) }
	from, to := b.Int(0), b.Int(int64(n))
	if n > mostPacked {
		from = b.For(from, to, mostPacked)
		b.poll(mostPacked / vec.Lanes)
		to = b.AddInt(from, mostPacked)
	}
	p.Emit(b.Builder, at(bytes), at(elems), from, to)
	if n > mostPacked {
		b.End()
	}
	return true
}

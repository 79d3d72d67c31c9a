package spirv

import (
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/threads/ir"
)

// shuffles makes the array through which threads exchange values where they do not do so as a subgroup.
func (w *writer) shuffles() {
	needs := false
	w.k.Body.All(func(in *ir.Instr) { needs = needs || in.Op == ir.Shuffle || in.Op == ir.From })
	if needs && !w.t.Subgroups {
		w.swap = w.array(vec.I32, 4*w.k.Threads).id
	}
}

// shuffle writes Shuffle and From, in words of 32 bits.
func (w *writer) shuffle(in *ir.Instr) {
	b, x := w.b, w.vals[in.Src[0]]
	give := w.subgroup
	if !w.t.Subgroups {
		give = w.through
	}
	move := func(x spirv.ID) spirv.ID { return give(in, x) }
	one, zero := w.num(vec.I32, 1), w.num(vec.I32, 0)
	var y spirv.ID
	switch in.Type {
	case vec.NoType:
		y = b.Compare(spirv.OpINotEqual, move(b.Select(x, one, zero)), zero)
	case vec.I64, vec.F64:
		parts := w.split(vec.I64, vec.I32, x)
		y = w.join(vec.I64, vec.I32, []spirv.ID{move(parts[0]), move(parts[1])})
	default:
		y = b.Convert(spirv.OpUConvert, w.typ(in.Type), move(b.Convert(spirv.OpUConvert, b.Uint(32), x)))
	}
	w.vals[in.Dst[0]] = y
}

// subgroup moves a word between the threads of a subgroup.
func (w *writer) subgroup(in *ir.Instr, x spirv.ID) spirv.ID {
	if in.Op == ir.From {
		return w.b.Shuffle(spirv.OpGroupNonUniformShuffle, x, w.vals[in.Src[1]])
	}
	return w.b.Shuffle(spirv.OpGroupNonUniformShuffleXor, x, w.num(vec.I32, in.Imm))
}

// through moves a word through shared memory.
func (w *writer) through(in *ir.Instr, x spirv.ID) spirv.ID {
	b := w.b
	from := b.Binary(spirv.OpBitwiseXor, w.thread, w.num(vec.I32, in.Imm))
	if in.Op == ir.From {
		first := b.Binary(spirv.OpISub, w.thread, w.lane)
		from = b.Binary(spirv.OpIAdd, first, w.vals[in.Src[1]])
	}
	b.Store(b.Index(w.swap, w.thread), x)
	b.Barrier(spirv.MemorySemanticsWorkgroupMemory)
	y := b.Load(b.Index(w.swap, from))
	b.Barrier(spirv.MemorySemanticsWorkgroupMemory)
	return y
}

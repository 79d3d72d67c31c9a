package spirv

import (
	"math"
	"strings"

	"github.com/cutile-go/cutile/internal/emulate/cformat"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/threads/ir"
)

// The control block, in bytes, and what stands before the words of a record.
const (
	controlUsed    = 4
	controlRoom    = 8
	controlRecords = 16
	recordHead     = 6
)

// record writes a record of a site, if there is room for it.
func (w *writer) record(s Site, words []spirv.ID) {
	b := w.b
	s.Loc = w.loc
	number := len(w.c.Sites)
	w.c.Sites = append(w.c.Sites, s)
	length := b.ConstUint(uint32(recordHead + len(words)))
	at := func(offset int64) spirv.ID { return b.Binary(spirv.OpIAdd, w.control, w.num(vec.I64, offset)) }
	old := b.Atomic(spirv.OpAtomicIAdd, b.At(b.Uint(32), at(controlUsed)), spirv.ScopeDevice, spirv.MemorySemanticsRelaxed, length)
	end := b.Binary(spirv.OpIAdd, old, length)
	fits := b.Compare(spirv.OpULessThanEqual, end, b.LoadAt(b.Uint(32), at(controlRoom), 4))
	fits = b.Binary(spirv.OpLogicalAnd, fits, b.Compare(spirv.OpUGreaterThan, end, old)) // the sum may have wrapped around
	w.when(fits, func() {
		all := []spirv.ID{length, b.PushConstant(pushKernel), b.ConstUint(uint32(number))}
		for i := range 3 {
			here := b.Extract(b.BuiltIn(spirv.BuiltInWorkgroupId), i)
			all = append(all, b.Binary(spirv.OpIAdd, here, b.PushConstant(pushBase+i)))
		}
		place := b.Binary(spirv.OpIAdd, at(controlRecords), b.Binary(spirv.OpIMul, b.Convert(spirv.OpUConvert, b.Uint(64), old), w.num(vec.I64, 4)))
		w.storeWords(place, append(all, words...))
	})
}

// storeWords writes words to neighbours. A pointer that is moved by an index takes less than the sum of an address in pairs.
func (w *writer) storeWords(at spirv.ID, words []spirv.ID) {
	b := w.b
	if !b.pairs {
		w.each(len(words), at, vec.I32, func(i int, at spirv.ID) spirv.ID {
			b.StoreAt(at, words[i], 4)
			return words[i]
		})
		return
	}
	first := b.At(b.Uint(32), at)
	for i, x := range words {
		b.Store(b.Element(first, w.num(vec.I32, int64(i))), x)
	}
}

// print writes a record of the values, those of 64 bits in two words.
func (w *writer) print(in *ir.Instr) {
	pieces, err := cformat.Parse(in.Text)
	if err != nil {
		panic("BUG: threads: the format " + in.Text + ": " + err.Error())
	}
	var words []spirv.ID
	var wide []bool
	for _, v := range in.Src {
		if w.k.Class(v) == vec.V64 {
			words, wide = append(words, w.split(vec.I64, vec.I32, w.vals[v])...), append(wide, true)
			continue
		}
		words, wide = append(words, w.vals[v]), append(wide, false)
	}
	w.record(Site{Text: func(words []uint32) string { return printed(pieces, wide, words) }}, words)
}

// printed formats the words of a record.
func printed(pieces []cformat.Piece, wide []bool, words []uint32) string {
	var out []byte
	for i := range pieces {
		p := &pieces[i]
		if out = append(out, p.Text...); p.Verb == 0 {
			break
		}
		x := uint64(words[0])
		words = words[1:]
		if wide[i] {
			x |= uint64(words[0]) << 32
			words = words[1:]
		}
		var v any = x
		switch {
		case strings.IndexByte("fFeEgGaA", p.Verb) >= 0:
			v = math.Float64frombits(x)
		case (p.Verb == 'd' || p.Verb == 'i') && wide[i]:
			v = int64(x)
		case p.Verb == 'd' || p.Verb == 'i':
			v = int64(int32(x))
		}
		out = p.Append(out, v)
	}
	return string(out)
}

// assert writes a record where a condition is false, lets the kernel stop, and ends the threads of the subgroup.
func (w *writer) assert(in *ir.Instr) {
	b, text := w.b, in.Text
	failed := b.Unary(spirv.OpLogicalNot, w.vals[in.Src[0]])
	w.when(failed, func() {
		w.record(Site{Fault: true, Text: func([]uint32) string { return text }}, nil)
		stop := b.At(b.Uint(32), w.control)
		b.CompareExchange(stop, spirv.ScopeDevice, spirv.MemorySemanticsRelaxed, b.ConstUint(2), b.ConstUint(0))
		if !w.t.Subgroups {
			b.Return()
		}
	})
	if w.t.Subgroups {
		w.when(b.Vote(spirv.OpGroupNonUniformAny, failed), func() { b.Return() })
	}
}

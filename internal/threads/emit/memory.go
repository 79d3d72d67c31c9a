package emit

import (
	"slices"

	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
)

// words says how n neighbours of a type are moved at once: as so many words of a type.
func words(t vec.Type, n int) (word vec.Type, count int) {
	switch bytes := n * t.Bytes(); {
	case t.Bytes() >= 4:
		return vec.IntOf(t.Bytes()), n
	case bytes > 4:
		return vec.I32, bytes / 4
	default:
		return vec.IntOf(bytes), 1
	}
}

// loadRun reads n neighbours of a type, at most 16 bytes. What a thread that takes no part gives, padding says, element by element; nil
// for nothing in particular.
func (e *emitter) loadRun(t vec.Type, n int, m ir.Access, padding []ir.Value) []ir.Value {
	word, count := words(t, n)
	if padding != nil {
		m.Else = e.packRun(t, word, padding)
	}
	var out []ir.Value
	for _, x := range e.Load(word, count, m) {
		out = append(out, e.Unpack(t, word, x)...)
	}
	return out
}

// storeRun writes neighbours of a type, at most 16 bytes.
func (e *emitter) storeRun(t vec.Type, m ir.Access, src []ir.Value) {
	word, _ := words(t, len(src))
	e.Store(word, m, e.packRun(t, word, src)...)
}

// packRun joins neighbours to words.
func (e *emitter) packRun(t, word vec.Type, src []ir.Value) (out []ir.Value) {
	for part := range slices.Chunk(src, word.Bytes()/t.Bytes()) {
		out = append(out, e.pack(word, t, part))
	}
	return out
}

// pack joins values, also constants.
func (e *emitter) pack(word, t vec.Type, src []ir.Value) ir.Value {
	all := uint64(0)
	for i, v := range src {
		bits, ok := e.Known(v)
		if !ok {
			return e.Pack(word, t, src...)
		}
		all |= bits << (8 * t.Bytes() * i)
	}
	return e.Const(word, all)
}

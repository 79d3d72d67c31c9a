package emit

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/tileir"
)

// scales are the factors of elements of a product's operand, a byte each, in words of those of four steps along k.
type scales struct {
	words []ir.Value
	per   int // words of a block of rows or columns
}

// perWord is how many steps have their factors in one word.
const perWord = 4

// scales puts factors, of so many steps, into words; nil where elements have none.
func (m *multiplier) scales(v *tileir.Value, l *linear.Layout, steps int) *scales {
	t := typeOf(v)
	regs := m.get(v, l)
	s := &scales{per: max(1, steps/perWord)}
	for i := 0; i < len(regs); i += min(steps, perWord) {
		word := make([]ir.Value, perWord)
		for k := range word {
			word[k] = m.Const(vec.I8, 0)
			if k < steps {
				word[k] = m.toMemory(t, regs[i+k])
			}
		}
		s.words = append(s.words, m.pack(vec.I32, lane.Stored(t), word))
	}
	return s
}

// at is the word of a block at a step.
func (s *scales) at(block, step int) ir.Value { return s.words[block*s.per+step/perWord] }

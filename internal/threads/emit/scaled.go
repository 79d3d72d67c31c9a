package emit

import (
	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/tileir"
)

// scales are the factors of elements of a product's operand, a byte each, in words of four along k.
type scales struct {
	words  []ir.Value
	per    int // words of a block of rows or columns
	inStep int // factors that a step takes
}

// perWord is how many factors are in one word.
const perWord = 4

// scales puts factors, so many along k, into words.
func (m *multiplier) scales(v *tileir.Value, l *linear.Layout, count int) *scales {
	t := typeOf(v)
	regs := m.get(v, l)
	s := &scales{per: max(1, count/perWord), inStep: m.x.Unit.K / m.x.Unit.Run}
	for i := 0; i < len(regs); i += min(count, perWord) {
		word := make([]ir.Value, perWord)
		for k := range word {
			word[k] = m.Const(vec.I8, 0)
			if k < count {
				word[k] = m.toMemory(t, regs[i+k])
			}
		}
		s.words = append(s.words, m.pack(vec.I32, lane.Stored(t), word))
	}
	return s
}

// unsigned ends the launch where factors of elements are negative whose signs instructions do not look at, those of f8E4M3FN: sums would be wrong
// without a word. Zero and NaN may have a sign.
func (m *multiplier) unsigned(sides ...*scales) {
	if m.x.Unit.Scale != tileir.F8E4M3FN {
		return
	}
	const signs, others, ones = 0x80808080, 0x7f7f7f7f, 0x01010101 // bits of a word's factors
	negative := m.Int(0)
	for _, s := range sides {
		for _, w := range s.words {
			number := m.Do(vec.And, vec.I32, w, m.Const(vec.I32, others))
			nonzero, nan := m.add(number, m.Const(vec.I32, others)), m.add(number, m.Const(vec.I32, ones)) // their upper bits say so
			negative = m.Do(vec.Or, vec.I32, negative, m.Do(vec.And, vec.I32, w, m.Do(vec.AndNot, vec.I32, nonzero, nan)))
		}
	}
	negative = m.Do(vec.And, vec.I32, negative, m.Const(vec.I32, signs))
	m.Assert(m.Compare(vec.I32, vec.EQ, negative, m.Int(0)), "a factor of mmaf_scaled is negative, of which the GPU would not see the sign")
}

// storeScales puts the factors of elements where the product with a number reads them in tensor memory; nil where elements have none. Those of
// products that go on into the next turn have two places in turn.
func (e *emitter) storeScales(p *tensorProduct, m *multiplier, number ir.Value) *ir.Scales {
	x := p.x
	if x.Unit.Run == 0 {
		return nil
	}
	at := e.Int(x.Scales)
	if x.Lags {
		at = e.add(at, e.Do(vec.Mul, vec.I32, e.Do(vec.And, vec.I32, number, e.Int(1)), e.Int(x.ScaleSet())))
	}
	own, k, column := e.add(e.tensor.own, at), typeOf(x.Op.Operands[0]).Shape, 0
	var sides [2]*scales
	for i, name := range []string{"lhs_scale", "rhs_scale"} {
		l, _, _ := e.p.ScaleStores(x, i == 0)
		sides[i] = m.scales(x.Op.Operand(name), l, k[len(k)-1]/x.Unit.Run)
	}
	m.unsigned(sides[:]...)
	for i, side := range sides {
		_, used, all := e.p.ScaleStores(x, i == 0)
		words := side.words
		if used == all {
			used, all = len(words), len(words)
		}
		for w := 0; w < len(words); w += used {
			e.TensorStore(&x.Unit, p.scales, e.add(own, e.Int(column)), words[w:w+used])
			column += all
		}
	}
	return &ir.Scales{Buffer: p.scales, At: e.add(e.tensor.base, at)}
}

// at is the word of a block at a step.
func (s *scales) at(block, step int) ir.Value { return s.words[block*s.per+step*s.inStep/perWord] }

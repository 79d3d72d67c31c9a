package bind

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/tilec/compile"
)

// Unequal finds numbers that the kernel requires to be equal and that are not, among the bits that Pack gave.
func (c *Call) Unequal(all []compile.Equal, bits []uint64) (wrong []Mistake) {
	for _, q := range all {
		if a, b := q.A.Of(bits), q.B.Of(bits); a != b {
			wrong = append(wrong, Mistake{Text: fmt.Sprintf("%s is %d, but %s is %d: %s:%d requires them to be the same",
				c.nameOf(q.A), a, c.nameOf(q.B), b, q.Pos.Filename, q.Pos.Line)})
		}
	}
	return wrong
}

// nameOf names a number of a launch, such as extent 1 of x.
func (c *Call) nameOf(n compile.Number) string {
	bit := 0
	for i := range c.slots {
		s := &c.slots[i]
		first := bit
		switch s.param.Kind {
		case compile.Func:
			continue
		case compile.Scalar, compile.Ptr:
			bit++
		default:
			bit += 1 + 2*len(s.param.Tile)
		}
		if n.Param < first || n.Param >= bit {
			continue
		}
		name := s.String()
		if s.param.Kind == compile.Scalar {
			return name
		}
		return fmt.Sprintf("extent %d of %s", n.Param-first-1, name)
	}
	return "what the kernel requires"
}

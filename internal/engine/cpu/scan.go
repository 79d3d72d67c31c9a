package cpu

import (
	"unsafe"

	"github.com/cutile-go/cutile/tileir"
)

// generateScan compiles scan.
func generateScan(c *compiler, op *tileir.Op) (step, error) {
	fd, err := c.newFold(op)
	if err != nil {
		return nil, err
	}
	s := &scanning{fold: fd, folding: foldingOf(op), reverse: op.Int("reverse") != 0}
	s.total = s.outer * s.n * s.inner
	at := 0
	for i, v := range op.Operands {
		s.src, s.dst = append(s.src, c.need(v)), append(s.dst, c.off(op.Results[i]))
		s.work = append(s.work, at)
		at += alignUp(s.total*fd.sizes[i], 8)
	}
	fd.room = alignUp(at, 64)
	c.reserve(fd.room + fd.nested)
	rest := s.outer * s.inner
	shape, front, back := []int{s.n, s.outer, s.inner}, []int{rest, s.inner, 1}, []int{s.inner, s.n * s.inner, 1}
	s.turn, s.turnBack = layout{shape, front, back}.squeeze(), layout{shape, back, front}.squeeze()
	return s.run, nil
}

// scanning is a scan operation.
type scanning struct {
	*fold
	folding
	reverse  bool
	total    int
	src, dst []slot
	work     []int
	turn     layout // brings the scanned dimension to the front
	turnBack layout
}

// run brings the scanned dimension to the front, so that each step works on all rows, and back.
func (s *scanning) run(f *frame) signal {
	var prevs, accs [maxFolds]ptr
	prev, acc := prevs[:len(s.sizes)], accs[:len(s.sizes)]
	rest := s.outer * s.inner
	for i, size := range s.sizes {
		f.copyLayout(s.turn, unsafe.Add(f.scratch, s.work[i]), unsafe.Add(f.mem, s.src[i]), size)
	}
	for k := 1; k < s.n; k++ {
		f.poll()
		from, to := k-1, k
		if s.reverse {
			from, to = s.n-k, s.n-1-k
		}
		for i, size := range s.sizes {
			base := unsafe.Add(f.scratch, s.work[i])
			prev[i], acc[i] = unsafe.Add(base, from*rest*size), unsafe.Add(base, to*rest*size)
		}
		if !s.combine(f, acc, acc, prev, rest) {
			return sigFault
		}
	}
	for i, size := range s.sizes {
		f.copyLayout(s.turnBack, unsafe.Add(f.mem, s.dst[i]), unsafe.Add(f.scratch, s.work[i]), size)
	}
	return sigNext
}

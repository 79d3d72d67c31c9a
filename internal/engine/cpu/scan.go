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
	s.group = min(s.n, scanGroup)
	s.groups = s.n / s.group
	rest := s.outer * s.inner
	shape := []int{s.group, s.groups, s.outer, s.inner}
	front, back := []int{s.groups * rest, rest, s.inner, 1}, []int{s.inner, s.group * s.inner, s.n * s.inner, 1}
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
	group    int    // elements of a group
	groups   int    // that a row has
	turn     layout // brings the number of an element in its group to the front, and the group behind it
	turnBack layout
}

// scanGroup is how many elements of a row are a group.
const scanGroup = 16

// run brings together what is done alike: the elements with the same number in their groups, of all rows.
func (s *scanning) run(f *frame) signal {
	for i, size := range s.sizes {
		f.copyLayout(s.turn, unsafe.Add(f.scratch, s.work[i]), unsafe.Add(f.mem, s.src[i]), size)
	}
	if !s.inGroups(f) || !s.acrossGroups(f) {
		return sigFault
	}
	for i, size := range s.sizes {
		f.copyLayout(s.turnBack, unsafe.Add(f.mem, s.dst[i]), unsafe.Add(f.scratch, s.work[i]), size)
	}
	return sigNext
}

// inGroups scans each group by halves.
func (s *scanning) inGroups(f *frame) bool {
	for d := 1; d < s.group; d *= 2 {
		for k := range s.group {
			if k&d != 0 && !s.join(f, k, 0, k&^(2*d-1)+d-1, 0, s.groups) {
				return false
			}
		}
	}
	return true
}

// acrossGroups combines all elements of a group with the last one of the group before, whose own turn comes first.
func (s *scanning) acrossGroups(f *frame) bool {
	last := s.group - 1
	for g := 1; g < s.groups; g++ {
		if !s.join(f, last, g, last, g-1, 1) {
			return false
		}
	}
	for k := range last {
		if s.groups > 1 && !s.join(f, k, 1, last, 0, s.groups-1) {
			return false
		}
	}
	return true
}

// join combines element k of n groups with element from of as many, which come earlier.
func (s *scanning) join(f *frame, k, group, from, fromGroup, n int) bool {
	f.poll()
	var accs, elems [maxFolds]ptr
	acc, elem := accs[:len(s.sizes)], elems[:len(s.sizes)]
	for i, size := range s.sizes {
		elem[i], acc[i] = s.place(f, i, size, k, group, n), s.place(f, i, size, from, fromGroup, n)
	}
	return s.combine(f, elem, elem, acc, n*s.outer*s.inner)
}

// place is where elements with a number in their groups begin, of n groups, both in the direction of the scan.
func (s *scanning) place(f *frame, i, size, k, group, n int) ptr {
	if s.reverse {
		k, group = s.group-1-k, s.groups-group-n
	}
	return unsafe.Add(f.scratch, s.work[i]+(k*s.groups+group)*s.outer*s.inner*size)
}

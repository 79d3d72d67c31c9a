package strided

// mostSteps bounds the search of Repeats: some 0.3 ms.
const mostSteps = 1 << 16

// moves is an axis of two indexes or more: from one index to another, the offset changes by up to most times the stride.
type moves struct{ stride, most int }

// Repeats reports whether two indexes name one element, so that what writes through the view would write that element twice. It is exact for up
// to two axes of more than one index, for strides that exceed the reach of all smaller ones (as those of all parts of a row-major tensor
// do), and where mostSteps steps find an answer; else it is true.
func (v View) Repeats() bool {
	if v.IsRowMajor() {
		return false
	}
	var room [8]moves
	axes := room[:0]
	for a, n := range v.Shape {
		if n <= 1 {
			continue
		}
		if v.Strides[a] == 0 {
			return true
		}
		axes = append(axes, moves{v.Strides[a], n - 1})
		for i := len(axes) - 1; i > 0 && axes[i].stride < axes[i-1].stride; i-- {
			axes[i], axes[i-1] = axes[i-1], axes[i]
		}
	}
	reach, nested := 0, true
	for _, a := range axes {
		nested = nested && a.stride > reach
		reach += a.stride * a.most
	}
	switch {
	case nested:
		return false
	case v.Len() > reach+1: // more indexes than elements
		return true
	case len(axes) == 2: // the least way back to an element is one stride as often as the other has parts that both do not share
		a, b := axes[0], axes[1]
		g := gcd(a.stride, b.stride)
		return b.stride/g <= a.most && a.stride/g <= b.most
	}
	s := search{steps: mostSteps}
	return s.reaches(axes, 0, false) || s.steps == 0
}

// search looks for two indexes of one element: for a difference of indexes, of which not all are 0, that moves by nothing.
type search struct{ steps int }

// reaches reports whether the axes, whose strides are sorted, can move by an offset; moved says that greater ones have moved. It is false, with no
// steps left, where it has not been found out.
func (s *search) reaches(axes []moves, by int, moved bool) bool {
	if len(axes) == 0 {
		return by == 0 && moved
	}
	last, rest := axes[len(axes)-1], axes[:len(axes)-1]
	far, common := 0, 0
	for _, a := range rest {
		far += a.stride * a.most
		common = gcd(a.stride, common)
	}
	from := max(ceil(by-far, last.stride), -last.most)
	if !moved && by == 0 { // the opposite difference is as good
		from = 0
	}
	for n := from; n <= last.most && n*last.stride <= by+far; n++ {
		if s.steps == 0 {
			return false
		}
		s.steps--
		left := by - n*last.stride
		if common != 0 && left%common != 0 {
			continue
		}
		if s.reaches(rest, left, moved || n != 0) {
			return true
		}
	}
	return false
}

// ceil is a/b rounded up, for b > 0.
func ceil(a, b int) int {
	if a > 0 {
		return (a + b - 1) / b
	}
	return -(-a / b)
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

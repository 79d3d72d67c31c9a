package arraytext

import (
	"strings"
	"unicode/utf8"
)

const (
	// Most is the number of elements of the largest array that is shown in full.
	Most = 1000
	// Edge is how many indices are shown at each end of an axis of a larger array.
	Edge = 3
	// Width is the length of the longest line; an element that is longer has a line of its own.
	Width = 75
	// dots stand for what is left out.
	dots = "…"
)

// Shown returns the shape of the part of an array that is shown: the shape itself, or, for arrays of more than [Most]
// elements, at most 2*[Edge] indices of each axis, which are the first and the last ones. The product of the extents may
// exceed an int.
func Shown(shape []int) []int {
	shown := append([]int(nil), shape...)
	if !large(shape) {
		return shown
	}
	for axis, n := range shape {
		shown[axis] = min(n, 2*Edge)
	}
	return shown
}

// large reports whether an array has more elements than are shown.
func large(shape []int) bool {
	n, many := 1, false
	for _, extent := range shape {
		if extent == 0 {
			return false
		}
		if n *= min(extent, Most+1); n > Most {
			n, many = Most+1, true
		}
	}
	return many
}

// Layout arranges the texts of the shown elements, in row-major order, of an array of a shape. The texts have one width each
// that fits. An array without elements is "[]", and one without axes is its element.
func Layout(texts []string, shape []int) string {
	if len(texts) == 0 {
		return "[]"
	}
	l := layout{texts: texts, shape: shape, shown: Shown(shape)}
	l.axis(0, Width)
	return l.out.String()
}

// layout is the state of [Layout]: texts are those not yet written.
type layout struct {
	texts []string
	shape []int
	shown []int
	out   strings.Builder
}

// axis writes the elements below one index of the axes before; width is what is left of a line for it and its bracket.
func (l *layout) axis(axis, width int) {
	left := len(l.shape) - axis
	switch left {
	case 0:
		l.out.WriteString(l.next())
		return
	case 1:
		l.row(axis, width)
		return
	}
	indent := strings.Repeat("\n", left-1) + strings.Repeat(" ", axis+1)
	l.out.WriteByte('[')
	for i := range l.shown[axis] {
		if i > 0 {
			l.out.WriteString(indent)
		}
		if i == Edge && l.cut(axis) {
			l.out.WriteString(dots + indent)
		}
		l.axis(axis+1, width-1)
	}
	l.out.WriteByte(']')
}

// row writes a row of the last axis; it begins a new line where the next element does not fit.
func (l *layout) row(axis, width int) {
	indent := strings.Repeat(" ", axis+1)
	l.out.WriteByte('[')
	line := indent // what is to be written, with the brackets before it as spaces
	add := func(word string) {
		if line != indent && utf8.RuneCountInString(line)+utf8.RuneCountInString(word) > width-1 {
			l.out.WriteString(strings.TrimRight(line[len(indent):], " ") + "\n" + indent)
			line = indent
		}
		line += word
	}
	for i := range l.shown[axis] {
		if i == Edge && l.cut(axis) {
			add(dots)
			line += " "
		}
		add(l.next())
		if i < l.shown[axis]-1 {
			line += " "
		}
	}
	l.out.WriteString(line[len(indent):] + "]")
}

// cut reports whether indices in the middle of an axis are left out.
func (l *layout) cut(axis int) bool { return l.shown[axis] < l.shape[axis] }

// next takes the next element.
func (l *layout) next() string {
	text := l.texts[0]
	l.texts = l.texts[1:]
	return text
}

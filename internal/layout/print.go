package layout

import (
	"fmt"
	"strings"
)

// String is 7, _, (4,(2,3)), (4), () or 1@0; the path of a basis leaf is written innermost mode first, as CuTe does.
func (t Tuple) String() string {
	var b strings.Builder
	t.write(&b)
	return b.String()
}

func (t Tuple) write(b *strings.Builder) {
	switch t.form {
	case underscore:
		b.WriteByte('_')
	case leaf:
		b.WriteString(t.n.String())
		for i := len(t.path) - 1; i >= 0; i-- {
			fmt.Fprintf(b, "@%d", t.path[i])
		}
	case list:
		b.WriteByte('(')
		for i, m := range t.list {
			if i > 0 {
				b.WriteByte(',')
			}
			m.write(b)
		}
		b.WriteByte(')')
	}
}

// String is (4,8):(1,4).
func (l Layout) String() string { return l.shape.String() + ":" + l.stride.String() }

// String is [4:1;_;8].
func (b ByMode) String() string {
	entries := make([]string, len(b))
	for i, e := range b {
		entries[i] = e.String()
	}
	return "[" + strings.Join(entries, ";") + "]"
}

// String is 4:1, 8 or _.
func (e Entry) String() string {
	switch {
	case e.Whole:
		return "_"
	case e.plain:
		return e.Layout.shape.String()
	}
	return e.Layout.String()
}

// String is S<3,4,3>.
func (s Swizzle) String() string { return fmt.Sprintf("S<%d,%d,%d>", s.Bits, s.Base, s.Shift) }

// String is S<3,4,3> o 0 o (8,64):(64,1).
func (c Composed) String() string {
	return fmt.Sprintf("%v o %v o %v", c.Swizzle, c.Offset, c.Layout)
}

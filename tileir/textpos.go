package tileir

import (
	"fmt"
	"slices"
	"sync"
)

// TextPos is a position in a text that package text parsed. Line and Col count from 1, and Col counts bytes.
type TextPos struct {
	File      string
	Line, Col int
}

// IsZero reports whether the position is unknown.
func (p TextPos) IsZero() bool { return p.Line == 0 }

// String returns "file:line:col".
func (p TextPos) String() string {
	file := p.File
	if file == "" {
		file = "text"
	}
	return fmt.Sprintf("%s:%d:%d", file, p.Line, p.Col)
}

// TextMap maps the parts of a module to their positions in its text.
type TextMap struct {
	file  string
	at    map[any]int  // of an *Op, *Entry, *Global or *Module
	lines func() []int // where each line begins; found when it is first asked for
}

// NewTextMap makes an empty map for a text; [TextMap.Set] adds parts.
func NewTextMap(file, src string) *TextMap {
	return &TextMap{file: file, at: map[any]int{}, lines: sync.OnceValue(func() []int {
		lines := []int{0}
		for i := range len(src) {
			if src[i] == '\n' {
				lines = append(lines, i+1)
			}
		}
		return lines
	})}
}

// Set records where a part of the module begins, as a byte offset in the text.
func (t *TextMap) Set(part any, at int) { t.at[part] = at }

// Start returns the offset that was Set for a part, or 0.
func (t *TextMap) Start(part any) int { return t.at[part] }

// pos gives the line and column of a byte.
func (t *TextMap) pos(at int) TextPos {
	lines := t.lines()
	i, found := slices.BinarySearch(lines, at)
	if !found {
		i-- // the line that at is in, not the next one
	}
	return TextPos{t.file, i + 1, at - lines[i] + 1}
}

// TextPos returns the position of an operation, entry or global of the module ([*Op], [*Entry] or [*Global]), or of the module
// itself, in the text that package text parsed. It is zero for other modules, and for parts that were added later.
func (m *Module) TextPos(part any) TextPos {
	if m.Text == nil {
		return TextPos{}
	}
	at, ok := m.Text.at[part]
	if !ok {
		return TextPos{}
	}
	return m.Text.pos(at)
}

// textPos is TextPos of the first part that has one.
func (m *Module) textPos(parts ...any) TextPos {
	for _, part := range parts {
		if p := m.TextPos(part); !p.IsZero() {
			return p
		}
	}
	return TextPos{}
}

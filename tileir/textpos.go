package tileir

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// TextPos is a position in a text that [Parse] read. Line and Col count from 1, and Col counts bytes.
type TextPos struct {
	File      string
	Line, Col int
}

// IsZero reports whether the position is unknown.
func (p TextPos) IsZero() bool { return p.Line == 0 }

// String is "file:line:col".
func (p TextPos) String() string {
	file := p.File
	if file == "" {
		file = "text"
	}
	return fmt.Sprintf("%s:%d:%d", file, p.Line, p.Col)
}

// posIn gives the line and column of a byte of a text.
func posIn(file, src string, at int) TextPos {
	before := src[:at]
	return TextPos{file, 1 + strings.Count(before, "\n"), at - strings.LastIndexByte(before, '\n')}
}

// textMap knows where the parts of a module stood in its text.
type textMap struct {
	file  string
	at    map[any]int  // of an *Op, *Entry, *Global or *Module
	lines func() []int // where each line begins; found when it is first asked for
}

func newTextMap(file, src string) *textMap {
	return &textMap{file: file, at: map[any]int{}, lines: sync.OnceValue(func() []int {
		lines := []int{0}
		for i := range len(src) {
			if src[i] == '\n' {
				lines = append(lines, i+1)
			}
		}
		return lines
	})}
}

// pos gives the line and column of a byte.
func (t *textMap) pos(at int) TextPos {
	lines := t.lines()
	i, found := slices.BinarySearch(lines, at)
	if !found {
		i-- // the line that at is in, not the next one
	}
	return TextPos{t.file, i + 1, at - lines[i] + 1}
}

// TextPos tells where an operation, entry or global of the module ([*Op], [*Entry] or [*Global]), or itself, stood in the text that
// [Parse] made it of. It is zero for a module that comes from elsewhere, and for what was added later.
func (m *Module) TextPos(part any) TextPos {
	if m.text == nil {
		return TextPos{}
	}
	at, ok := m.text.at[part]
	if !ok {
		return TextPos{}
	}
	return m.text.pos(at)
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

// placesOfText gives entries and operations without place their place in the text.
func (m *Module) placesOfText() {
	set := func(l *Loc, part any) {
		if p := m.TextPos(part); l.IsZero() && !p.IsZero() {
			*l = Loc{File: p.File, Line: p.Line, Col: p.Col}
		}
	}
	var block func(b *Block)
	block = func(b *Block) {
		if b == nil {
			return
		}
		for _, o := range b.Ops {
			set(&o.Loc, o)
			for _, r := range o.Regions {
				block(r)
			}
		}
	}
	for _, e := range m.Entries {
		set(&e.Loc, e)
		block(e.Body)
	}
}

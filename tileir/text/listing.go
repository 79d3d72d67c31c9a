package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/cutile-go/cutile/tileir"
)

// Lines returns the text of an entry, line by line, and the index of the line on which each operation begins. Terminators that
// are not printed have none.
func Lines(e *tileir.Entry) (lines []string, at map[*tileir.Op]int) {
	lines = strings.Split(strings.TrimSuffix(Sprint(&tileir.Module{Entries: []*tileir.Entry{e}}), "\n"), "\n")
	at = map[*tileir.Op]int{}
	next := 1 // behind the entry's own line
	for o := range e.All() {
		for next < len(lines) && strings.IndexAny(strings.TrimSpace(lines[next]), "})(") == 0 {
			next++ // the end of a region, or a list of block arguments
		}
		if next < len(lines) && mnemonicOn(lines[next]) == o.Info.Mnemonic {
			at[o] = next
			next++
		}
	}
	return lines, at
}

// mnemonicOn is the name of the operation that begins on a line.
func mnemonicOn(line string) string {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "%") {
		_, line, _ = strings.Cut(line, " = ")
	}
	name, _, _ := strings.Cut(line, " ")
	return name
}

// PrintPlaced prints a module and adds the source position of each operation as a comment.
func PrintPlaced(w io.Writer, m *tileir.Module) error {
	head := Sprint(&tileir.Module{Producer: m.Producer, Globals: m.Globals})
	if len(m.Globals) == 0 && len(m.Entries) > 0 {
		head = strings.TrimSuffix(head, "\n") // a module of nothing is an empty line
	}
	if _, err := io.WriteString(w, head); err != nil {
		return err
	}
	for _, e := range m.Entries {
		lines, ops := Lines(e)
		lines[0] += placeComment(e.Loc)
		for o, i := range ops {
			lines[i] += placeComment(o.Loc)
		}
		if _, err := fmt.Fprintln(w, strings.Join(lines, "\n")); err != nil {
			return err
		}
	}
	return nil
}

// placeComment tells a place, and the calls that were inlined on the way to it, innermost first.
func placeComment(l tileir.Loc) string {
	if l.IsZero() {
		return ""
	}
	text := fmt.Sprintf(" // %s:%d:%d", l.File, l.Line, l.Col)
	for c := l.Caller; c != nil; c = c.Caller {
		text += fmt.Sprintf(" called from %s:%d:%d", c.File, c.Line, c.Col)
	}
	return text
}

// Names gives the name of each value of an entry in its text, with the percent sign.
func Names(e *tileir.Entry) map[*tileir.Value]string {
	names := map[*tileir.Value]string{}
	nameValues(names, e)
	return names
}

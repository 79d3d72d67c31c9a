package nativefuzz

import (
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/text"
)

// Text writes a program: comments that say how it is launched, and the module.
func (p *Program) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "// seed %d\n// grid %d %d %d\n", p.Seed, p.Grid[0], p.Grid[1], p.Grid[2])
	for _, q := range p.Params {
		fmt.Fprintf(&b, "// param %v %d %v %d\n", q.Elem, q.Elems, q.Exact, q.Bits)
	}
	return b.String() + text.Sprint(p.Module)
}

// Parse reads what [Program.Text] writes.
func Parse(src string) (*Program, error) {
	p := &Program{}
	for line := range strings.Lines(src) {
		var q Param
		var name string
		if _, err := fmt.Sscanf(line, "// param %s %d %t %d\n", &name, &q.Elems, &q.Exact, &q.Bits); err == nil {
			e, ok := tileir.ElemByName(name)
			if !ok {
				return nil, fmt.Errorf("%q is no element type", name)
			}
			q.Elem = e
			p.Params = append(p.Params, q)
			continue
		}
		if _, err := fmt.Sscanf(line, "// grid %d %d %d\n", &p.Grid[0], &p.Grid[1], &p.Grid[2]); err == nil {
			continue
		}
		if _, err := fmt.Sscanf(line, "// seed %d\n", &p.Seed); err != nil {
			break
		}
	}
	m, err := text.Parse(src, text.ParseOptions{})
	if err != nil {
		return nil, err
	}
	p.Module = m
	if n := len(m.Entries); n != 1 || len(m.Entries[0].Params) != len(p.Params) {
		return nil, fmt.Errorf("expected one entry with %d parameters", len(p.Params))
	}
	return p, tileir.Verify(m, tileir.Newest)
}

package reftest

import (
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/tileir"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

// CheckParsed prints a module, reads the text and compares. It changes the module as [asText] does.
func CheckParsed(t *testing.T, m *tileir.Module, v tileir.Version) {
	t.Helper()
	for _, debug := range []bool{true, false} {
		text := Printed(t, m, debug)
		got, err := irtext.Parse(text, irtext.ParseOptions{Version: v, File: "k.mlir"})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if again := Printed(t, got, debug); again != text {
			t.Errorf("printed again: %s", FirstDifference(again, text))
		}
		asText(m, debug)
		if err := Equal(m, got); err != nil {
			t.Errorf("debug %v: %v", debug, err)
		}
		if a, b := m.Verify(v), got.Verify(v); (a == nil) != (b == nil) {
			t.Errorf("Verify: of the module %v, of what was parsed %v", a, b)
		}
	}
}

// asText brings a module to the form that comes back from its text: what the text does not hold gets the value that the
// parser gives it (docs/bytecode.md, "What the text does not hold").
func asText(m *tileir.Module, debug bool) {
	for _, g := range m.Globals {
		g.Value, g.Loc = oneOrAll(g.Value), tileir.Loc{}
	}
	for _, e := range m.Entries {
		e.Hints = textHints(e.Hints)
		if len(e.Hints) == 0 {
			e.Hints = nil // the text does not tell none from an empty list
		}
		if !debug {
			e.Loc = tileir.Loc{}
		}
		blockAsText(e.Body, debug, nil)
	}
}

func blockAsText(b *tileir.Block, debug bool, owner *tileir.Op) {
	if b == nil {
		return
	}
	for i, o := range b.Ops {
		if !debug {
			o.Loc = tileir.Loc{}
		}
		implied := i == len(b.Ops)-1 && o.Info.Terminator && len(o.Operands) == 0 && owner != nil &&
			(owner.Info.Opcode == tileir.OpIf) == (o.Info.Opcode == tileir.OpYield) && slices.Contains([]int{tileir.OpYield, tileir.OpContinue}, o.Info.Opcode) &&
			slices.Contains([]int{tileir.OpIf, tileir.OpFor, tileir.OpLoop}, owner.Info.Opcode)
		if implied {
			o.Loc = tileir.Loc{} // terminators that are left out have no place
		}
		for j, a := range o.Attrs {
			switch a := a.(type) {
			case *tileir.Constant:
				o.Attrs[j] = oneOrAll(a)
			case tileir.Hints:
				o.Attrs[j] = textHints(a)
			}
		}
		for _, r := range o.Regions {
			blockAsText(r, debug, o)
		}
	}
}

// textHints sorts hints, as the text does.
func textHints(hs tileir.Hints) tileir.Hints {
	hs = slices.Clone(hs)
	for i := range hs {
		hs[i].Hints = slices.Clone(hs[i].Hints)
		slices.SortFunc(hs[i].Hints, func(a, b tileir.Hint) int { return strings.Compare(a.Name, b.Name) })
	}
	slices.SortFunc(hs, func(a, b tileir.ArchHints) int { return strings.Compare(a.Arch, b.Arch) })
	return hs
}

// oneOrAll gives a constant with equal elements one element, and packs truth values.
func oneOrAll(c *tileir.Constant) *tileir.Constant {
	out := &tileir.Constant{Type: c.Type}
	bits, splat := c.Splat()
	size := (c.Type.Elem.Bits() + 7) / 8
	switch {
	case splat && c.Type.Elem == tileir.I1:
		out.Data = []byte{byte(-int8(bits))}
	case splat:
		out.Data = c.Data[:size]
	default:
		out.Data = c.Data
		if c.Type.Elem == tileir.I1 {
			out.Data = make([]byte, (c.Type.Size()+7)/8)
			for i := range c.Type.Size() {
				out.Data[i/8] |= byte(c.Element(i) << (i % 8))
			}
		}
	}
	return out
}

package bytecode_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// asText brings a module to the form that comes back from its text: what the text does not hold gets the value that the
// parser gives it (docs/bytecode.md, "What the text does not hold").
func asText(m *Module, debug bool) {
	for _, g := range m.Globals {
		g.Value, g.Loc = oneOrAll(g.Value), Loc{}
	}
	for _, e := range m.Entries {
		e.Hints = textHints(e.Hints)
		if len(e.Hints) == 0 {
			e.Hints = nil // the text does not tell none from an empty list
		}
		if !debug {
			e.Loc = Loc{}
		}
		blockAsText(e.Body, debug, nil)
	}
}

func blockAsText(b *Block, debug bool, owner *Op) {
	if b == nil {
		return
	}
	for i, o := range b.Ops {
		if !debug {
			o.Loc = Loc{}
		}
		implied := i == len(b.Ops)-1 && o.Info.Terminator && len(o.Operands) == 0 && owner != nil &&
			(owner.Info.Opcode == OpIf) == (o.Info.Opcode == OpYield) && slices.Contains([]int{OpYield, OpContinue}, o.Info.Opcode) &&
			slices.Contains([]int{OpIf, OpFor, OpLoop}, owner.Info.Opcode)
		if implied {
			o.Loc = Loc{} // terminators that are left out have no place
		}
		for j, a := range o.Attrs {
			switch a := a.(type) {
			case *Constant:
				o.Attrs[j] = oneOrAll(a)
			case Hints:
				o.Attrs[j] = textHints(a)
			}
		}
		for _, r := range o.Regions {
			blockAsText(r, debug, o)
		}
	}
}

// textHints sorts hints, as the text does.
func textHints(hs Hints) Hints {
	hs = slices.Clone(hs)
	for i := range hs {
		hs[i].Hints = slices.Clone(hs[i].Hints)
		slices.SortFunc(hs[i].Hints, func(a, b Hint) int { return strings.Compare(a.Name, b.Name) })
	}
	slices.SortFunc(hs, func(a, b ArchHints) int { return strings.Compare(a.Arch, b.Arch) })
	return hs
}

// oneOrAll gives a constant with equal elements one element, and packs truth values.
func oneOrAll(c *Constant) *Constant {
	out := &Constant{Type: c.Type}
	bits, splat := c.Splat()
	size := (c.Type.Elem.Bits() + 7) / 8
	switch {
	case splat && c.Type.Elem == I1:
		out.Data = []byte{byte(-int8(bits))}
	case splat:
		out.Data = c.Data[:size]
	default:
		out.Data = c.Data
		if c.Type.Elem == I1 {
			out.Data = make([]byte, (c.Type.Size()+7)/8)
			for i := range c.Type.Size() {
				out.Data[i/8] |= byte(c.Element(i) << (i % 8))
			}
		}
	}
	return out
}

// checkParsed prints a module, reads the text and compares. It changes the module as [asText] does.
func checkParsed(t *testing.T, m *Module, v Version) {
	t.Helper()
	for _, debug := range []bool{true, false} {
		text := printed(t, m, debug)
		got, err := Parse(text, ParseOptions{Version: v, File: "k.mlir"})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if again := printed(t, got, debug); again != text {
			t.Errorf("printed again: %s", firstDifference(again, text))
		}
		asText(m, debug)
		if err := equalModules(m, got); err != nil {
			t.Errorf("debug %v: %v", debug, err)
		}
		if a, b := m.Verify(v), got.Verify(v); (a == nil) != (b == nil) {
			t.Errorf("Verify: of the module %v, of what was parsed %v", a, b)
		}
	}
}

func TestParseReferenceFiles(t *testing.T) {
	for _, f := range refFiles(t) {
		t.Run(f.name, func(t *testing.T) {
			m, v, err := bytecode.Read(f.data)
			if err != nil {
				t.Fatal(err)
			}
			checkParsed(t, m, v)
		})
	}
}

func TestParseAllReferenceFiles(t *testing.T) {
	dir := os.Getenv(refEnv)
	if dir == "" {
		t.Skip(refEnv + " does not name the full set of reference files; TestParseReferenceFiles runs a slice of it")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.tileirbc"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s=%s has no .tileirbc files (%v)", refEnv, dir, err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		m, v, err := bytecode.Read(data)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		t.Run(filepath.Base(path), func(t *testing.T) { checkParsed(t, m, v) })
	}
}

// TestParseEveryOperation does so for each operation in each version, by way of bytecode, which fills in places.
func TestParseEveryOperation(t *testing.T) {
	for _, v := range Versions() {
		for _, in := range Infos() {
			if !in.InBody || in.Since > v {
				continue
			}
			t.Run(v.String()+"/"+in.Mnemonic, func(t *testing.T) {
				data, err := bytecode.Write(samplesModule(in, v), v, bytecode.Options{})
				if err != nil {
					t.Fatal(err)
				}
				m, _, err := bytecode.Read(data)
				if err != nil {
					t.Fatal(err)
				}
				checkParsed(t, m, v)
			})
		}
	}
}

// TestParsePlaces does so for modules whose places are of every kind.
func TestParsePlaces(t *testing.T) {
	for _, m := range []*Module{placed(), blocks(), globals(Newest), fors(Newest), ifs(Newest), loops(Newest)} {
		data, err := bytecode.Write(m, Newest, bytecode.Options{})
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := bytecode.Read(data)
		if err != nil {
			t.Fatal(err)
		}
		checkParsed(t, again, Newest)
	}
}

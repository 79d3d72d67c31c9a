package bytecode_test

import (
	"bytes"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// rows builds modules for the operations of the table that stand in no body: they are rows of a file's sections.
var rows = map[string]func(v Version) *Module{"module": modules, "entry": fullEntry, "global": globals}

// modules makes a module of nothing but kernels.
func modules(v Version) *Module {
	m := kernel(func(b *builder) { b.value(f32v) })
	second := kernel(func(b *builder) { b.value(i32v) }).Entries[0]
	second.Name = "$quoted"
	m.Entries = append(m.Entries, second)
	if v >= V13_3 {
		m.Producer = "somebody"
	}
	return m
}

// fullEntry makes one kernel with everything that an entry may have.
func fullEntry(v Version) *Module {
	m := modules(v)
	e := m.Entries[1]
	m.Entries, m.Producer = m.Entries[1:], ""
	e.Private = true
	e.Params = []*Value{{Type: i32s}, {Type: PointerTile(F32)}, {Type: Tile(I1)}}
	e.Hints = Hints{{Arch: "sm_90", Hints: []Hint{{Name: "num_cta_in_cga", Value: HintValue{Elem: I32, Int: 2}}}}, {Arch: "default"}}
	return m
}

// TestRows does with the rows of sections what TestEveryOperation and TestParseEveryOperation do with the operations of
// bodies, in each version.
func TestRows(t *testing.T) {
	tool := testenv.ToolIfAny(t, "tileirdisasm")
	for _, in := range Infos() {
		if in.InBody {
			continue
		}
		for _, v := range Versions() {
			t.Run(v.String()+"/"+in.Mnemonic, func(t *testing.T) {
				m := rows[in.Mnemonic](v)
				if err := m.Verify(v); err != nil {
					t.Fatal(err)
				}
				data, err := bytecode.Write(m, v, bytecode.Options{})
				if err != nil {
					t.Fatal(err)
				}
				want, err := disassembled(t, tool, data, text.Sprint(m))
				if err != nil {
					t.Fatalf("tileirdisasm: %v: %s", err, want)
				}
				if got := text.Sprint(m); got != want {
					t.Error(firstDifference(got, want))
				}
				again, version, err := bytecode.Read(data)
				if err != nil || version != v {
					t.Fatalf("version %v, %v", version, err)
				}
				if err := equalModules(m, again); err != nil {
					t.Error(err)
				}
				if second, err := bytecode.Write(again, v, bytecode.Options{}); err != nil || !bytes.Equal(data, second) {
					t.Errorf("writing what was read gives other bytes (%v)", err)
				}
				checkParsed(t, again, v)
			})
		}
	}
}

package bytecode_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// TestWriteInvalid writes modules that Verify refuses: an error, never a panic.
func TestWriteInvalid(t *testing.T) {
	for name, damage := range map[string]func(m *Module){
		"entry":          func(m *Module) { m.Entries[0] = nil },
		"body":           func(m *Module) { m.Entries[0].Body = nil },
		"empty body":     func(m *Module) { m.Entries[0].Body.Ops = nil },
		"operation":      func(m *Module) { m.Entries[0].Body.Ops[1] = nil },
		"row":            func(m *Module) { m.Entries[0].Body.Ops[1].Info = nil },
		"operand":        func(m *Module) { m.Entries[0].Body.Ops[1].Operands[0] = nil },
		"no operands":    func(m *Module) { m.Entries[0].Body.Ops[1].Operands = nil },
		"result":         func(m *Module) { m.Entries[0].Body.Ops[1].Results[0] = nil },
		"type":           func(m *Module) { m.Entries[0].Body.Ops[1].Results[0].Type = nil },
		"typed nil":      func(m *Module) { m.Entries[0].Body.Ops[1].Results[0].Type = (*TileType)(nil) },
		"view":           func(m *Module) { m.Entries[0].Body.Ops[1].Results[0].Type = &PartitionViewType{} },
		"nil view":       func(m *Module) { m.Entries[0].Body.Ops[1].Results[0].Type = (*StridedViewType)(nil) },
		"element":        func(m *Module) { m.Entries[0].Body.Ops[1].Results[0].Type = &TileType{Elem: 99} },
		"attributes":     func(m *Module) { m.Entries[0].Body.Ops[0].Attrs = nil },
		"attribute":      func(m *Module) { m.Entries[0].Body.Ops[0].Attrs[0] = Int(4) },
		"constant":       func(m *Module) { m.Entries[0].Body.Ops[0].Attrs[0] = (*Constant)(nil) },
		"parameter":      func(m *Module) { m.Entries[0].Params = []*Value{nil} },
		"parameter type": func(m *Module) { m.Entries[0].Params = []*Value{{}} },
		"global":         func(m *Module) { m.Globals = []*Global{nil} },
		"global value":   func(m *Module) { m.Globals = []*Global{{Name: "g"}} },
		"region":         func(m *Module) { m.Entries[0].Body.Ops[4].Regions[0] = nil },
		"regions":        func(m *Module) { m.Entries[0].Body.Ops[4].Regions = nil },
		"block argument": func(m *Module) { m.Entries[0].Body.Ops[4].Regions[0].Args = []*Value{nil} },
	} {
		m := placed()
		damage(m)
		if _, err := bytecode.Write(m, Newest, bytecode.Options{}); err == nil || !strings.HasPrefix(err.Error(), "bytecode: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWriteSegments writes operations whose numbers of operands in each group do not fit.
func TestWriteSegments(t *testing.T) {
	tried := 0
	for _, module := range []func(Version) *Module{ifs, fors, loops, reductions, globals} {
		for i, o := range module(Newest).Entries[0].Body.Ops {
			if len(o.Segments) < 2 {
				continue
			}
			tried++
			less, more, moved := slices.Clone(o.Segments), slices.Clone(o.Segments), slices.Clone(o.Segments)
			less[0]--
			more[1]++
			moved[0], moved[1] = -1, moved[0]+moved[1]+1
			for _, wrong := range [][]int{less, more, moved, o.Segments[1:], append(less, 1), {len(o.Operands)}} {
				m := module(Newest)
				m.Entries[0].Body.Ops[i].Segments = wrong
				if _, err := bytecode.Write(m, Newest, bytecode.Options{}); err == nil || !strings.HasSuffix(err.Error(), "("+o.Info.Mnemonic+"): the numbers of attributes, operands or regions do not fit the operation") {
					t.Errorf("%s with %d operands in groups of %v: %v", o.Info.Mnemonic, len(o.Operands), wrong, err)
				}
			}
		}
	}
	if tried == 0 {
		t.Error("no operation has groups of operands")
	}
}

// TestWriteDamaged takes things away at random: Write gives bytes or an error, and bytes that it gives can be read or
// are refused, without a panic.
func TestWriteDamaged(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	written := 0
	for range 2000 {
		m := []func(Version) *Module{ifs, fors, loops, reductions, globals}[rnd.IntN(5)](Newest)
		b := m.Entries[0].Body
		for rnd.IntN(3) > 0 {
			o := b.Ops[rnd.IntN(len(b.Ops))]
			if len(o.Regions) > 0 && o.Regions[0] != nil && len(o.Regions[0].Ops) > 0 {
				b = o.Regions[0]
			}
		}
		o := b.Ops[rnd.IntN(len(b.Ops))]
		switch rnd.IntN(6) {
		case 0:
			o.Operands = o.Operands[:len(o.Operands)/2]
		case 1:
			o.Results = o.Results[:len(o.Results)/2]
		case 2:
			o.Info = Infos()[rnd.IntN(len(Infos()))]
		case 3:
			for i := range o.Attrs {
				o.Attrs[i] = Int(rnd.Int64())
			}
		case 4:
			o.Segments = []int{rnd.IntN(9) - 4, 1}
		default:
			o.Regions = nil
		}
		data, err := bytecode.Write(m, Newest, bytecode.Options{})
		if err != nil {
			continue
		}
		written++
		if again, v, err := bytecode.Read(data); err == nil {
			again.Verify(v)
		}
	}
	if written < 100 {
		t.Errorf("only %d damaged modules could be written", written)
	}
}

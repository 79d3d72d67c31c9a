package bytecode_test

import (
	"errors"
	"strings"
	"testing"

	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

// FuzzRead looks for files on which Read, or what follows it, panics or contradicts itself.
func FuzzRead(f *testing.F) {
	for _, r := range smallFiles(f) {
		f.Add(r.data)
	}
	f.Add(file(4, 2, 8, goodFunc, 5, 4, goodTypes, 1, 4, goodText))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, v, err := bytecode.Read(data)
		if err != nil {
			checkError(t, "fuzz", data, err)
			return
		}
		checkModule(t, m, v)
	})
}

// FuzzVerify reads a file and changes the module as a script says: none of Verify, Print and Write may panic on any
// version, and they must agree.
func FuzzVerify(f *testing.F) {
	scripts := []string{"", "\x01\x02\x03\x04", "\x07\x00\x05\x09\x03\x03\x03\x03", "\x0c\x01\x01\x01\x0b\x04\x02\x02\x09\x08\x07\x06"}
	for _, r := range smallFiles(f) {
		for _, s := range scripts {
			f.Add(r.data, []byte(s))
		}
	}
	for _, in := range Infos() {
		if in.InBody && in.Since <= V13_4 {
			if data, err := bytecode.Write(samplesModule(in, V13_4), V13_4, bytecode.Options{}); err == nil {
				f.Add(data, []byte(in.Mnemonic))
			}
		}
	}
	f.Fuzz(func(t *testing.T, data, script []byte) {
		m, v, err := bytecode.Read(data)
		if err != nil || len(m.Entries) == 0 {
			return
		}
		changer{module: m, script: script}.run()
		checkModule(t, m, v)
	})
}

// checkModule does all that can be done to a module: nothing may panic, and what is valid can be written, read, printed
// and parsed.
func checkModule(t *testing.T, m *Module, own Version) {
	t.Helper()
	for _, v := range Versions() {
		invalid := m.Verify(v)
		if invalid != nil {
			_ = invalid.Error()
		}
		var text strings.Builder
		printed := irtext.Print(&text, m, irtext.PrintOptions{Version: v, Debug: v == V13_3})
		out, err := bytecode.Write(m, v, bytecode.Options{Strip: v == V13_2})
		if invalid != nil {
			checkFaults(t, invalid)
			continue
		}
		if err != nil || printed != nil {
			t.Fatalf("a module that is valid for %v cannot be written (%v) or printed (%v)", v, err, printed)
		}
		again, _, err := bytecode.Read(out)
		if err != nil {
			t.Fatalf("what was written for %v cannot be read: %v", v, err)
		}
		if v < V13_3 {
			again.Producer = m.Producer // which those versions do not have
		}
		if irtext.Sprint(again) != irtext.Sprint(m) {
			t.Fatalf("%v: the text changes when a module is written and read:\n%s", v, firstDifference(irtext.Sprint(again), irtext.Sprint(m)))
		}
		parsed, err := irtext.Parse(text.String(), irtext.ParseOptions{Version: v})
		if err != nil {
			t.Fatalf("%v\n%s", err, text.String())
		}
		if err := parsed.Verify(v); err != nil {
			t.Fatalf("%v: what was parsed is not valid: %v\n%s", v, err, text.String())
		}
	}
}

// checkFaults checks that faults are of the kind that is promised.
func checkFaults(t *testing.T, err error) {
	t.Helper()
	var fault *VerifyError
	if !errors.As(err, &fault) || fault.What == "" {
		t.Fatalf("%v is no *VerifyError", err)
	}
}

// changer changes a module as the bytes of a script say.
type changer struct {
	module *Module
	script []byte
	ops    []*Op
	blocks []*Block
	values []*Value
	types  []Type
}

// next takes a number below n from the script.
func (c *changer) next(n int) int {
	if len(c.script) == 0 || n <= 1 {
		return 0
	}
	x := int(c.script[0])
	c.script = c.script[1:]
	return x % n
}

func (c changer) run() {
	c.types = []Type{nil, (*TileType)(nil), Token, &FuncType{}, &TileType{Elem: 99}, Tile(F4E2M1FN, 2), ScalarType{Elem: F16},
		&PartitionViewType{}, Tile(I32, 3), PointerTile(F64, 4)}
	for _, e := range c.module.Entries {
		c.values = append(c.values, e.Params...)
		c.collect(e.Body)
	}
	for _, v := range c.values {
		c.types = append(c.types, v.Type)
	}
	c.values = append(c.values, nil, &Value{}, &Value{Type: Tile(F32)})
	for len(c.script) > 0 && len(c.ops) > 0 {
		changes[c.next(len(changes))](&c, c.ops[c.next(len(c.ops))])
	}
}

func (c *changer) collect(b *Block) {
	if b == nil {
		return
	}
	c.blocks = append(c.blocks, b)
	c.values = append(c.values, b.Args...)
	for _, o := range b.Ops {
		c.ops = append(c.ops, o)
		c.values = append(c.values, o.Results...)
		for _, r := range o.Regions {
			c.collect(r)
		}
	}
}

// attrs are values of all kinds.
func (c *changer) attr() Attr {
	n := int64(c.next(256) - 128)
	return []Attr{nil, Int(n), Bool(true), String("x"), Ints{int(n), 1}, Bools{true, false}, Numbers{{Elem: F16, Bits: uint64(n)}},
		(*Constant)(nil), &Constant{}, &Constant{Type: Tile(I1, 16), Data: []byte{1}}, DivBy{Divisor: uint64(n)}, DivBy{Every: &n},
		Bounded{Lower: &n}, SameElements{n, n}, Hints{{Arch: "sm_90", Hints: []Hint{{Name: "latency", Value: HintValue{Elem: I32, Int: n}}}}},
		Hints{{Hints: []Hint{{Value: HintValue{Other: List{TypeValue{Type: &FuncType{}}, Dict{{Name: "a", Value: Bool(true)}}}}}}}}, List{nil}, TypeValue{}}[c.next(18)]
}

// changes are what may happen to an operation.
var changes = []func(c *changer, o *Op){
	func(c *changer, o *Op) {
		if len(o.Operands) > 0 {
			o.Operands[c.next(len(o.Operands))] = c.values[c.next(len(c.values))]
		}
	},
	func(c *changer, o *Op) { o.Operands = o.Operands[:c.next(len(o.Operands)+1)] },
	func(c *changer, o *Op) { o.Operands = append(o.Operands, c.values[c.next(len(c.values))]) },
	func(c *changer, o *Op) {
		if len(o.Results) > 0 {
			if r := o.Results[c.next(len(o.Results))]; r != nil {
				r.Type = c.types[c.next(len(c.types))]
			}
		}
	},
	func(c *changer, o *Op) { o.Results = o.Results[:c.next(len(o.Results)+1)] },
	func(c *changer, o *Op) { o.Results = append(o.Results, c.values[c.next(len(c.values))]) },
	func(c *changer, o *Op) {
		if len(o.Attrs) > 0 {
			o.Attrs[c.next(len(o.Attrs))] = c.attr()
		}
	},
	func(c *changer, o *Op) { o.Attrs = o.Attrs[:c.next(len(o.Attrs)+1)] },
	func(c *changer, o *Op) { o.Info = Infos()[c.next(len(Infos()))] },
	func(c *changer, o *Op) { o.Info = nil },
	func(c *changer, o *Op) { o.Segments = []int{c.next(3), c.next(3) - 1} },
	func(c *changer, o *Op) { o.Segments = nil },
	func(c *changer, o *Op) {
		if len(o.Regions) > 0 {
			o.Regions[c.next(len(o.Regions))] = nil
		}
	},
	func(c *changer, o *Op) { o.Regions = nil },
	func(c *changer, o *Op) { o.Regions = append(o.Regions, &Block{Args: []*Value{{}}, Ops: []*Op{nil}}) },
	func(c *changer, o *Op) { // delete, move or repeat
		b := c.blocks[c.next(len(c.blocks))]
		if n := len(b.Ops); n > 0 {
			b.Ops = append(b.Ops[:c.next(n)], b.Ops[c.next(n):]...)
		}
	},
	func(c *changer, o *Op) {
		if len(o.Regions) == 0 { // else a block could contain itself
			b := c.blocks[c.next(len(c.blocks))]
			at := c.next(len(b.Ops) + 1)
			b.Ops = append(b.Ops[:at:at], append([]*Op{o}, b.Ops[at:]...)...)
		}
	},
	func(c *changer, o *Op) {
		b := c.blocks[c.next(len(c.blocks))]
		b.Args = append(b.Args, c.values[c.next(len(c.values))])
	},
	func(c *changer, o *Op) {
		e := c.module.Entries[c.next(len(c.module.Entries))]
		e.Params = append(e.Params, c.values[c.next(len(c.values))])
	},
	func(c *changer, o *Op) {
		e := c.module.Entries[c.next(len(c.module.Entries))]
		e.Hints, _ = c.attr().(Hints)
		e.Name = []string{"", "k", "a b", "\x00", e.Name}[c.next(5)]
	},
	func(c *changer, o *Op) {
		k, _ := c.attr().(*Constant)
		c.module.Globals = append(c.module.Globals, &Global{Name: "g", Value: k, Align: int64(c.next(9)), Private: c.next(2) > 0})
	},
	func(c *changer, o *Op) {
		o.Loc = Loc{File: "f", Line: c.next(9), Col: -1, Scope: &Scope{Parent: &Scope{}, Line: -1}}
		if c.next(2) > 0 {
			o.Loc.Caller = &Loc{Line: c.next(2)}
		}
	},
	func(c *changer, o *Op) {
		item := []any{c.types[c.next(len(c.types))], String("x"), Loc{Line: 3}, &Constant{}, (*Constant)(nil), nil}[c.next(6)]
		c.module.Listed = append(c.module.Listed, Listed{Before: []any{o, nil, c.module.Entries[0]}[c.next(3)], Item: item})
	},
	func(c *changer, o *Op) {
		c.module.Producer = []string{"", "a", "a\nb", "\n// Producer: \r\n"}[c.next(4)]
	},
}

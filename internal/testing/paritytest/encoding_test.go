package paritytest_test

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"
	"testing"

	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// body collects operations; the module's entry is k.
type body struct{ ops []*Op }

func (b *body) add(name string, groups [][]*Value, attrs map[string]Attr, results ...Type) *Op {
	in := Lookup(name)
	var list []NamedAttr
	for n, a := range attrs {
		list = append(list, NamedAttr{Name: n, Value: a})
	}
	o := NewOp(in, groups, Attrs(in, list...), results, nil, Loc{})
	b.ops = append(b.ops, o)
	return o
}

func (b *body) constant(t *TileType, data ...byte) *Value {
	return b.add("constant", nil, map[string]Attr{"value": &Constant{Type: t, Data: data}}, t).Results[0]
}

func (b *body) module() *Module {
	ops := append(slices.Clip(b.ops), NewOp(Lookup("return"), nil, nil, nil, nil, Loc{}))
	return &Module{Entries: []*Entry{{Name: "k", Body: &Block{Ops: ops}}}}
}

// encode writes a module that must be valid, and reads it back.
func encode(t *testing.T, m *Module, v Version) []byte {
	t.Helper()
	if err := m.Verify(v); err != nil {
		t.Fatal(err)
	}
	data, err := bytecode.Write(m, v, bytecode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	again, got, err := bytecode.Read(data)
	if err != nil || got != v {
		t.Fatalf("read back version %v: %v", got, err)
	}
	if text.Sprint(again) != text.Sprint(m) {
		t.Errorf("read back\n%v\nwant\n%v", text.Sprint(again), text.Sprint(m))
	}
	return data
}

// flag checks that two files differ in one bit, and in which.
func flag(t *testing.T, off, on []byte, mask byte) {
	t.Helper()
	n := 0
	for i := range off {
		if len(on) != len(off) {
			break
		}
		if d := off[i] ^ on[i]; d != 0 {
			n += bits.OnesCount8(d)
			if d != mask || on[i]&mask == 0 {
				t.Errorf("byte %d is %x and %x", i, off[i], on[i])
			}
		}
	}
	if len(on) != len(off) || n != 1 {
		t.Errorf("%d bits differ, %d and %d bytes", n, len(off), len(on))
	}
}

// unary makes a module with one operation on a constant, with or without an attribute.
func unary(name string, e Elem, attr string, value Attr) *Module {
	b := &body{}
	x := b.constant(Tile(e, 4), make([]byte, e.Bits()/8)...)
	attrs := map[string]Attr{}
	if value != nil {
		attrs[attr] = value
	}
	b.add(name, [][]*Value{{x}}, attrs, Tile(e, 4))
	return b.module()
}

// TestAttributesOfNewerVersions: an attribute that a version added is written from that version on, with its default.
func TestAttributesOfNewerVersions(t *testing.T) {
	for _, c := range []struct {
		op, attr string
		elem     Elem
		since    Version
		standard Int
		number   byte
		other    Int
	}{
		{"negi", "overflow", I32, V13_2, OverflowNone, 0, OverflowNoSignedWrap},
		{"tanh", "rounding_mode", F32, V13_2, RoundingFull, 5, RoundingApprox},
		{"exp", "rounding_mode", F32, V13_3, RoundingFull, 5, RoundingApprox},
	} {
		if c.standard != Int(c.number) {
			t.Errorf("%s: the default is %d", c.op, c.standard)
		}
		plain := unary(c.op, c.elem, c.attr, nil)
		encode(t, plain, c.since-1)
		after := encode(t, plain, c.since)
		given := encode(t, unary(c.op, c.elem, c.attr, c.standard), c.since)
		if !bytes.Equal(after, given) {
			t.Errorf("%s: without the attribute the file is another than with its default", c.op)
		}
		other := encode(t, unary(c.op, c.elem, c.attr, c.other), c.since)
		for i := range other {
			if other[i] != after[i] && (after[i] != c.number || other[i] != byte(c.other)) {
				t.Errorf("%s: byte %d is %d and %d", c.op, i, after[i], other[i])
			}
		}
		if bytes.Equal(other, after) {
			t.Errorf("%s: %s is not written", c.op, c.attr)
		}
		if _, err := bytecode.Write(unary(c.op, c.elem, c.attr, c.other), c.since-1, bytecode.Options{}); err == nil ||
			!strings.Contains(err.Error(), "attribute "+c.attr+" needs version "+c.since.String()) {
			t.Errorf("%s: %v", c.op, err)
		}
	}
}

func loop(attrs map[string]Attr) *Module {
	b := &body{}
	n := b.constant(Tile(I32), 8, 0, 0, 0)
	in := Lookup("for")
	var list []NamedAttr
	for name, a := range attrs {
		list = append(list, NamedAttr{Name: name, Value: a})
	}
	region := &Block{Args: []*Value{{Type: Tile(I32)}}, Ops: []*Op{NewOp(Lookup("continue"), nil, nil, nil, nil, Loc{})}}
	b.ops = append(b.ops, NewOp(in, [][]*Value{{n}, {n}, {n}}, Attrs(in, list...), nil, []*Block{region}, Loc{}))
	return b.module()
}

// TestFlagBits: unit attributes and absent operands are bits of one flag field.
func TestFlagBits(t *testing.T) {
	off := encode(t, loop(nil), V13_2)
	flag(t, off, encode(t, loop(map[string]Attr{"unsignedCmp": Bool(true)}), V13_2), 1)
	if !bytes.Equal(off, encode(t, loop(map[string]Attr{"unsignedCmp": Bool(false)}), V13_2)) {
		t.Error("the default of unsignedCmp is not false")
	}
	if _, err := bytecode.Write(loop(map[string]Attr{"unsignedCmp": Bool(true)}), V13_1, bytecode.Options{}); err == nil {
		t.Error("13.1 has no unsignedCmp")
	}
	add := func(ftz bool) *Module {
		b := &body{}
		x := b.constant(Tile(F32, 4), 0, 0, 128, 63)
		b.add("addf", [][]*Value{{x}, {x}}, map[string]Attr{"rounding_mode": RoundingZero, "flush_to_zero": Bool(ftz)}, Tile(F32, 4))
		return b.module()
	}
	flag(t, encode(t, add(false), V13_2), encode(t, add(true), V13_2), 1)
}

// TestPrintToken: the operation gives a token always; the one that it takes is optional, and bit 0 of its flags.
func TestPrintToken(t *testing.T) {
	print := func(in bool) *Module {
		b := &body{}
		var token []*Value
		made := b.add("make_token", nil, nil, Token).Results[0]
		if in {
			token = append(token, made)
		}
		b.add("print_tko", [][]*Value{{}, token}, map[string]Attr{"str": String("x")}, Token)
		return b.module()
	}
	without, with := encode(t, print(false), V13_2), encode(t, print(true), V13_2)
	const number, types, token = 85, 1, 3                                          // the operation, how many results, their type
	if op := []byte{number, types, token, 0, 1, 0}; !bytes.Contains(without, op) { // no flag, the text, no arguments
		t.Errorf("no % x in % x", op, without)
	}
	if op := []byte{number, types, token, 1, 1, 0, 0}; !bytes.Contains(with, op) { // the flag, the text, no arguments, value 0
		t.Errorf("no % x in % x", op, with)
	}
	m := print(false)
	m.Entries[0].Body.Ops[1].Results = nil
	if err := m.Verify(V13_2); err == nil || !strings.Contains(err.Error(), "expected 1 results, but found 0") {
		t.Errorf("a print without a result: %v", err)
	}
	in := Lookup("print_tko")
	if i := in.OperandIndex("token"); !in.Operands[i].Optional || in.Operands[i].Since != V13_2 {
		t.Errorf("%+v", in.Operands)
	}
}

func global(g Global, producer string) *Module {
	m := (&body{}).module()
	g.Name, g.Value = "g", &Constant{Type: Tile(I16, 2), Data: []byte{1, 0, 2, 0}}
	m.Globals, m.Producer = []*Global{&g}, producer
	return m
}

// TestModuleOf13_3: globals have visibility, public by default, and a constant flag; a module may name its producer.
func TestModuleOf13_3(t *testing.T) {
	plain := encode(t, global(Global{}, ""), V13_3)
	if bytes.Equal(plain, encode(t, global(Global{Private: true}, ""), V13_3)) {
		t.Error("the visibility is not written")
	}
	if bytes.Equal(plain, encode(t, global(Global{Constant: true}, ""), V13_3)) {
		t.Error("the constant flag is not written")
	}
	if data := encode(t, global(Global{}, "who wrote it"), V13_3); !bytes.Contains(data, []byte("who wrote it")) || bytes.Contains(plain, []byte("who")) {
		t.Error("the producer is not in the file")
	}
	data, err := bytecode.Write(global(Global{}, "who wrote it"), V13_2, bytecode.Options{})
	if err != nil || bytes.Contains(data, []byte("who wrote it")) {
		t.Errorf("13.2 has no producer: %v", err)
	}
	for _, g := range []Global{{Private: true}, {Constant: true}} {
		if m := global(g, ""); m.Verify(V13_2) == nil {
			_, err := bytecode.Write(m, V13_2, bytecode.Options{})
			t.Errorf("13.2 accepts %+v (Write: %v)", g, err)
		}
	}
}

// TestBuilderExamples builds each example of an operation with the public builder, writes it and reads it back.
func TestBuilderExamples(t *testing.T) {
	b := &body{}
	i := b.constant(Tile(I32), 42, 0, 0, 0)
	x := b.constant(Tile(F32, 4), 0, 0, 128, 63)
	b.add("addf", [][]*Value{{x}, {x}}, map[string]Attr{"rounding_mode": RoundingZero, "flush_to_zero": Bool(true)}, Tile(F32, 4))
	b.add("cmpi", [][]*Value{{i}, {i}}, map[string]Attr{"comparison_predicate": CompareLessThan, "signedness": Signed}, Tile(I1))
	region := &Block{Args: []*Value{{Type: Tile(I32)}}, Ops: []*Op{NewOp(Lookup("continue"), nil, nil, nil, nil, Loc{})}}
	b.ops = append(b.ops, NewOp(Lookup("for"), [][]*Value{{i}, {i}, {i}}, nil, nil, []*Block{region}, Loc{}))
	token := b.add("make_token", nil, nil, Token).Results[0]
	b.add("print_tko", [][]*Value{{i, x}, {token}}, map[string]Attr{"str": String("%d %f")}, Token)
	zero := b.constant(Tile(I64, 4), make([]byte, 8)...)
	ptr := b.add("int_to_ptr", [][]*Value{{zero}}, nil, PointerTile(F32, 4)).Results[0]
	mask := b.constant(Tile(I1, 4), 0xff)
	load := b.add("load_ptr_tko", [][]*Value{{ptr}, {mask}, {x}}, map[string]Attr{"memory_ordering_semantics": MemoryWeak}, Tile(F32, 4), Token)
	m := b.module()
	m.Entries[0].Params = []*Value{{Type: PointerTile(F32)}, {Type: Tile(I32)}}
	again, _, err := bytecode.Read(encode(t, m, V13_2))
	if err != nil {
		t.Fatal(err)
	}
	if r := only(t, again, "for").Regions[0]; len(r.Args) != 1 || r.Args[0].Type.String() != "tile<i32>" || r.Ops[len(r.Ops)-1].Info.Mnemonic != "continue" {
		t.Errorf("the loop's body is %+v", r)
	}
	for _, want := range []string{"entry @k(%arg0: tile<ptr<f32>>, %arg1: tile<i32>) {", "constant <i32: 42> : tile<i32>",
		" rounding<zero> flush_to_zero : tile<4xf32>", "cmpi less_than ", "for %", `print_tko "%d %f", `, "load_ptr_tko weak ", "return"} {
		has(t, m, want, -1)
	}
	if !slices.Equal(load.Segments, []int{1, 1, 1, 0}) || len(load.Results) != 2 || load.Results[1].Type != Token || MemoryWeak != 0 {
		t.Errorf("%v: segments %v", load, load.Segments)
	}
	if load.Attr("memory_scope") != nil {
		t.Errorf("%v", load)
	}
}

// TestBytesOfConstants: truth values are 0xFF and 0, integers are little-endian; permutations are a count and 32-bit
// integers; numbers of 8 bits are one byte.
func TestBytesOfConstants(t *testing.T) {
	contains := func(what string, b *body, want ...byte) {
		t.Helper()
		if data := encode(t, b.module(), V13_2); !bytes.Contains(data, want) {
			t.Errorf("%s: no % x in % x", what, want, data)
		}
	}
	b := &body{}
	b.constant(Tile(I64), 1, 2, 3, 4, 5, 6, 7, 8)
	contains("i64", b, 8, 1, 2, 3, 4, 5, 6, 7, 8)
	b = &body{}
	x := b.constant(Tile(I8, 2, 4, 8), 9)
	b.add("permute", [][]*Value{{x}}, map[string]Attr{"permutation": Ints{2, 0, 1}}, Tile(I8, 8, 2, 4))
	contains("permutation", b, 3, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0)
	for _, on := range []bool{true, false} {
		m := module(t, truth[d4], nil)
		if !on {
			m = module(t, lie[d4], nil)
		}
		want := map[bool]byte{true: 0xff, false: 0}[on]
		found := false
		for _, o := range named(m, "constant") {
			if c := o.Attr("value").(*Constant); c.Type.Elem == I1 {
				found = true
				if len(c.Data) != 1 || c.Data[0] != want {
					t.Errorf("%v is % x", on, c.Data)
				}
			}
		}
		if !found {
			t.Errorf("no constant %v in\n%v", on, text.Sprint(m))
		}
	}
}

// TestUnsupportedInVersion: what a version lacks is an error of Write, by name and version.
func TestUnsupportedInVersion(t *testing.T) {
	b := &body{}
	x := b.constant(Tile(F32, 4), 0, 0, 128, 63)
	b.add("atan2", [][]*Value{{x}, {x}}, nil, Tile(F32, 4))
	_, err := bytecode.Write(b.module(), V13_1, bytecode.Options{})
	if err == nil || !strings.Contains(err.Error(), "the operation needs version 13.2, but the target is 13.1") {
		t.Error(err)
	}
	encode(t, b.module(), V13_2)
}

// TestSameBytesAgain: a kernel that is compiled and written again gives the same bytes.
func TestSameBytesAgain(t *testing.T) {
	for _, v := range []Version{V13_2, V13_3, V13_4} {
		var first []byte
		for range 3 {
			data, err := bytecode.Write(module(t, product[d16, d16, d16], nil), v, bytecode.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = data
			}
			if !bytes.Equal(data, first) {
				t.Errorf("%v: other bytes", v)
			}
		}
	}
}

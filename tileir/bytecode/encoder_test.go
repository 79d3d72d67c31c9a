package bytecode_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// encoding is one way to use an operation: with nothing optional, with everything, or with one optional thing.
type encoding struct {
	in      *Info
	version Version
	only    string // "" for nothing, "*" for everything
}

// encodings lists all of them.
func encodings() []encoding {
	var out []encoding
	for _, v := range Versions() {
		for _, in := range Infos() {
			if !in.InBody || in.Since > v {
				continue
			}
			out = append(out, encoding{in, v, ""}, encoding{in, v, "*"})
			for i := range in.Operands {
				if x := &in.Operands[i]; (x.Optional || x.Variadic) && x.Since <= v {
					out = append(out, encoding{in, v, x.Name})
				}
			}
			for i := range in.Attrs {
				if x := &in.Attrs[i]; (x.Optional || x.Coding == UnitAttr || x.HasDefault) && x.Since <= v {
					out = append(out, encoding{in, v, x.Name})
				}
			}
		}
	}
	return out
}

// typesOf are result types to choose from: all that a version has.
func typesOf(v Version) []Type {
	out := []Type{Token, i32v, tensor, part, padded, PointerTile(F16, 2, 2)}
	for _, e := range Elems() {
		if e.Since() <= v {
			out = append(out, Tile(e, 4), Tile(e))
		}
	}
	if v >= V13_3 {
		out = append(out, stride, plainS, gather)
	}
	if v >= V13_4 {
		out = append(out, attrPtrs, attrTensor)
	}
	return out
}

// module makes a module that uses an operation so. It is not valid: types and values are whatever comes.
func (e encoding) module() *Module {
	x, y, z := &Value{Type: i32s}, &Value{Type: PointerTile(F32)}, &Value{Type: Tile(F16)}
	given := func(name string) bool { return e.only == "*" || e.only == name }
	var groups [][]*Value
	for i := range e.in.Operands {
		switch in := &e.in.Operands[i]; {
		case in.Since > e.version || (in.Optional || in.Variadic) && !given(in.Name):
			groups = append(groups, nil)
		case in.Variadic:
			groups = append(groups, []*Value{z, x, y})
		default:
			groups = append(groups, []*Value{[]*Value{x, y, z}[i%3]})
		}
	}
	var attrs []Attr
	for i := range e.in.Attrs {
		a := &e.in.Attrs[i]
		optional := a.Optional || a.HasDefault
		if a.Since > e.version || optional && !given(a.Name) {
			attrs = append(attrs, nil)
			continue
		}
		attrs = append(attrs, e.attr(a))
	}
	all := typesOf(e.version)
	var results []Type
	for i := range e.in.Results {
		results = append(results, all[(e.in.Opcode+i)%len(all)])
		if e.in.Results[i].Variadic && e.only == "*" {
			results = append(results, all[(e.in.Opcode+7)%len(all)], i32v)
		}
	}
	var regions []*Block
	for i := range e.in.Regions {
		arg := &Value{Type: all[(e.in.Opcode+3+i)%len(all)]}
		regions = append(regions, &Block{Args: []*Value{arg}, Ops: []*Op{NewOp(Lookup("yield"), [][]*Value{{arg, x}}, nil, nil, nil, Loc{})}})
	}
	o := NewOp(e.in, groups, attrs, results, regions, Loc{})
	after := NewOp(Lookup("return"), [][]*Value{o.Results}, nil, nil, nil, Loc{})
	if k := len(e.in.Results); k > 0 && e.in.Results[k-1].Since > e.version {
		after = NewOp(Lookup("return"), nil, nil, nil, nil, Loc{})
	}
	return &Module{Entries: []*Entry{{Name: "k", Params: []*Value{x, y, z}, Body: &Block{Ops: []*Op{o, after}}}}}
}

// attr gives an attribute some value that is not the default.
func (e encoding) attr(a *AttrInfo) Attr {
	full := e.only == "*"
	switch a.Coding {
	case EnumAttr:
		vs := a.Enum.Values
		return Int(vs[(e.in.Opcode+len(e.only))%len(vs)].Value)
	case VarintAttr:
		return Int(1000 * (1 + len(e.only)))
	case BoolAttr, UnitAttr:
		return Bool(full || a.Coding == UnitAttr)
	case StringAttr:
		return String("text " + e.only)
	case ConstantAttr:
		return &Constant{Type: i32v, Data: []byte{1, 2, byte(len(e.only))}}
	case Int32ArrayAttr:
		return map[bool]Ints{true: {1, -7, 70000}, false: {}}[full]
	case BoolArrayAttr:
		return Bools{true, false, true}
	case NumberArrayAttr:
		if !full {
			return Numbers{}
		}
		return Numbers{{Elem: I32, Bits: 0xfffffffb}, {Elem: F32, Bits: 0xff800000}, {Elem: I8, Bits: 200}, {Elem: I64, Bits: 1 << 40}, {Elem: F32, Bits: 0x3fc00000}}
	case HintsAttr:
		return Hints{{Arch: "sm_90", Hints: []Hint{{Name: "allow_tma", Value: HintValue{}}, {Name: "latency", Value: HintValue{Elem: I32, Int: 4}}}}, {Arch: "default"}}
	case PredicateAttr:
		if full {
			return DivBy{Divisor: 1024, Every: i64p(4), Along: i64p(-1)}
		}
		return Bounded{Lower: i64p(-9)}
	}
	panic("BUG: no value for an attribute of coding " + fmt.Sprint(a.Coding))
}

// encoded is what an encoder gives: the body, and the entries of the tables, in hexadecimal.
type encoded struct {
	Body                      string
	Types, Strings, Constants []string
	Error                     string
}

// ours takes a file apart. The body of the only function is what its row has after six bytes and its length.
func ours(t *testing.T, data []byte) encoded {
	t.Helper()
	parts, err := bytecode.Sections(data)
	if err != nil {
		t.Fatal(err)
	}
	var out encoded
	for _, p := range parts {
		payload := data[p.Payload:p.End]
		switch p.Name {
		case "Func":
			n, k := binary.Uvarint(payload[5:]) // count, name, type, flags, debug row
			out.Body = hex.EncodeToString(payload[5+k : 5+k+int(n)])
		case "Type":
			out.Types = entries(payload, 4)
		case "String":
			out.Strings = entries(payload, 4)
		case "Constant":
			out.Constants = entries(payload, 8)
		}
	}
	return out
}

// entries splits a table.
func entries(payload []byte, width int) []string {
	n, k := binary.Uvarint(payload)
	at := (k + width - 1) / width * width
	data := payload[min(len(payload), at+int(n)*width):]
	var out []string
	for i := range int(n) {
		from, to := binary.LittleEndian.Uint32(payload[at+i*width:]), uint32(len(data))
		if i+1 < int(n) {
			to = binary.LittleEndian.Uint32(payload[at+(i+1)*width:])
		}
		out = append(out, hex.EncodeToString(data[from:to]))
	}
	return out
}

// differing are uses of operations for which cuTile Python's encoder gives other bytes, or none.
var differing = []struct {
	reason string
	in     *Info
	attrs  []Attr
	absent bool // no else
}{
	{"the encoder has no same_elements", Lookup("assume"), []Attr{SameElements{1, 2}}, false},
	{"the encoder writes a negative f64 with 65 bits, of which readers drop the sign", Lookup("reduce"),
		[]Attr{Int(0), Numbers{{Elem: F64, Bits: math.Float64bits(-1)}}}, false},
	{"the encoder has no way to leave an else out", Lookup("if"), nil, true},
}

// request describes a module for testdata/encode.py, and gives our bytes.
func request(t *testing.T, m *Module, v Version) (jsonOf, encoded) {
	t.Helper()
	data, err := bytecode.Write(m, v, bytecode.Options{})
	if err != nil {
		t.Fatalf("%v: %v", text.Sprint(m), err)
	}
	n := &numbering{ids: map[*Value]int{}}
	k := m.Entries[0]
	n.define(k.Params)
	return jsonOf{"version": v.String(), "name": k.Name, "params": jsonTypes(k.Params), "ops": n.ops(k.Body.Ops, v)}, ours(t, data)
}

func (e encoded) equal(o encoded) bool {
	return e.Body == o.Body && slices.Equal(e.Types, o.Types) && slices.Equal(e.Strings, o.Strings) && slices.Equal(e.Constants, o.Constants)
}

// encodeAll gives the descriptions to cuTile Python's encoder.
func encodeAll(t *testing.T, python string, input []jsonOf) []encoded {
	t.Helper()
	stdin, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(python, filepath.Join("..", "testdata", "encode.py"))
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	var got []encoded
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil || len(got) != len(input) {
		t.Fatalf("%d of %d answers: %v", len(got), len(input), err)
	}
	return got
}

// TestEncoder compares with cuTile Python's encoder: each operation in each version, with nothing optional, everything,
// and each optional thing alone. Bodies and tables must be the same.
func TestEncoder(t *testing.T) {
	python := testenv.Oracle(t)
	all := encodings()
	var input []jsonOf
	var want []encoded
	add := func(m *Module, v Version) {
		j, e := request(t, m, v)
		input, want = append(input, j), append(want, e)
	}
	for _, e := range all {
		add(e.module(), e.version)
	}
	for _, d := range differing {
		m := encoding{d.in, Newest, ""}.module()
		o := m.Entries[0].Body.Ops[0]
		if copy(o.Attrs, d.attrs); d.absent {
			o.Regions[1] = nil
		}
		add(m, Newest)
	}
	got := encodeAll(t, python, input)
	equal := 0
	for i, e := range all {
		if got[i].equal(want[i]) {
			equal++
		} else {
			t.Errorf("%s in %v with %q:\nours   %+v\ncuTile %+v", e.in.Mnemonic, e.version, e.only, want[i], got[i])
		}
	}
	for i, d := range differing {
		if k := len(all) + i; got[k].equal(want[k]) {
			t.Errorf("%s: the bytes are the same now: %+v", d.reason, got[k])
		}
	}
	t.Logf("%d of %d encodings have the same bytes", equal, len(all))
	if len(all) < 900 {
		t.Errorf("only %d encodings", len(all))
	}
}

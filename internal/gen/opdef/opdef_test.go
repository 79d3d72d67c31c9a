package opdef

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGenerated checks that the committed files are what the facts give.
func TestGenerated(t *testing.T) {
	for name, generate := range Files {
		want, err := generate()
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("..", "..", "..", "tileir", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("tileir/%s is out of date: run go generate ./tileir", name)
		}
		again, err := generate()
		if err != nil || !bytes.Equal(again, want) {
			t.Errorf("%s: generating twice gives different bytes (%v)", name, err)
		}
	}
}

// TestFacts checks that the facts are whole: no number twice, every flag bit used once, every constraint known.
func TestFacts(t *testing.T) {
	s, err := load(facts)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Ops) != 105 { // said here alone: the other tests take all operations that the table has
		t.Errorf("%d operations, expected 105", len(s.Ops))
	}
	seen := map[int]string{}
	for _, o := range s.Ops {
		if other, ok := seen[o.Opcode]; ok {
			t.Errorf("%s and %s have the number %d", other, o.Mnemonic, o.Opcode)
		}
		seen[o.Opcode] = o.Mnemonic
		bits := map[int]bool{}
		claim := func(name string, bit *int) {
			if bit == nil {
				return
			}
			if bits[*bit] || o.Flags == nil {
				t.Errorf("%s: %s: flag %d is taken, or there are no flags", o.Mnemonic, name, *bit)
			}
			bits[*bit] = true
		}
		for _, a := range o.Attributes {
			claim(a.Name, a.FlagBit)
		}
		for _, in := range o.Operands {
			claim(in.Name, in.FlagBit)
		}
	}
}

// TestMistakesInFacts: facts that no table can be made of say where.
func TestMistakesInFacts(t *testing.T) {
	for _, c := range []struct {
		what, old, new, want string
		content              func(g *generator)
	}{
		{"json", `"ops": [`, `"ops": 3, "more": [`, "opdef: tileir.json: ", (*generator).table},
		{"coding of operands", `"operands_encoding": "ids_only"`, `"operands_encoding": "ids"`, `unknown coding of operands "ids"`, (*generator).table},
		{"coding of an attribute", `"encoding": "i32_array"`, `"encoding": "i33_array"`, `unknown coding "i33_array"`, (*generator).table},
		{"constraint", `"constraint": "tile<`, `"constraint": "tiles<`, `unknown constraint "tiles<`, (*generator).table},
		{"allowed value", `"allowed": [`, `"allowed": ["nearest_odd", `, `has no value nearest_odd`, (*generator).table},
		{"attribute without a type", `"encoding": "string_ref"`, `"encoding": "strings"`, "has no type in Go", (*generator).methods},
		{"option", `"name": "memory_scope"`, `"name": "memory_scopes"`, "there is no option memory_scopes", (*generator).methods},
		{"result", `"constraint": "tensor_view"`, `"constraint": "tensor_views"`, "has no form in Go", (*generator).methods},
		{"no format", `"format": " $lhs, $rhs : #result"`, `"form": ""`, "has a format if and only if", (*generator).table},
		{"name in a format", `"format": " $lhs, $rhs : #result"`, `"format": " $lhs, $rsh : #result"`, "the format names $rsh", (*generator).table},
		{"attribute in a format", `"format": " @value"`, `"format": " @values"`, "the format names @values", (*generator).table},
		{"braces of a format", `?operands{ $operands`, `?operands $operands`, "needs braces", (*generator).table},
		{"text of a rounding", `~rounding_mode:full~`, `~rounding_mode:ful~`, `enum RoundingMode has no text "ful"`, (*generator).table},
		{"operation of a refusal", `"ops": ["mmaf_scaled"]`, `"ops": ["mmaf_scald"]`, "opdef: target_refusals: there is no operation mmaf_scald", (*generator).targets},
	} {
		text := strings.ReplaceAll(string(facts), c.old, c.new)
		if text == string(facts) {
			t.Errorf("%s: the facts have no %s", c.what, c.old)
		}
		if _, err := generate([]byte(text), c.content); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
	}
}

// TestNewerFacts: what comes after the newest version is left out of the tables.
func TestNewerFacts(t *testing.T) {
	text := strings.Replace(string(facts), "\"attributes\": [\n", `"attributes": [{"name": "from_the_future", "encoding": "bool", "since": "13.5"}, {"name": "of_today", "encoding": "bool", "since": "13.4"}, `, 1)
	out, err := generate([]byte(text), (*generator).table)
	if err != nil || bytes.Contains(out, []byte("from_the_future")) || !bytes.Contains(out, []byte("of_today")) {
		t.Errorf("%v, %t, %t", err, bytes.Contains(out, []byte("from_the_future")), bytes.Contains(out, []byte("of_today")))
	}
}

func TestTrait(t *testing.T) {
	for _, c := range []struct {
		in, name string
		args     int
	}{{"pure", "pure", 0}, {"same_type(lhs,rhs,result)", "same_type", 3}, {"single_block(terminator=break|continue)", "single_block", 2}} {
		if name, args := trait(c.in); name != c.name || len(args) != c.args {
			t.Errorf("trait(%q) = %q, %q", c.in, name, args)
		}
	}
}

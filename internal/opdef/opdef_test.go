package opdef

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestGenerated checks that the committed files are what the facts give.
func TestGenerated(t *testing.T) {
	for name, generate := range Files {
		want, err := generate()
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("..", "..", "tileir", name))
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
	s, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Ops) != 105 {
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

package bytecode_test

import (
	"bytes"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// add appends a sample with values of its own as operands.
func (b *builder) add(name string, s sample) *Op {
	var groups [][]*Value
	for _, types := range s.operands {
		group := []*Value{}
		for _, t := range types {
			group = append(group, b.value(t))
		}
		groups = append(groups, group)
	}
	var regions []*Block
	if s.regions != nil {
		regions = s.regions()
	}
	return b.opWith(name, groups, s.attrs, regions, s.results...)
}

// samplesModule makes a module of those samples of an operation that a version has; nil for none.
func samplesModule(in *Info, v Version) *Module {
	if build := structured[in.Mnemonic]; build != nil {
		return build(v)
	}
	n := 0
	m := kernel(func(b *builder) {
		for _, s := range samples[in.Mnemonic] {
			if s.since <= v && typesFit(s, v) {
				b.add(in.Mnemonic, s)
				n++
			}
		}
	})
	if n == 0 {
		return nil
	}
	return m
}

// typesFit reports whether a version has the element types of a sample.
func typesFit(s sample, v Version) bool {
	for _, g := range append(s.operands, s.results) {
		for _, t := range g {
			if t, ok := t.(*TileType); ok && t.Elem.Since() > v {
				return false
			}
		}
	}
	return true
}

// TestEveryOperation builds, verifies, writes and reads each operation in each version that has it. What NVIDIA's
// disassembler prints for the bytes must be what Print prints.
func TestEveryOperation(t *testing.T) {
	tool := testenv.ToolIfAny(t, "tileirdisasm")
	for _, v := range Versions() {
		for _, in := range Infos() {
			if !in.InBody || in.Since > v {
				continue
			}
			t.Run(v.String()+"/"+in.Mnemonic, func(t *testing.T) {
				m := samplesModule(in, v)
				if m == nil {
					t.Fatal("no sample of this operation")
				}
				if err := m.Verify(v); err != nil {
					t.Fatal(err)
				}
				data, err := bytecode.Write(m, v, bytecode.Options{})
				if err != nil {
					t.Fatal(err)
				}
				again, _, err := bytecode.Read(data)
				if err != nil {
					t.Fatal(err)
				}
				if err := equalModules(m, again); err != nil {
					t.Error(err)
				}
				want, err := disassembled(t, tool, data, text.Sprint(m))
				if err != nil {
					t.Fatalf("tileirdisasm: %v: %s", err, want)
				}
				if got := text.Sprint(m); got != want {
					t.Error(firstDifference(got, want))
				}
				second, err := bytecode.Write(m, v, bytecode.Options{})
				if err != nil || !bytes.Equal(data, second) {
					t.Errorf("writing twice gives different bytes (%v)", err)
				}
			})
		}
	}
}

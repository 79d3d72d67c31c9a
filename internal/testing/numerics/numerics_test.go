package numerics_test

import (
	"bytes"
	"flag"
	"iter"
	"maps"
	"slices"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/tileir"
)

var (
	update = flag.Bool("update", false, "store what the reference gives")
	every  = flag.Bool("every", false, "let the reference compute every case, not one of eight")
)

// TestStored compares all results with what is stored of the reference.
func TestStored(t *testing.T) {
	if *update {
		t.Skip("what is stored is being made")
	}
	stored := readStored(t)
	for op, list := range byOperation(some()) {
		t.Run(op, func(t *testing.T) {
			for _, c := range list {
				c.checkStored(t, stored)
			}
		})
	}
	for _, c := range cases() {
		delete(stored, c.name())
	}
	for name := range stored {
		t.Errorf("%s is stored, but there is no such case", name)
	}
}

// byOperation groups cases, in the order of the operations' names.
func byOperation(all []*testCase) iter.Seq2[string, []*testCase] {
	groups := map[string][]*testCase{}
	for _, c := range all {
		groups[c.operation.name] = append(groups[c.operation.name], c)
	}
	return func(yield func(string, []*testCase) bool) {
		for _, name := range slices.Sorted(maps.Keys(groups)) {
			if !yield(name, groups[name]) {
				return
			}
		}
	}
}

// checkStored compares the results of a case with what is stored of them.
func (c *testCase) checkStored(t *testing.T, stored map[string][]byte) {
	data, ok := stored[c.name()]
	if !ok {
		t.Errorf("%s is not stored: run TestNumPy with CUTILE_ORACLE_PYTHON and -update", c.name())
		return
	}
	got := c.usual(t)
	if c.ulps == nil {
		if !bytes.Equal(c.digest(got), data) {
			t.Errorf("%s: the digest of %d elements is %x, want %x: TestNumPy shows which differ", c.name(), got.len(), c.digest(got), data)
		}
		return
	}
	want := c.unpack(data)
	if want == nil {
		t.Errorf("%s: %d bytes are stored, which is wrong", c.name(), len(data))
		return
	}
	texts, _ := c.differences(got, want)
	for _, text := range texts {
		t.Errorf("%s: %s", c.name(), text)
	}
}

// TestNumPy compares results with the reference, and what is stored of it: of one case of eight, or of all. What is stored of the others
// follows from the reference and the operands, and TestStored compares all with it.
func TestNumPy(t *testing.T) {
	python := testenv.Oracle(t)
	all := cases()
	if !*every && !*update {
		all = eachNth(8)
	}
	want := askPython(t, python, all)
	worst := map[string]map[tileir.Elem]float64{}
	stored := map[string][]byte{}
	if !*update {
		stored = readStored(t)
	}
	elements := 0
	for _, c := range all {
		got := c.usual(t)
		elements += got.len()
		texts, u := c.differences(got, want[c])
		for _, text := range texts {
			t.Errorf("%s: %s", c.name(), text)
		}
		if worst[c.operation.name] == nil {
			worst[c.operation.name] = map[tileir.Elem]float64{}
		}
		if m := worst[c.operation.name]; c.ulps != nil {
			m[c.result] = max(m[c.result], u)
		}
		if *update {
			stored[c.name()] = c.pack(want[c])
		} else if !c.stillHolds(stored[c.name()], want[c]) {
			t.Errorf("%s: what is stored differs from the reference: run with -update", c.name())
		}
	}
	if *update {
		writeStored(t, stored)
	}
	t.Logf("%d cases, %d results", len(all), elements)
	for _, op := range operations {
		for _, e := range []tileir.Elem{tileir.F16, tileir.BF16, tileir.F32, tileir.F64} {
			if op.ulps != nil {
				t.Logf("%s of %s: the worst error is %.4f ulp", op.name, e, worst[op.name][e])
			}
		}
	}
}

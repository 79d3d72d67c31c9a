package bytecode_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// TestFunctionTypes: the type of an entry, with parameters and without results, is an entry of the file's type table; a
// function type may also be listed, with results; and no value has one.
func TestFunctionTypes(t *testing.T) {
	m := kernel(func(*builder) {})
	m.Entries[0].Params = []*Value{{Type: Tile(I32)}, {Type: PointerTile(F32)}, {Type: Tile(I32)}}
	typ := m.Entries[0].Type()
	if got, want := typ.String(), "(tile<i32>, tile<ptr<f32>>, tile<i32>) -> ()"; got != want {
		t.Errorf("%s, expected %s", got, want)
	}
	// i1, i32, tile<i32>, f32, a pointer, a tile of it, and the function: tag 16, 3 parameters, no results
	table := layoutOf(t, m, Newest).tables["Type"]
	if want := []byte{16, 3, 2, 5, 2, 0}; len(table) != 7 || !bytes.Equal(table[6], want) {
		t.Errorf("the types are % x, expected % x at the end", table, want)
	}

	listed := &FuncType{Params: ts(Token), Results: ts(Tile(I32), Tile(F64, 4))}
	m.Listed = []Listed{{Item: listed}}
	table = layoutOf(t, m, Newest).tables["Type"]
	if want := []byte{16, 1, 7, 2, 2, 9}; !bytes.Equal(table[len(table)-1], want) {
		t.Errorf("the types are % x, expected % x at the end", table, want)
	}
	data, err := bytecode.Write(m, Newest, bytecode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := bytecode.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	if !Identical(again.Entries[0].Type(), typ) {
		t.Errorf("%v, expected %v", again.Entries[0].Type(), typ)
	}
	if !slices.ContainsFunc(again.Listed, func(l Listed) bool {
		got, ok := l.Item.(*FuncType)
		return ok && Identical(got, listed) && got.String() == "(token) -> (tile<i32>, tile<4xf64>)"
	}) {
		t.Errorf("%v is not among %v", listed, again.Listed)
	}

	loop := kernel(func(b *builder) {
		body := &Block{Args: []*Value{{Type: listed}}, Ops: []*Op{NewOp(Lookup("break"), nil, nil, nil, nil, Loc{})}}
		b.opWith("loop", [][]*Value{{b.value(f32v)}}, nil, []*Block{body})
	})
	want := "block argument 0: expected the type of a value, but found (token) -> (tile<i32>, tile<4xf64>), which is that of a function"
	if err := loop.Verify(Newest); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, expected %s", err, want)
	}

	// A parameter with the type of a function has no encoding that a reader takes.
	m = kernel(func(*builder) {})
	m.Entries[0].Params = []*Value{{Type: listed}}
	if err := m.Verify(Newest); err == nil || !strings.Contains(err.Error(), "parameter 0: expected a tile of rank 0, but found (token) -> ") {
		t.Errorf("Verify: %v", err)
	}
	data, err = bytecode.Write(m, Newest, bytecode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := bytecode.Read(data); err == nil || !strings.Contains(err.Error(), "the type of a parameter is not the type of a value") {
		t.Errorf("Read: %v", err)
	}
}

// TestFunctionResults has an entry with results, which is no entry of Tile IR.
func TestFunctionResults(t *testing.T) {
	types := "03 cbcbcb 00000000 01000000 04000000 00 0d 00 00 10 00 01 01" // i1, tile<i1>, () -> tile<i1>
	_, _, err := bytecode.Read(file(4, 2, 8, "01 00 02 02 00 03 5c 00 00", 5, 4, types, 1, 4, goodText))
	if err == nil || !strings.HasSuffix(err.Error(), "function k has no type of an entry: expected one without results") {
		t.Error(err)
	}
}

// TestHintOfLaterVersion: a hint that an older version lacks is refused, by Write as by Verify.
func TestHintOfLaterVersion(t *testing.T) {
	m := kernel(func(*builder) {})
	m.Entries[0].Hints = Hints{{Arch: "sm_100", Hints: []Hint{{Name: "num_worker_warps_per_cta", Value: HintValue{Elem: I32, Int: 4}}}}}
	for _, v := range Versions() {
		_, err := bytecode.Write(m, v, bytecode.Options{})
		want := "bytecode: entry k: hint num_worker_warps_per_cta needs version 13.3, but the target is " + v.String()
		if v >= V13_3 && err != nil || v < V13_3 && (err == nil || err.Error() != want) {
			t.Errorf("%v: %v", v, err)
		}
		if verr := m.Verify(v); (verr == nil) != (err == nil) {
			t.Errorf("%v: Write says %v, Verify %v", v, err, verr)
		}
	}
	for name, want := range map[string]Version{"num_worker_warps_per_cta": V13_3, "occupancy": V13_1, "latency": V13_1, "other": V13_1} {
		if got := HintSince(name); got != want {
			t.Errorf("%s: %v, expected %v", name, got, want)
		}
	}
}

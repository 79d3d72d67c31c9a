package bytecode_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// TestListedOfReferenceFiles: of cuTile Python's files only those of four kernels list an entry out of order, for known
// reasons; the module says which.
func TestListedOfReferenceFiles(t *testing.T) {
	want := map[string]string{
		"at_wide":    "kernels.py:827:24", // the conversion of u64 to i64 is no operation
		"dropout":    "_stub.py:678:15",   // nor that of i32 to u32
		"me_foreign": "kernels.py:797:30", // nor passing a pointer on
		"me_list":    "tile<i64>",         // of what a list holds
	}
	found := map[string]bool{}
	for _, f := range refFiles(t) {
		m, _, err := bytecode.Read(f.data)
		if err != nil {
			t.Fatal(err)
		}
		kernel, _, _ := strings.Cut(f.name, ".")
		var got []string
		for _, l := range m.Listed {
			got = append(got, itemText(l.Item))
		}
		if (want[kernel] != "") != (got != nil) || !strings.Contains(strings.Join(got, "\n"), want[kernel]) {
			t.Errorf("%s lists %q, expected %q", f.name, got, want[kernel])
		}
		found[kernel] = want[kernel] != ""
	}
	if !found["at_wide"] || !found["me_list"] {
		t.Errorf("no files of at_wide and me_list")
	}
}

func itemText(item any) string {
	if l, ok := item.(Loc); ok {
		return fmt.Sprintf("%s:%d:%d", l.File, l.Line, l.Col)
	}
	return fmt.Sprint(item)
}

// TestListed lists entries of all kinds before random operations: the file comes back byte for byte, the module is the
// same but for them, and versions that lack a type leave it out.
func TestListed(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, f := range refFiles(t) {
		m, v, err := bytecode.Read(f.data)
		if err != nil {
			t.Fatal(err)
		}
		m.Listed = randomListed(rnd, m)
		data, err := bytecode.Write(m, v, bytecode.Options{})
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := bytecode.Read(data)
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		if err := equalModules(m, again); err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
		second, err := bytecode.Write(again, v, bytecode.Options{})
		if err != nil || !bytes.Equal(second, data) {
			t.Errorf("%s: %v; other bytes with %d entries listed, of which %d were read", f.name, err, len(m.Listed), len(again.Listed))
		}
		if text.Sprint(again) != f.text {
			t.Errorf("%s: the text is another", f.name)
		}
	}
}

// randomListed gives entries before random operations and entries, and at the end.
func randomListed(rnd *rand.Rand, m *Module) []Listed {
	fn := m.Entries[0].Function()
	items := []func() any{
		func() any { return String(fmt.Sprint("text", rnd.IntN(5))) },
		func() any { return &Constant{Data: make([]byte, rnd.IntN(20))} },
		func() any { return Tile(Elem(I1+Elem(rnd.IntN(11))), 1<<rnd.IntN(8)) },
		func() any { return PointerTile(Elem(I8 + Elem(rnd.IntN(8)))) },
		func() any { return ScalarType{Elem: F64} },
		func() any {
			return &TensorViewType{Elem: F64, Shape: []int64{int64(1 + rnd.IntN(9))}, Strides: []int64{1}}
		},
		func() any { return &FuncType{Params: []Type{Tile(F64), Token}, Results: []Type{Tile(I8)}} },
		func() any {
			at := Loc{File: fmt.Sprint("f", rnd.IntN(3), ".go"), Line: 1 + rnd.IntN(50), Scope: fn}
			if rnd.IntN(2) == 0 {
				at.Caller = &Loc{File: "g.go", Line: 7, Scope: fn}
			}
			return at
		},
	}
	var out []Listed
	add := func(before any) {
		for rnd.IntN(3) == 0 {
			out = append(out, Listed{Before: before, Item: items[rnd.IntN(len(items))]()})
		}
	}
	for _, e := range m.Entries {
		add(e)
		for _, o := range e.Body.Ops {
			add(o)
		}
	}
	add(nil)
	return out
}

// TestListedInVersions: what a version lacks is left out, since nothing refers to it; what Write cannot list it refuses.
func TestListedInVersions(t *testing.T) {
	m := kernel(func(*builder) {})
	m.Listed = []Listed{{Item: Tile(F8E8M0FNU, 4)}, {Item: stride}, {Item: Tile(F64, 4)}}
	for v, want := range map[Version]string{V13_1: "[tensor_view<?x64xf32, strides=[?,1]> tile<4xf64>]",
		V13_2: "[tile<4xf8E8M0FNU> tensor_view<?x64xf32, strides=[?,1]> tile<4xf64>]"} {
		data, err := bytecode.Write(m, v, bytecode.Options{})
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := bytecode.Read(data)
		if err != nil {
			t.Fatal(err)
		}
		var got []Type
		for _, l := range again.Listed {
			if _, scalar := l.Item.(ScalarType); !scalar {
				got = append(got, l.Item.(Type))
			}
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%v: %v, expected %s", v, got, want)
		}
	}
	used := kernel(func(b *builder) { b.value(Tile(F8E8M0FNU, 4)) })
	used.Listed = []Listed{{Before: used.Entries[0], Item: used.Entries[0].Body.Ops[0].Results[0].Type}}
	if _, err := bytecode.Write(used, V13_1, bytecode.Options{}); err == nil || !strings.Contains(err.Error(), "type f8E8M0FNU needs version 13.2") {
		t.Errorf("a listed type that is used, too: %v", err)
	}
	m.Listed = []Listed{{Item: 7}}
	want := "a int is listed: expected a type, a position, a text or a constant"
	if _, err := bytecode.Write(m, Newest, bytecode.Options{}); err == nil || err.Error() != "bytecode: "+want {
		t.Errorf("%v, expected %s", err, want)
	}
	if err := m.Verify(Newest); err == nil || err.Error() != "tileir: "+want {
		t.Errorf("%v, expected %s", err, want)
	}
	for _, item := range []any{nil, (*Constant)(nil), (*TileType)(nil), &PartitionViewType{}, &FuncType{Results: ts(nil)}} {
		m.Listed = []Listed{{Item: item}}
		if err := m.Verify(Newest); err == nil || !strings.Contains(err.Error(), "is listed") {
			t.Errorf("%T: %v", item, err)
		}
		if _, err := bytecode.Write(m, Newest, bytecode.Options{}); err == nil {
			t.Errorf("%T can be written", item)
		}
	}
}

// TestListedPlaceWithoutPlaces has a debug section although no place is known, as cuTile Python writes it where it is
// asked to leave places out.
func TestListedPlaceWithoutPlaces(t *testing.T) {
	m := kernel(func(*builder) {})
	plain, err := bytecode.Write(m, Newest, bytecode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m.Listed = []Listed{{Item: Loc{}}}
	data, err := bytecode.Write(m, Newest, bytecode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s := sectionOf(t, data, "Debug"); !bytes.HasSuffix(s, []byte{1, 0xcb, 0xcb, 0xcb, 0, 0, 0, 0, 0}) {
		t.Errorf("the debug section is % x", s)
	}
	again, _, err := bytecode.Read(data)
	if err != nil || len(again.Listed) != 1 || again.Listed[0].Item != (Loc{}) {
		t.Errorf("%v, %+v", err, again.Listed)
	}
	stripped, err := bytecode.Write(m, Newest, bytecode.Options{Strip: true})
	if err != nil || !bytes.Equal(stripped, plain) {
		t.Errorf("stripped: %v", err)
	}
}

// sectionOf gives the payload of a section.
func sectionOf(t *testing.T, data []byte, name string) []byte {
	t.Helper()
	parts, err := bytecode.Sections(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range parts {
		if s.Name == name {
			return data[s.Payload:s.End]
		}
	}
	t.Fatalf("there is no section %s", name)
	return nil
}

package bytecode_test

import (
	"os"
	"testing"

	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

func TestZZ(t *testing.T) {
	m := globals(V13_4)
	data, err := bytecode.Write(m, Newest, bytecode.Options{})
	if err != nil { t.Fatal(err) }
	os.WriteFile("/tmp/w/try/globals.tileirbc", data, 0o644)
	m = placed()
	x := placed()
	x.Entries[0].Name = "second"
	m.Entries = append(m.Entries, x.Entries...)
	y := placed()
	y.Entries[0].Name = "third"
	y.Entries[0].Private = true
	f := &SourceFile{Name: "a \"b\\.go", Dir: "dir\xff"}
	fn := &Scope{File: f, Unit: &SourceFile{Name: "unit", Dir: "d"}, Name: "T h", Linkage: "third", Line: 3, ScopeLine: 4}
	lb := &Scope{Parent: fn, File: f, Line: 7, Col: 8}
	lb2 := &Scope{Parent: lb, File: f, Line: 9, Col: 8}
	y.Entries[0].Loc = Loc{File: "x.go", Line: 1, Col: 1, Scope: fn}
	y.Entries[0].Body.Ops[1].Loc = Loc{File: "x.go\n", Line: 1, Col: 1, Scope: lb2}
	y.Entries[0].Body.Ops[2].Loc = Loc{File: "", Line: 5, Col: 1, Scope: lb2, Caller: &Loc{File: "x.go", Line: 1, Col: 1, Scope: lb, Caller: &Loc{File: "x.go", Line: 2, Col: 1, Scope: lb}}}
	fo := fors(V13_4).Entries[0]
	fo.Name = "fors"
	m.Globals = []*Global{{Name: "g", Value: &Constant{Type: Tile(I16, 2), Data: []byte{1, 0, 2, 0}}, Align: 64}}
	m.Entries = append(m.Entries, y.Entries[0], fo)
	data, err = bytecode.Write(m, Newest, bytecode.Options{})
	if err != nil { t.Fatal(err) }
	os.WriteFile("/tmp/w/try/two.tileirbc", data, 0o644)
}

package describe_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/front/directive"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/front/world"
	"github.com/cutile-go/cutile/internal/tilec/decl"
	"github.com/cutile-go/cutile/internal/tilec/describe"
	_ "github.com/cutile-go/cutile/tile"
	"github.com/cutile-go/cutile/tileir"
)

// TestLanguage checks the whole language in one world: every declaration type-checks, every directive agrees with the
// table, and every enumeration of op has the table's values.
func TestLanguage(t *testing.T) {
	var roots []world.Symbol
	ops := 0
	for _, path := range []string{describe.DtypePath, describe.OpPath, describe.TilePath} {
		p, err := source.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		for name, d := range p.Decls {
			if name == "files" { // how the source is embedded
				continue
			}
			roots = append(roots, world.Symbol{Path: path, Name: name})
			d.Parse()
			for _, dir := range d.Directives() {
				if _, err := decl.Of(dir); err != nil {
					t.Error(err)
				}
				if dir.Word == decl.Op {
					ops++
				}
			}
		}
		for typ, methods := range p.Methods {
			if p.Decls[typ] == nil {
				t.Errorf("%s: methods of %s, which is not declared", path, typ)
			}
			for _, d := range methods {
				d.Parse()
				if d.Func() == nil {
					t.Errorf("%s.%s: no function", typ, d.Name)
				}
			}
		}
	}
	if _, err := describe.Load(roots); err != nil {
		t.Fatal(err)
	}
	if ops < 60 {
		t.Errorf("%d operations are declared, want at least 60", ops)
	}
}

// TestEnums compares the constants of op with the table.
func TestEnums(t *testing.T) {
	p, err := source.Load(describe.OpPath)
	if err != nil {
		t.Fatal(err)
	}
	var roots []world.Symbol
	enums := map[string]string{} // Go type to enumeration
	for name, d := range p.Decls {
		if name == "files" {
			continue
		}
		roots = append(roots, world.Symbol{Path: describe.OpPath, Name: name})
		for _, dir := range d.Directives() {
			if said := decl.Checked(dir); dir.Word == directive.Type && said.Type.Name == "enum" {
				enums[name] = said.Type.Args[0].Name
			}
		}
	}
	w, err := describe.Load(roots)
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for name, value := range constants(w.Pkgs[describe.OpPath]) {
		enum := enums[name.typ]
		if enum == "" || value < 0 {
			continue
		}
		seen++
		if !hasValue(enum, value) {
			t.Errorf("op.%s = %d is no value of %s", name.name, value, enum)
		}
	}
	if seen < 30 {
		t.Errorf("%d constants of enumerations, want at least 30", seen)
	}
}

func hasValue(enum string, value int64) bool {
	for _, in := range tileir.Infos() {
		for i := range in.Attrs {
			if e := in.Attrs[i].Enum; e != nil && e.Name == enum {
				for _, v := range e.Values {
					if v.Value == value {
						return true
					}
				}
				return false
			}
		}
	}
	return enum == "PaddingValue" && value <= int64(tileir.PadNegInf)
}

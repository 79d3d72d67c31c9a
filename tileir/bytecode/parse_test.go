package bytecode_test

import (
	"testing"

	. "github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// TestParseEveryOperation does so for each operation in each version, by way of bytecode, which fills in places.
func TestParseEveryOperation(t *testing.T) {
	for _, v := range Versions() {
		for _, in := range Infos() {
			if !in.InBody || in.Since > v {
				continue
			}
			t.Run(v.String()+"/"+in.Mnemonic, func(t *testing.T) {
				data, err := bytecode.Write(samplesModule(in, v), v, bytecode.Options{})
				if err != nil {
					t.Fatal(err)
				}
				m, _, err := bytecode.Read(data)
				if err != nil {
					t.Fatal(err)
				}
				checkParsed(t, m, v)
			})
		}
	}
}

// TestParsePlaces does so for modules whose places are of every kind.
func TestParsePlaces(t *testing.T) {
	for _, m := range []*Module{placed(), blocks(), globals(Newest), fors(Newest), ifs(Newest), loops(Newest)} {
		data, err := bytecode.Write(m, Newest, bytecode.Options{})
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := bytecode.Read(data)
		if err != nil {
			t.Fatal(err)
		}
		checkParsed(t, again, Newest)
	}
}

package cpu

import (
	"testing"

	"github.com/cutile-go/cutile/tileir"
)

// TestEveryOperation compares the engine's table with the table of operations: none is missing on either side.
func TestEveryOperation(t *testing.T) {
	known := map[int]bool{}
	for _, in := range tileir.Infos() {
		if !in.InBody {
			continue
		}
		known[in.Opcode] = true
		if _, ok := shapes[in.Opcode]; !ok {
			t.Errorf("the engine lacks %s", in.Mnemonic)
		}
	}
	for code := range shapes {
		if !known[code] {
			t.Errorf("the engine has %d, which is no operation", code)
		}
	}
}

// TestTablesOfLoops checks that every elementwise operation has a loop for each type and choice of attributes that the
// table of operations allows.
func TestTablesOfLoops(t *testing.T) {
	for _, code := range loopOps() {
		in := tileir.LookupOpcode(code)
		names := chosenBy[code]
		for _, a := range values(in, names[0]) {
			for _, b := range values(in, names[1]) {
				if code == tileir.OpDivI && a == tileir.Unsigned && b == tileir.RoundingNegativeInf {
					continue // refused by the verifier
				}
				k := key{code, a, b}
				if names[0] == "rounding_mode" && a > tileir.RoundingPositiveInf {
					continue // computed as the nearest
				}
				if b := names[1] == "rounding" && (b < tileir.RoundingZero || b > tileir.RoundingPositiveInf); b {
					continue
				}
				_, isInt := integers[8][k]
				_, isFloat := floats64[k]
				if !isInt && !isFloat {
					t.Errorf("%v has no loop", k)
				}
				for _, table := range []kernels{integers[1], integers[2], integers[4]} {
					if _, ok := table[k]; ok != isInt {
						t.Errorf("%v: not all integer widths have a loop", k)
					}
				}
				if _, ok := floats32[k]; ok != isFloat {
					t.Errorf("%v: not all floats have a loop", k)
				}
			}
		}
	}
}

// values lists what an attribute may be.
func values(in *tileir.Info, name string) []tileir.Int {
	i := in.AttrIndex(name)
	if name == "" || i < 0 {
		return []tileir.Int{0}
	}
	if in.Attrs[i].Enum == nil {
		return []tileir.Int{0, 1}
	}
	var out []tileir.Int
	for _, v := range in.Attrs[i].Enum.Values {
		out = append(out, tileir.Int(v.Value))
	}
	return out
}

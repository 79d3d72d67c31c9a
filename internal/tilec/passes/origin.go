package passes

import "github.com/cutile-go/cutile/tileir"

// Origin gives the parameter of an entry that an integer is, by number: promises and signed extensions aside. It is -1 for
// other values.
func Origin(e *tileir.Entry, v *tileir.Value) int {
	for v.Def != nil {
		wider := v.Def.Info.Opcode == tileir.OpExtI && tileir.Int(v.Def.Int("signedness")) == tileir.Signed
		if v.Def.Info.Opcode != tileir.OpAssume && !wider {
			return -1
		}
		v = v.Def.Operands[0]
	}
	for i, p := range e.Params {
		if p == v {
			return i
		}
	}
	return -1
}

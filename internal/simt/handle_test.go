package simt_test

import (
	"strings"
	"testing"

	. "github.com/cutile-go/cutile/internal/simt"
)

// TestVerifyHandles has textures, samplers and surfaces that break each rule.
func TestVerifyHandles(t *testing.T) {
	texture := func(w *wrong, op string, src ...Operand) {
		f := R(w.NewReg(B32))
		w.emit(op, []Operand{V(f, f, f, f)}, src...)
	}
	zero := I(0)
	for name, c := range map[string]struct {
		handles []*Handle
		build   func(w *wrong)
		want    string
	}{
		"fine": {[]*Handle{{Name: "t", Type: "texref"}}, func(w *wrong) {
			texture(w, "tex.1d.v4.f32.s32", AtName("t", 0), V(w.Value(B32, "mov.b32", zero)))
			w.Value(B64, "mov.u64", Sym("t"))
		}, ""},
		"name":     {[]*Handle{{Name: "%t", Type: "texref"}}, nil, `the name "%t" is not a PTX identifier`},
		"reserved": {[]*Handle{{Name: "smem", Type: "texref"}}, nil, `a texref cannot have the name "smem", which is reserved`},
		"kernel":   {[]*Handle{{Name: "k", Type: "texref"}}, nil, `there are two variables or kernels "k"`},
		"twice":    {[]*Handle{{Name: "t", Type: "texref"}, {Name: "t", Type: "surfref"}}, nil, `there are two variables or kernels "t"`},
		"type":     {[]*Handle{{Name: "t", Type: "texture"}}, nil, `"t" is a "texture": expected texref, samplerref or surfref`},
		"property": {[]*Handle{{Name: "t", Type: "texref", Init: []Attr{{Name: "x", Value: "1"}}}}, nil, `"t" has no property "x"`},
		"value":    {[]*Handle{{Name: "t", Type: "texref", Init: []Attr{{Name: "width", Value: ""}}}}, nil, `width of "t" is "": expected a number`},
		"surface": {[]*Handle{{Name: "t", Type: "surfref"}}, func(w *wrong) {
			texture(w, "tex.1d.v4.f32.s32", AtName("t", 0), V(w.Value(B32, "mov.b32", zero)))
		}, "operand 1: expected a texref or a b64 register; found t"},
		"offset": {[]*Handle{{Name: "t", Type: "texref"}}, func(w *wrong) {
			texture(w, "tex.1d.v4.f32.s32", AtName("t", 8), V(w.Value(B32, "mov.b32", zero)))
		}, "the offset is 8: expected none here"},
		"address": {[]*Handle{{Name: "t", Type: "texref"}}, func(w *wrong) {
			w.Value(B64, "mov.b64", Sym("t"))
		}, "the address of the texref t is taken by mov.u64"},
		"load": {[]*Handle{{Name: "t", Type: "texref"}}, func(w *wrong) {
			w.Value(B32, "ld.local.b32", AtName("t", 0))
		}, `"t" is not memory of the space "local"`},
		"no sampler": {[]*Handle{{Name: "t", Type: "texref"}, {Name: "q", Type: "samplerref"}}, func(w *wrong) {
			texture(w, "tex.1d.v4.f32.s32", AtName("t", 0), V(w.Value(B32, "mov.b32", zero)))
		}, "expected one after the texture"},
		"state": {[]*Handle{{Name: "t", Type: "texref"}, {Name: "q", Type: "samplerref"}}, func(w *wrong) {
			w.Value(B32, "txq.filter_mode.b32", AtName("t", 0))
		}, "operand 1: expected a samplerref or a b64 register; found t"},
	} {
		w := newWrong()
		if w.m.Handles = c.handles; c.build != nil {
			c.build(w)
		}
		w.Place(w.label)
		w.Place(w.elsewhere)
		w.Emit("ret", nil)
		err := Verify(w.m, "sm_80")
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, expected %q", name, err, c.want)
		}
	}
}

package ptx_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt/ptx"
)

// mistakesOutside are texts of a module behind its two first lines, and mistakesInside those of a body, whose first line is
// the fourth: each with the place and text of the mistake.
var mistakesOutside = []struct{ text, want string }{
	{"?", `3:1: expected .file, .section, .extern, .global, .const, .shared, .local, .func, .entry or the end, found "?"`},
	{".visible ?", `3:10: expected .global, .const, .shared, .local, .func or .entry, found "?"`},
	{".address_size 16", `3:15: expected 32 or 64, found "16"`},
	{".file 0 \"a\"", `3:7: expected a number from 1 to 1073741824, found "0"`}, {".file 1 a", `3:9: expected a quoted name, found "a"`}, {".file 1 \"a\n", `3:9: expected a quoted name, found "\"a"`},
	{".section .debug {", `3:18: expected an instruction or }, found the end`}, {".alias a, b", `3:12: expected ";", found the end`},
	{".tex .u64 t;", ""}, {".global .texref t;", ""}, {".global .surfref t;", ""}, {".global .samplerref t;", `3:21: textures have samplers of their own, a .samplerref needs .target texmode_independent`},
	{"@DWARF x", `3:2: expected "@@" and a word of DWARF, found "DWARF"`},
	{".global .align 3 .u32 x;", `3:16: expected an alignment that is a power of two, found 3`}, {".global .align 2048 .u32 x;", `3:16: expected a number from 1 to 1024, found "2048"`},
	{".global .u32 x; .const .u32 x;", `3:29: x is declared a second time`}, {".global .u32 x, .u32 x;", `3:22: x is declared a second time`}, {".shared .u32 x; .shared .u32 x;", `3:30: x is declared a second time`},
	{".global .u32 x[];", `3:14: x does not say how many elements it has`}, {".global .u32 x[-1];", `3:16: expected a number from 0 to 1073741824, found -1`}, {".global .u32 x[1.5];", `3:16: expected a number from 0 to 1073741824, found `},
	{".global .u32 5;", `3:14: expected a name, found "5"`}, {".global .u32 a.b;", `3:14: expected a name, found "a.b"`}, {".global .pred p;", `3:9: expected a type, found ".pred"`}, {".global u32 p;", `3:9: expected a type, found "u32"`},
	{".global .u32 x = 1", `3:19: expected ";", found the end`}, {".global .u32 x[2] = {1 2};", `3:24: expected ",", found "2"`}, {".global .u8 x[2] = {1, 2, 3};", `3:27: x has more values than elements`},
	{".global .u32 y; .global .u32 x = y;", `3:34: an address has 64 bits, an element of x has 32`}, {".global .u64 x = y;", `3:20: x has the address of y, which is not a function or variable in global or constant memory`},
	{".shared .u32 y; .global .u64 x = y;", `3:36: x has the address of y, which is not a function or variable in global or constant memory`}, {".global .u64 x = generic(y;", `3:27: expected ")", found ";"`},
	{".global .u32 y; .global .u64 x = y + -1;", `3:38: expected a number from 0 to 1073741824, found -1`},
	{".entry k .reqntid 0 { }", `3:19: expected a number from 1 to 1073741824, found "0"`}, {".entry k .maxnreg x { }", `3:19: expected a number from 1 to 1073741824, found "x"`},
	{".entry k(.reg .u32 x) { }", `3:10: expected ".param", found ".reg"`}, {".entry k(.param .u32 x .param .u32 y) { }", `3:24: expected ",", found ".param"`},
	{".func f() { ret; } .func f() { ret; }", `3:30: function f is defined a second time`}, {".func f() x", `3:11: expected ; or {, found "x"`}, {".func f(.u32 x) { ret; }", `3:9: expected .param or .reg, found ".u32"`},
	{".func f(.reg .v8 .u32 x[2]) { ret; }", `3:23: x has 16 registers: expected at most 8`},
	{".func f() { bra nowhere; }", `3:17: expected a declared or special register, a number, a variable or a label, found "nowhere"`}, // nobody calls it
	{".func f(.reg .u32 a) { call f, (a); }", `3:29: function f calls itself: recursion is not supported`},
	{".func f() { call g; } .func g() { call f; } .entry k() { call f; }", `3:40: function f calls itself: recursion is not supported`},
	{".reg .b32 x<2>; .reg .b64 x<2>; .entry k() { ret; }", `3:27: x is declared a second time`},
}

var mistakesInside = []struct{ text, want string }{
	{"bra L", `4:5: expected a declared or special register, a number, a variable or a label, found "L"`}, {"L: bra L", `4:9: expected ",", found "}"`}, {"call f;", `4:6: expected a declared function or a register, found "f"`}, {"call known;", `4:6: function known has no body in this text`},
	{"call x;", `4:7: expected a comma and the name of a prototype, found ";"`}, {"mov.u64 y, known;", `4:12: function known has no body in this text: it has no address`},
	{"call one, (x, x);", `4:6: one has 1 parameters, the call has 2`}, {"call one;", `4:6: one takes more operands than the call has`}, {"call (x, x), two, (x);", `4:14: two has 1 results, the call has 2`},
	{".param .b8 s; call wide, (s);", `4:27: s has 1 bytes, w has 8`},
	{"call (x) two, (x);", `4:10: expected ",", found "two"`}, {"call wide, (x, );", `4:16: expected a declared or special register, a number, a variable or a label, found ")"`},
	{"L: L: ret;", `4:4: L is placed a second time`}, {"$L0: $L0: ret;", `4:6: $L0 is placed a second time`}, {"$L0: $L1: ret;", ""}, {"$L0: $L00: ret;", ""},
	{"shfl.up.b99 x, x, 1, 0;", `4:1: shfl.up.b99: the emulator has no shfl with these modifiers: if ptxas takes it, run the kernel on a GPU`}, {"vote.all.b32 x, p;", `4:1: vote.all.b32: the emulator has no vote with these modifiers: if ptxas takes it, run the kernel on a GPU`}, {"vote.all.pred p, x;", `4:1: vote.all.pred is of PTX before 6.4, or of targets before sm_70: write vote.sync.all.pred with the mask of the lanes`}, {"{ L: ret; L: ret; }", `4:11: L is placed a second time`}, {"{ L: ret; } L: ret;", ""},
	{"add.u32 x, x;", `4:1: add.u32 has the wrong operands: expected b32 <- b32 or number, b32 or number`}, {"frob x;", `4:1: expected an instruction, found "frob"`}, {"label x;", `4:1: expected an instruction, found "label"`},
	{"@!q ret;", `4:3: expected a declared register, found "q"`}, {"setp.lt.u32 p|q2, x, x;", `4:15: expected a declared or special register, a number, a variable or a label, found "q2"`},
	{"setp.lt.u32 p|p, x;", `4:1: setp.lt.u32 with two results has 3 operands, expected 4`}, {"setp.lt.and.u32 p|p, x, x;", `4:1: setp.lt.and.u32 with two results has 4 operands, expected 5`},
	{"setp.lt.and.u32 p|p, x, x, x;", `4:28: expected a predicate`}, {"setp.lt.and.u32 p|p, x, x, 1;", `4:28: expected a predicate`},
	{"mov.v2.u32 v, w4;", `4:1: mov.v2.u32 has the wrong operands: expected two vectors of the same length`}, {"mov.v4.u32 v, v;", `4:1: mov.v4.u32 has the wrong operands: expected two vectors of the same length`},
	{"mov.v2.u32 v, x;", `4:1: mov.v2.u32 has the wrong operands: expected two vectors of the same length`}, {"mov.v2.foo v, v;", `4:1: mov.v2.foo has the wrong operands: expected two vectors of the same length`},
	{"ld.global.v8.u32 w4, [y];", `4:1: ld.global.v8.u32 has the wrong operands: expected an address and a vector of 8`}, {"ld.global.v8.u32 w4, y;", `4:1: ld.global.v8.u32 has the wrong operands: expected an address and a vector of 8`},
	{"st.global.v8.u32 [y], w4;", `4:1: st.global.v8.u32 has the wrong operands: expected an address and a vector of 8`}, {"st.global.v8.u32 [y];", `4:1: st.global.v8.u32 has the wrong operands: expected an address and a vector of 8`},
	{"ld.global.u32 x, [p0];", `4:19: expected a declared register or variable, found "p0"`}, {"ld.global.u32 x, [y;", `4:20: expected "]", found ";"`}, {"ld.global.u32 x, [y+1.5];", `4:21: expected an integer, found "1.5"`},
	{"mov.u32 x, ;", `4:12: expected a declared or special register, a number, a variable or a label, found ";"`}, {"mov.b64 y, {x, [y]};", `4:16: expected a register or number, found "["`}, {"mov.b64 y, {x x};", `4:15: expected ",", found "x"`},
	{".reg .b32 x;", `4:11: x is declared a second time`}, {".reg .b99 z;", `4:6: expected the type of a register, found ".b99"`}, {".reg b32 z;", `4:6: expected the type of a register, found "b32"`}, {".reg .b32 z<0>;", `4:13: expected a number from 1 to 4194304, found "0"`},
	{".reg .b32 z", `4:12: expected ";", found "}"`}, {".shared .b32 s[", `4:16: expected a number, found "}"`}, {".pragma \"x\"", `5:1: expected ";", found the end`}, {"{ ret;", `5:1: expected an instruction or }, found the end`},
	{".loc 1", `4:7: expected a number from 0 to 1073741824, found "}"`},
}

// TestMistakes asks for the place and the text of each mistake.
func TestMistakes(t *testing.T) {
	const head = ".version 8.0\n.target sm_80\n"
	functions := ".version 8.0 .target sm_80 .func known(); .func one(.reg .u32 a) { ret; }\n" +
		".func (.reg .u32 r) two(.reg .u32 a) { ret; } .func wide(.param .b64 w) { ret; }\n" +
		".entry k() { .reg .b32 x; .reg .b64 y; .reg .pred p; .reg .v2 .b32 v; .reg .v4 .b32 w4;\n"
	check := func(text, source, want string) {
		t.Helper()
		_, err := ptx.Read([]byte(source))
		if want != "" {
			want = "PTX:" + want
		}
		if (err != nil) != (want != "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for _, c := range mistakesOutside {
		check(c.text, head+c.text, c.want)
	}
	check("a byte order mark", "\ufeff"+head, "1:1: the text begins with a byte order mark, but PTX is ASCII: save it without one")
	for _, c := range mistakesInside {
		check(c.text, functions+c.text+"}\n", c.want)
	}
}

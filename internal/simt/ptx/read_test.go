package ptx_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
)

const good = `.version 8.4
.target sm_80
.address_size 64
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 values);
.global .align 1 .b8 $s0[4] = {37, 100, 10, 0};

.visible .entry k(
	.param .u64 x) // a comment
.reqntid 32, 1, 1
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<1>;
	ld.param.u64 %rd0, [x];
	mov.u32 %r0, %tid.x;
	{
	.reg .b64 %format, %args;
	.local .align 8 .b8 args[8];
	st.local.s32 [args+0], %r0;
	mov.b64 %format, $s0;
	cvta.global.u64 %format, %format;
	mov.b64 %args, args;
	cvta.local.u64 %args, %args;
	{
	.param .b64 p0;
	.param .b64 p1;
	.param .b32 r0;
	st.param.b64 [p0], %format;
	st.param.b64 [p1], %args;
	call (r0), vprintf, (p0, p1);
	}
	}
	st.global.v2.b32 [%rd0+8], {%r0, %r0};
$L0:
	ret;
}
`

func TestRead(t *testing.T) {
	m, err := ptx.Read([]byte(good))
	if err != nil {
		t.Fatal(err)
	}
	k := m.Kernel("k")
	if k == nil || k.Block != [3]int{32, 1, 1} || len(k.Params) != 1 || k.Params[0] != (simt.Param{Name: "x", Type: "u64"}) {
		t.Fatalf("kernel %+v", k)
	}
	var ops []string
	for _, in := range k.Body {
		ops = append(ops, in.Op)
	}
	if got, want := strings.Join(ops, " "), "ld.param.u64 mov.u32 printf st.global.v2.b32 label ret"; got != want {
		t.Errorf("instructions %q, want %q", got, want)
	}
	if p := k.Body[2]; p.Text != "%d\n" || len(p.Src) != 1 || p.Src[0].Kind != simt.Register {
		t.Errorf("printf %+v", p)
	}
	again, err := ptx.Write(m, "sm_80")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(again), strings.Replace(good, " // a comment", "", 1); got != want {
		t.Errorf("written again:\n%s", got)
	}
}

// TestUnwritten: registers that are read where nothing may have been written have the low bits of a value that is no likely
// result, predicates are false, and what is written on every path has nothing.
func TestUnwritten(t *testing.T) {
	m, err := ptx.Read([]byte(`.version 8.4
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x) {
	.reg .pred %p<2>;
	.reg .b16 %h<2>;
	.reg .b32 %r<3>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd2, [x];
	add.u64 %rd1, %rd0, %rd2;
	mov.u32 %r2, 5;
	add.u32 %r1, %r0, %r2;
	add.u16 %h1, %h0, 1;
	@%p0 mov.u64 %rd3, %rd1;
	st.global.u64 [%rd2], %rd3;
	ret;
}`))
	if err != nil {
		t.Fatal(err)
	}
	k := m.Kernel("k")
	got := map[string]int{}
	for _, in := range k.Body {
		if in.Op == "ld.param.u64" {
			break
		}
		got[fmt.Sprintf("%s %#x", in.Op, in.Src[0].Bits)]++
	}
	want := map[string]int{"mov.pred 0x0": 1, "mov.b16 0xbeef": 1, "mov.b32 0xbad0beef": 1, "mov.b64 0xbad0beefbad0beef": 2}
	if !maps.Equal(got, want) {
		t.Errorf("the kernel begins with %v, want %v", got, want)
	}
}

func TestReadErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{".version", ".verson", `PTX:1:1: expected ".version", found ".verson"`},
		{"sm_80", "sm_1", `PTX:2:9: expected a target, found "sm_1"`},
		{".extern .func", ".extern .fun", `PTX:4:9: expected .global, .const, .shared, .local, .func or .entry, found ".fun"`},
		{"$s0[4]", "$s0[5]", `PTX:5:45: expected 5 bytes of which the last is 0, found 4`},
		{"37, 100", "37, 0", `PTX:5:36: the text contains a 0 before its end`},
		{"37, 100", "37, 300", `PTX:5:36: expected a number from 0 to 255, found "300"`},
		{".visible .entry", ".entri", `PTX:7:1: expected .file, .section, .extern, .global, .const, .shared, .local, .func, .entry or the end, found ".entri"`},
		{".u64 x", ".u65 x", `PTX:8:9: expected a type, found ".u65"`},
		{".reqntid 32", ".maxntids 32", `PTX:9:1: expected .reqntid, .maxntid, .minnctapersm, .reqnctapercluster, .maxclusterrank, .explicitcluster, .maxnreg, .pragma or {, found ".maxntids"`},
		{".b32 %r<2>", ".b32 %r<-2>", `PTX:11:15: expected a number from 1 to 4194304, found "-"`},
		{".b32 %r<2>", ".u33 %r<2>", `PTX:11:7: expected the type of a register, found ".u33"`},
		{".b32 %r<2>", ".b64 %rd<2>", `PTX:12:12: %rd is declared a second time`},
		{"%rd0, [x]", "%rd1, [x]", `PTX:13:15: expected a declared or special register, a number, a variable or a label, found "%rd1"`},
		{"%tid.x", "%tid.q", `PTX:14:15: expected a declared or special register, a number, a variable or a label, found "%tid.q"`},
		{"mov.u32", "mov.u33", `PTX:14:2: mov.u33: the emulator has no mov with these modifiers: if ptxas takes it, run the kernel on a GPU`},
		{"mov.u32 %r0, %tid.x", "mov.u32 %r0",
			`PTX:14:2: mov.u32 has the wrong operands: expected b32 <- b32 or number, or b32 <- special register, or b32 <- symbol`},
		{"%tid.x;", "%tid.x", `PTX:15:2: expected ",", found "{"`},
		{"st.local.s32", "st.local.s64", `PTX:15:2: the format "%d\n" takes values of types [s32], found [s64]`},
		{"mov.b64 %format, $s0", "mov.b64 %format, $s1", `PTX:19:19: expected a declared text, such as $s0, found "$s1"`},
		{"{37, 100, 10, 0}", "{37, 113, 10, 0}", `PTX:15:2: the format "%q\n" has %q: use d i u o x X c, with ll for 64 bits, p or e f g a`},
		{"(r0), vprintf", "(r1), vprintf", `PTX:29:8: expected "r0", found "r1"`},
		{"[%rd0+8]", "[%rd0+x]", `PTX:32:25: expected a number, found "x"`},
		{"{%r0, %r0}", "{%r0, {%r0}}", `PTX:32:35: expected a register or number, found "{"`},
		{"$L0:", "$L.x:", `PTX:33:1: expected an instruction, found "$L.x"`},
		{"\tret;\n}\n", "\tret;\n", `PTX:35:1: expected an instruction or }, found the end`},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if _, err := ptx.Read([]byte(text)); err == nil || err.Error() != c.want {
			t.Errorf("%q for %q: error %v, want %s", c.new, c.old, err, c.want)
		}
	}
}

// FuzzRead reads any text: it is refused with a place in the text, or what comes out can be written, if it verifies, and
// read again.
func FuzzRead(f *testing.F) {
	for _, text := range []string{good, unified, independent} {
		f.Add([]byte(text))
	}
	texts, _ := filepath.Glob("testdata/*/*.ptx")
	for _, file := range texts {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ptx.Read(text)
		if err != nil {
			if e, ok := err.(*ptx.Error); !ok || e.Line < 1 || e.Column < 1 {
				t.Fatalf("error %#v has no place", err)
			}
			return
		}
		_ = m.String()
		declares(t, text, m)
		first, err := ptx.Write(m, "sm_90a")
		if err != nil {
			return
		}
		again, err := ptx.Read(first)
		if err != nil {
			t.Fatalf("%v in:\n%s", err, first)
		}
		if second, err := ptx.Write(again, "sm_90a"); err != nil || string(second) != string(first) {
			t.Fatalf("%v: first\n%s\nthen\n%s", err, first, second)
		}
	})
}

// declares compares what Signatures gives of a text with the module that Read makes of it.
func declares(t *testing.T, text []byte, m *simt.Module) {
	t.Helper()
	list, err := ptx.Signatures(text)
	if err != nil || len(list) != len(m.Kernels) {
		t.Fatalf("%d kernels, want %d: %v in:\n%s", len(list), len(m.Kernels), err, text)
	}
	for i, k := range m.Kernels {
		s := &list[i]
		if s.Name != k.Name || !slices.Equal(s.Params, k.Params) || s.Block != [3]int{} && s.Block != k.Block || s.Cluster != k.Cluster {
			t.Fatalf("kernel %+v, want %s %+v, block %v, cluster %v", s, k.Name, k.Params, k.Block, k.Cluster)
		}
		if s.MaxThreads > 0 && s.Block == [3]int{} && s.MaxThreads != k.Block[0]*k.Block[1]*k.Block[2] {
			t.Fatalf("kernel %s: at most %d threads, want %v", s.Name, s.MaxThreads, k.Block)
		}
	}
}

// TestSignatures: instructions and declarations that Read does not know do not matter, and wrong declarations of kernels do.
func TestSignatures(t *testing.T) {
	const text = `.version 99.1
.target sm_990a
.address_size 64
.novel .b8 thing[4] = { {1}, 2 };
.func helper(.param .u32 .entry_is_no_word) { frob.b32 x, {y}; }
.visible .entry first(.param .u64 .ptr .global .align 16 x, .param .align 4 .b8 s[12], .param .f32 f)
.reqntid 32, 4
.shiny 1, 2
{ frob.b32 x, y; { .entry; griddepcontrol.launch_dependents; } }
.entry second() .maxntid 64, 2 .reqnctapercluster 2, 2 { { @p griddepcontrol.wait; } }
.entry declared(.param .u32 n);
`
	list, err := ptx.Signatures([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []simt.Signature{
		{Name: "first", Params: []simt.Param{{Name: "x", Type: "u64"}, {Name: "s", Type: "b8", Bytes: 12, Align: 4}, {Name: "f", Type: "f32"}}, Block: [3]int{32, 4, 1}, NeverWaits: true},
		{Name: "second", MaxThreads: 128, Cluster: [3]int{2, 2, 1}},
	}
	if !reflect.DeepEqual(list, want) {
		t.Errorf("%+v\nwant %+v", list, want)
	}
	for text, want := range map[string]string{
		"":                                       `PTX:1:1: expected ".version", found the end`,
		".version 8.0 .target sm_80 .entry k(x)": `PTX:1:37: expected ".param", found "x"`,
		".version 8.0 .target sm_80 .entry k(.param .u32 n) { ": "PTX:1:54: expected an instruction or }, found the end",
		".version 8.0 .target sm_80 .entry 5":                   `PTX:1:35: expected a name, found "5"`,
	} {
		if list, err := ptx.Signatures([]byte(text)); err == nil || err.Error() != want || list != nil {
			t.Errorf("%q: %v, %v, want %s", text, list, err, want)
		}
	}
}

// TestReadIsBounded reads short texts that ask for much: each is refused.
func TestReadIsBounded(t *testing.T) {
	const head = ".version 8.0\n.target sm_80\n"
	kernels := func(body string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, ".entry k%d() { %s }\n", i, body)
		}
		return head + b.String()
	}
	calls := head
	for i := range 40 {
		calls += fmt.Sprintf(".func f%d() { call f%d; call f%d; }\n", i, i+1, i+1)
	}
	for _, c := range []struct{ name, text, want string }{
		{"calls", calls + ".func f40() { ret; }\n.entry k() { call f0; }", "when each call is inlined"},
		{"functions that nobody calls", calls + ".func f40() { ret; }", "when each call is inlined"},
		{"registers", kernels(".reg .b32 %r<1000000>;", 50), "more than 4194304 registers"},
		{"registers of the module", strings.Replace(kernels("", 50), "sm_80", "sm_80 .reg .b32 %r<1000000>;", 1), "more than 4194304 registers"},
		{"labels", kernels("$L4000000: ret;", 50), "more than 8388608 labels"},
		{"variables", kernels(".shared .b8 x[1000000000]; .shared .b8 y[1000000000];", 1), "more than 1073741824 bytes"},
		{"extents", head + ".global .b8 x[1000000][1000000][1000000];", "more than 1073741824 elements"},
		{"scopes", kernels(strings.Repeat("{", 100000)+strings.Repeat("}", 100000), 1), "nested more than 64 deep"},
		{"expressions", head + ".global .u32 x = " + strings.Repeat("-", 100000) + "1;", "nested more than 64 deep"},
		{"values", head + ".global .u32 x[] = " + strings.Repeat("{", 100000), "nested more than 64 deep"},
	} {
		_, err := ptx.Read([]byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, expected %s", c.name, err, c.want)
		}
	}
}

// TestLabels: labels of other names do not get the numbers of those that keep theirs, wherever these stand.
func TestLabels(t *testing.T) {
	text := strings.Replace(good, "\tst.global.v2", "first:\n\tbra $L0;\n$L1:\nsecond:\n\tbra first;\n\tst.global.v2", 1)
	m, err := ptx.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := simt.Verify(m, "sm_80"); err != nil {
		t.Error(err)
	}
}

package emu_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/simt/ptx"
)

// spot is memory that an address of a state space may mean.
type spot struct {
	name   string
	space  string // that it lies in
	base   string // PTX that puts the address of the first byte into %base: "" for a parameter by its name
	blocks int    // of the grid, which is one cluster: of two blocks, each reaches the memory of the other one
}

var (
	inGlobal  = spot{"global memory", "global", "mov.b64 %base, %mem;", 1}
	inShared  = spot{"shared memory", "shared", "mov.u64 %base, s;", 1}
	inCluster = spot{"the other block's shared memory", "shared", inShared.base + "mapa.shared::cluster.u64 %base, %base, %other;", 2}
	inLocal   = spot{"local memory", "local", "mov.u64 %base, l;", 1}
)

// spots has what the addresses of each space may mean, by the name of the space: a generic one may mean nearly everything.
var spots = map[string][]spot{
	"global": {inGlobal}, "shared": {inShared}, "shared::cta": {inShared}, "shared::cluster": {inCluster}, "local": {inLocal},
	"const": {{"constant memory", "const", "mov.u64 %base, c;", 1}}, "param": {{"a parameter", "param", "", 1}},
	"": {
		{"global memory, generic", "global", inGlobal.base, 1},
		{"shared memory, generic", "shared", inShared.base + "cvta.shared.u64 %base, %base;", 1},
		{"the other block's shared memory, generic", "shared", inShared.base + "cvta.shared.u64 %base, %base; mapa.u64 %base, %base, %other;", 2},
		{"local memory, generic", "local", inLocal.base + "cvta.local.u64 %base, %base;", 1},
		{"a parameter, generic", "param", "mov.u64 %base, bytes; cvta.param.u64 %base, %base;", 1},
	},
}

// spotsOf gives what the address of a form may mean.
func spotsOf(form *simt.Form) (list []spot) {
	strong, vector, space := false, false, ""
	for _, w := range strings.Split(form.Op, ".") {
		switch w {
		case "atom", "red", "volatile", "relaxed", "acquire", "release":
			strong = true
		case "v2", "v4", "v8":
			vector = true
		case "global", "shared", "shared::cta", "shared::cluster", "local", "const", "param":
			space = w
		}
	}
	// PTX has atomic and strong accesses where threads meet, vectors of atomic ones in global memory, and no stores to parameters.
	atomic := strings.HasPrefix(form.Op, "atom.") || strings.HasPrefix(form.Op, "red.")
	for _, p := range spots[space] {
		if vector && atomic && p.space != "global" {
			continue
		}
		if p.space == "global" || p.space == "shared" || !strong && (p.space == "local" || strings.HasPrefix(form.Op, "ld.")) {
			list = append(list, p)
		}
	}
	return list
}

// bench is a kernel around the instructions of a form: it brings bytes into a spot and back.
type bench struct {
	spot
	threads, chunk int // of a block; bytes of a thread
	slack          int // bytes behind those of all threads
	async          int // bytes that arrive at each block's mbarrier, at %mb: 0 for no mbarrier
	races          bool

	program *emu.Program
	shared  int
}

// size is the bytes of memory that a block has, or a thread where each has memory of its own.
func (b *bench) size() int {
	if b.space == "local" {
		return b.chunk + b.slack
	}
	return b.threads*b.chunk + b.slack
}

// stride is the bytes from the memory of one block to that of the next one, in global memory.
func (b *bench) stride() int { return (b.size() + 15) / 16 * 16 }

// barrier orders what the threads do in each other's memory.
func (b *bench) barrier() string {
	if b.blocks > 1 {
		return "barrier.cluster.arrive; barrier.cluster.wait;\n"
	}
	return "bar.sync 0;\n"
}

// copied is PTX that moves each thread's bytes from global memory to the spot, or back.
func (b *bench) copied(back bool) (text string) {
	if b.space != "shared" && b.space != "local" {
		return ""
	}
	const value = "{%w0, %w1, %w2, %w3}"
	for i := 0; i < b.chunk; i += 16 {
		from, to, at, own := "global", b.space, "%from", "%own"
		if back {
			from, to, at, own = to, from, own, at
		}
		text += fmt.Sprintf("ld.%s.v4.b32 %s, [%s+%d]; st.%s.v4.b32 [%s+%d], %s;\n", from, value, at, i, to, own, i, value)
	}
	return text
}

// frame is PTX around the instructions of a form.
const frame = `.version 8.6
.target sm_100a
.address_size 64
CONST .entry k(.param .u64 mem, .param .u64 in, .param .u64 out PARAM) .reqntid THREADS, 1, 1 CLUSTER
{
REGS .reg .b16 %z; .reg .b32 %w<4>, %y<2>, %t, %g, %other; .reg .b64 %x<5>, %mem, %in, %out, %base, %own, %from, %step, %mb; .reg .pred %p, %q;
MBARRIER .shared .align 16 .b8 s[SIZE]; LOCAL
ld.param.u64 %mem, [mem]; ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %g, %cluster_ctarank;
xor.b32 %other, %g, 1; mad.wide.u32 %mem, %g, STRIDE, %mem; mad.lo.u32 %g, %g, THREADS, %t; mad.wide.u32 %from, %t, CHUNK, %mem;
OWN
BASE
`

// load makes the kernel of some instructions. They find the thread's number among all in %g, the first byte of memory in %base,
// that of the thread in %base plus %step, buffers at %in and %out; constants are the bytes of constant memory.
func (b *bench) load(body string, constants []byte) error {
	values := map[string]string{
		"THREADS": fmt.Sprint(b.threads), "CHUNK": fmt.Sprint(b.chunk), "SIZE": fmt.Sprint(b.size()), "STRIDE": fmt.Sprint(b.stride()),
		"OWN": "mul.wide.u32 %step, %t, CHUNK; mov.u64 %own, s; add.u64 %own, %own, %step;", "BASE": b.base,
	}
	switch b.space {
	case "local":
		values["LOCAL"], values["OWN"] = ".local .align 16 .b8 l[SIZE];", "mov.u64 %own, l; mov.u64 %step, 0;"
	case "param":
		values["PARAM"] = ", .param .align 16 .b8 bytes[SIZE]"
	case "const":
		values["CONST"] = ".const .align 16 .b8 c[SIZE];\n"
	}
	for _, file := range []string{"b16 %h", "b32 %r", "b64 %d"} {
		if strings.Contains(body, file[4:]) { // unused registers take time
			values["REGS"] += ".reg ." + file + "<24>; "
		}
	}
	if b.blocks > 1 {
		values["CLUSTER"] = ".reqnctapercluster 2, 1, 1"
	}
	end := b.barrier()
	if b.async > 0 {
		values["MBARRIER"] = ".shared .align 16 .b8 m[16];"
		values["BASE"] += fmt.Sprintf(`setp.eq.u32 %%q, %%t, 0; @%%q mbarrier.init.shared.b64 [m], 1;
@%%q mbarrier.arrive.expect_tx.shared.b64 _, [m], %d; mov.u64 %%mb, m; mapa.shared::cluster.u64 %%mb, %%mb, %%other;`, b.async)
		end = "W: mbarrier.try_wait.parity.shared.b64 %q, [m], 0; @!%q bra W;\n" + end
	}
	text := frame + b.copied(false) + b.barrier() + body + end + b.copied(true) + "ret;\n}\n"
	for _, name := range strings.Fields("REGS MBARRIER LOCAL PARAM CONST CLUSTER OWN BASE THREADS CHUNK SIZE STRIDE") {
		text = strings.ReplaceAll(text, name, values[name])
	}
	m, err := ptx.Read([]byte(text))
	if err != nil {
		return fmt.Errorf("%w in\n%s", err, text)
	}
	for _, v := range m.Vars {
		v.Init = constants
	}
	b.shared = m.Kernels[0].Shared
	b.program, err = emu.Load(m)
	return err
}

// run runs the kernel. The bytes of the spot are those of mem, before and after; a parameter has them, too.
func (b *bench) run(mem, in, out []byte) error {
	l := emu.Launch{Kernel: "k", Grid: [3]int{b.blocks, 1, 1}, Shared: b.shared, Workers: 1, Races: b.races, Memory: &emu.Memory{}, Args: addrs(3)}
	for i, data := range [][]byte{mem, in, out} {
		l.Memory.Map(l.Args[i], data, []string{"mem", "in", "out"}[i], false)
	}
	if b.space == "param" {
		l.Args, l.Bytes = append(l.Args, 0), map[int][]byte{3: mem}
	}
	every2nd(&l)
	return b.program.Run(context.Background(), l)
}

// everyForm judges the forms whose first words are among some, in every spot that they may mean; in a short test every eleventh
// form. None is left out.
func everyForm(t *testing.T, judge func(form *simt.Form, p spot, n int) error, heads ...string) {
	t.Helper()
	forms, judged, wrong := map[string]int{}, map[string]int{}, 0
	for form := range simt.Forms() {
		head, _, _ := strings.Cut(form.Op, ".")
		if !slices.Contains(heads, head) {
			continue
		}
		n := forms[head]
		if forms[head]++; testing.Short() && n%11 != 0 {
			continue
		}
		spots := spotsOf(form)
		for _, p := range spots {
			if err := judge(form, p, n); err != nil {
				if wrong++; wrong <= 40 {
					t.Errorf("%s in %s: %v", form.Op, p.name, err)
				}
			}
		}
		judged[head] += min(1, len(spots))
	}
	for _, head := range heads {
		want := forms[head]
		if testing.Short() {
			want = (want + 10) / 11
		}
		if want == 0 || judged[head] != want {
			t.Errorf("%d of %d forms of %s are judged", judged[head], want, head)
		}
	}
	t.Logf("forms of the table: %v; judged: %v; with mistakes in %d spots", forms, judged, wrong)
}

package emu_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/simt/ptx"
)

func TestMemoryMistakes(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(b *simt.Builder, i simt.Operand)
		want  []string
	}{
		{"beyond the end", func(b *simt.Builder, i simt.Operand) {
			b.Value(simt.B32, "ld.global.b32", simt.At(slot(b, param(b, 0), i, 4), 16))
		}, []string{"thread (60,0,0)", "ld.global.b32 of 4 bytes at 0x10100: outside of every buffer",
			"the nearest is b0, 256 bytes at 0x10000: 0 bytes after its end"}},
		{"across the end", func(b *simt.Builder, i simt.Operand) {
			b.Emit("st.global.v2.b32", nil, simt.At(param(b, 1), 0), simt.V(i, i))
		}, []string{"st.global.v2.b32 of 8 bytes at 0x1010000", "b1, 4 bytes at 0x1010000: byte 0 of it, 4 bytes too many"}},
		{"before the start", func(b *simt.Builder, i simt.Operand) {
			b.Value(simt.B32, "ld.b32", simt.At(param(b, 0), -8))
		}, []string{"at 0xfff8", "8 bytes before it"}},
		{"misaligned", func(b *simt.Builder, i simt.Operand) {
			p := slot(b, param(b, 0), i, 4)
			b.Emit("ld.global.v2.b32", []simt.Operand{simt.V(simt.R(b.NewReg(simt.B32)), simt.R(b.NewReg(simt.B32)))}, simt.At(p, 0))
		}, []string{"thread (1,0,0)", "the address 0x10004, which is not a multiple of 8"}},
		{"shared beyond", func(b *simt.Builder, i simt.Operand) {
			b.Emit("st.shared.b32", nil, simt.At(i.Reg, 64), i)
		}, []string{"64 bytes at", "outside of shared memory, which has 64 bytes"}[1:]},
		{"shared misaligned", func(b *simt.Builder, i simt.Operand) {
			b.Emit("st.shared.b32", nil, simt.At(i.Reg, 0), i)
		}, []string{"thread (1,0,0)", "not a multiple of 4"}},
		{"shared not written", func(b *simt.Builder, i simt.Operand) {
			p := b.Value(simt.Pred, "setp.lt.u32", i, simt.I(3))
			in := b.Emit("st.shared.b8", nil, simt.At(i.Reg, 8), i)
			in.Guard = p.Reg
			b.Emit("bar.sync", nil, simt.I(0))
			b.Value(simt.B32, "ld.shared.b32", simt.At(b.Value(simt.B32, "mov.b32", simt.I(8)).Reg, 0))
		}, []string{"reads shared memory that has not been written, at 0xb"}},
		{"local beyond", func(b *simt.Builder, i simt.Operand) {
			b.Emit("st.local.b32", nil, simt.At(b.Value(simt.B32, "shl.b32", i, simt.I(2)).Reg, 0), i)
		}, []string{"thread (2,0,0)", "outside of local memory, which has 8 bytes"}},
		{"no such barrier", func(b *simt.Builder, i simt.Operand) {
			b.Emit("bar.sync", nil, b.Value(simt.B32, "mov.b32", simt.I(16)))
		}, []string{"there is no barrier 16"}},
		{"assertion", func(b *simt.Builder, i simt.Operand) {
			p := b.Value(simt.Pred, "setp.ne.u32", i, simt.I(37))
			b.Emit("assert", nil, p).Text = "i is not 37"
		}, []string{"thread (37,0,0)", "assertion failed: i is not 37"}},
		{"division by zero", func(b *simt.Builder, i simt.Operand) {
			p := b.Value(simt.Pred, "setp.ne.u32", i, simt.I(3)) // the guard keeps thread 3 away
			q := b.Value(simt.B32, "mov.b32", simt.I(0))
			in := b.Emit("div.s32", []simt.Operand{q}, i, b.Value(simt.B32, "add.s32", i, simt.I(-3)))
			in.Guard = p.Reg
			b.Value(simt.B32, "rem.u32", i, b.Value(simt.B32, "sub.s32", i, simt.I(41)))
		}, []string{"k.go:7", "thread (41,0,0)", "rem.u32: division by zero"}},
		{"trap", func(b *simt.Builder, i simt.Operand) { b.Emit("trap", nil) }, []string{"trap"}},
		{"lane that has ended", func(b *simt.Builder, i simt.Operand) {
			p := b.Value(simt.Pred, "setp.eq.u32", i, simt.I(5))
			b.Emit("exit", nil).Guard = p.Reg
			b.Emit("shfl.sync.idx.b32", []simt.Operand{simt.R(b.NewReg(simt.B32))}, i, simt.I(0), simt.I(31), simt.I(0xffffffff))
		}, []string{"wants the lanes 0xffffffff, but lane 5 has ended"}},
		{"lane outside of its mask", func(b *simt.Builder, i simt.Operand) {
			b.Value(simt.B32, "redux.sync.add.s32", i, simt.I(0xff))
		}, []string{"thread (8,0,0)", "lane 8 is not in the mask 0x000000ff that it names"}},
		{"shuffle out of the mask", func(b *simt.Builder, i simt.Operand) {
			half := b.NewLabel()
			p := b.Value(simt.Pred, "setp.ge.u32", i, simt.I(16))
			b.BranchIf(p.Reg, true, half)
			b.Emit("shfl.sync.bfly.b32", []simt.Operand{simt.R(b.NewReg(simt.B32))}, i, simt.I(16), simt.I(31), simt.I(0xffff))
			b.Place(half)
		}, []string{"reads lane 16, which is not in the mask 0x0000ffff"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := kernel(64, 2)
			b.Local = 8
			i := tid(b)
			line(b, 7)
			c.build(b, i)
			err := launch(b, emu.Launch{Shared: 64}, make([]byte, 256), make([]byte, 4))
			wantError(t, err, 7, append(c.want, "k.go:7:1: kernel k, block (0,0,0), thread (")...)
		})
	}
}

func TestReadOnly(t *testing.T) {
	b := kernel(1, 1)
	line(b, 3)
	b.Emit("st.global.b32", nil, simt.At(param(b, 0), 0), simt.I(1))
	p, err := emu.Load(&simt.Module{Kernels: []*simt.Func{b.Func}})
	must(t, err)
	m := &emu.Memory{}
	m.Map(start, make([]byte, 4), "weights", true)
	err = p.Run(context.Background(), emu.Launch{Kernel: "k", Grid: [3]int{1, 1, 1}, Args: []uint64{start}, Memory: m})
	wantError(t, err, 3, "weights may only be read")
}

func TestDeadlock(t *testing.T) {
	b := kernel(96, 0)
	i := tid(b)
	p := b.Value(simt.Pred, "setp.ge.u32", i, simt.I(64))
	apart, end := b.NewLabel(), b.NewLabel()
	b.BranchIf(p.Reg, true, apart)
	line(b, 11)
	b.Emit("bar.sync", nil, simt.I(0))
	b.Branch(end)
	b.Place(apart)
	line(b, 12)
	b.Emit("bar.sync", nil, simt.I(1))
	b.Place(end)
	err := launch(b, emu.Launch{})
	wantError(t, err, 11, "deadlock: no thread can go on", "warp 0, all lanes: at k.go:11:1, bar.sync waits for barrier 0, at which 64 of 96 threads have arrived",
		"warp 2, all lanes: at k.go:12:1, bar.sync waits for barrier 1, at which 32 of 96 threads have arrived")
}

// A barrier that only some lanes of a warp reach.
func TestDivergentBarrier(t *testing.T) {
	b := kernel(32, 0)
	i := tid(b)
	p := b.Value(simt.Pred, "setp.ge.u32", i, simt.I(8))
	apart, end := b.NewLabel(), b.NewLabel()
	b.BranchIf(p.Reg, true, apart)
	line(b, 11)
	b.Emit("bar.sync", nil, simt.I(0))
	b.Branch(end)
	b.Place(apart)
	line(b, 12)
	b.Emit("bar.warp.sync", nil, simt.I(0xffffff01))
	b.Place(end)
	err := launch(b, emu.Launch{})
	wantError(t, err, 11, "lanes 0x000000ff: at k.go:11:1, bar.sync waits for lanes 0xffffff00 of the same warp",
		"lanes 0xffffff00: at k.go:12:1, bar.warp.sync waits for lane 0 of the same warp")
}

func TestEndless(t *testing.T) {
	b := kernel(32, 0)
	loop := b.NewLabel()
	b.Place(loop)
	b.Branch(loop)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	p, err := emu.Load(&simt.Module{Kernels: []*simt.Func{b.Func}})
	must(t, err)
	if err := p.Run(ctx, emu.Launch{Kernel: "k", Grid: [3]int{5, 1, 1}}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

func TestLoadMistakes(t *testing.T) {
	for want, build := range map[string]func(b *simt.Builder){
		"k.go:1:1: frobnicate.b32: unknown instruction": func(b *simt.Builder) { b.Emit("frobnicate.b32", nil) },
		"add.fast.s32: unknown modifier .fast":          func(b *simt.Builder) { b.Value(simt.B32, "add.fast.s32", simt.I(1), simt.I(2)) },
		"bra: the label is not placed":                  func(b *simt.Builder) { b.Branch(b.NewLabel()) },
		"mov.u32: unknown special register %nothing":    func(b *simt.Builder) { b.Value(simt.B32, "mov.u32", simt.S("%nothing")) },
		"ld.param.b32: unknown name q":                  func(b *simt.Builder) { b.Value(simt.B32, "ld.param.b32", simt.AtName("q", 0)) },
		"cp.async.ca.shared.global: 4, 8 or 16 bytes are copied, not 5": func(b *simt.Builder) {
			b.Emit("cp.async.ca.shared.global", nil, simt.At(mov(b, 0).Reg, 0), simt.At(mov64(b, 0).Reg, 0), simt.I(5))
		},
		`printf: the format "%s" has an unknown conversion`:                              func(b *simt.Builder) { b.Emit("printf", nil, simt.I(1)).Text = "%s" },
		`printf: the format "%Lf" has an unknown conversion`:                             func(b *simt.Builder) { b.Emit("printf", nil, simt.I(1)).Text = "%Lf" },
		`printf: the format "%qd" has an unknown conversion`:                             func(b *simt.Builder) { b.Emit("printf", nil, simt.I(1)).Text = "%qd" },
		`printf: the format "%y" has an unknown conversion: a conversion is not one of `: func(b *simt.Builder) { b.Emit("printf", nil).Text = "%y" },
		`printf: the format "%10000d" has a width or precision of more than 4 digits`:    func(b *simt.Builder) { b.Emit("printf", nil, simt.I(1)).Text = "%10000d" },
		`printf: the format "%.10000d" has a width or precision`:                         func(b *simt.Builder) { b.Emit("printf", nil, simt.I(1)).Text = "%.10000d" },
		`printf: the format "%d %d" has 2 values, not 1`:                                 func(b *simt.Builder) { b.Emit("printf", nil, simt.I(1)).Text = "%d %d" },
		`printf: %lld wants 64 bits, but the value has 32`:                               func(b *simt.Builder) { b.Emit("printf", nil, mov(b, 0)).Text = "%lld" },
		`printf: %d wants 32 bits, but the value has 64`:                                 func(b *simt.Builder) { b.Emit("printf", nil, mov64(b, 0)).Text = "%d" },
		`printf: %hc wants 32 bits, but the value has 64`:                                func(b *simt.Builder) { b.Emit("printf", nil, mov64(b, 0)).Text = "%hc" },
		`printf: %f wants 64 bits, but the value has 32`:                                 func(b *simt.Builder) { b.Emit("printf", nil, mov(b, 0)).Text = "%f" },
	} {
		b := kernel(1, 0)
		build(b)
		_, err := emu.Load(&simt.Module{Kernels: []*simt.Func{b.Func}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestTextures loads modules that have textures: the emulator names the instruction and its place.
func TestTextures(t *testing.T) {
	const text = ".version 8.0\n.target sm_80\n.address_size 64\n.global .texref t;\n.entry k(PARAM)\n.reqntid 1\n{\n" +
		".reg .f32 f<4>;\n.reg .u64 a;\n.loc 1 2 3\nINSTR\nret;\n}"
	for _, c := range []struct{ param, instr, want string }{
		{"", "tex.1d.v4.f32.f32 {f0,f1,f2,f3}, [t, {f0}];", "kernel k: file1:2:3: tex.1d.v4.f32.f32: the emulator has no textures: run the kernel on a GPU"},
		{"", "mov.u64 a, t;", "kernel k: file1:2:3: mov.u64: the emulator has no textures and surfaces: run the kernel on a GPU"},
		{".param .texref p", "", "kernel k: parameter p is a .texref: the emulator has no textures and surfaces: run the kernel on a GPU"},
		{"", "", ""},
	} {
		text := strings.NewReplacer("PARAM", c.param, "INSTR", c.instr).Replace(text)
		for where, text := range map[string]string{"file1:2:3": text, "line 11 of the PTX": strings.Replace(text, ".loc 1 2 3", "", 1)} {
			m, err := ptx.Read([]byte(text))
			must(t, err)
			_, err = emu.Load(m)
			if want := strings.Replace(c.want, "file1:2:3", where, 1); fmt.Sprint(err) != want && (err != nil || want != "") {
				t.Errorf("%q %q: error %v, want %s", c.param, c.instr, err, want)
			}
		}
	}
}

func TestLaunchMistakes(t *testing.T) {
	b := kernel(32, 1)
	for want, l := range map[string]emu.Launch{
		"k has 1 parameters, not 0":                          {Args: []uint64{}},
		"each extent of the grid is at least 1, not [1 0 1]": {Args: []uint64{0}, Grid: [3]int{1, 0, 1}},
		"-1 bytes of shared memory":                          {Args: []uint64{0}, Shared: -1},
	} {
		if err := launch(b, l); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

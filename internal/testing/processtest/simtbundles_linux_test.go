//go:build !nocuda && (amd64 || arm64)

package processtest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/cache"
	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/tools/bundle"
)

// noLoad is an engine that cannot load a module.
type noLoad struct{ *cpu.Device }

func (noLoad) LoadSIMT(context.Context, *simt.Module, []byte) (engine.SIMTModule, error) {
	panic("no module")
}

// printing is a kernel of 4 threads with every kind of parameter, which adds 5 to its memory and prints what it has.
const printing = `
.version 8.4
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 room[];
.visible .entry k(.param .u64 p, .param .f32 x, .param .s16 n, .param .align 8 .b8 bytes[16])
.reqntid 4
{
	.reg .b64 %p; .reg .b32 %t, %v, %b; .reg .f32 %x; .reg .f64 %d; .reg .b16 %n;
	ld.param.u64 %p, [p];
	ld.param.f32 %x, [x];
	ld.param.s16 %n, [n];
	ld.param.b32 %b, [bytes+4];
	mov.u32 %t, %tid.x;
	st.shared.b32 [room+60], %t;
	mad.wide.u32 %p, %t, 4, %p;
	ld.global.b32 %v, [%p];
	add.u32 %v, %v, 5;
	st.global.b32 [%p], %v;
	PRINT
	ret;
}
`

// TestSIMTBundles: the folder of a fault of a kernel of the SIMT level has the PTX and a command that repeats the launch, the loading or the assembly.
func TestSIMTBundles(t *testing.T) {
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "cutile"), "../../../cmd/cutile").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	m, err := ptx.Read([]byte(strings.Replace(printing, "PRINT", "", 1)))
	if err != nil {
		t.Fatal(err)
	}
	m.Name = "host"
	k := m.Kernels[0]
	b := &simt.Builder{Func: k}
	k.Body = k.Body[:len(k.Body)-1]
	b.Emit(simt.OpPrintf, nil, b.Value(simt.B32, "mov.u32", simt.S("%tid.x"))).Text = "thread %d\n"
	b.Emit("ret", nil)
	tool := filepath.Join(t.TempDir(), "ptxas")
	if err := os.WriteFile(tool, []byte("#!/bin/sh\ncase $* in *--version*) echo 'ptxas: release 13.1, V13.1.80';; *) echo \"said $*\" >&2; exit 5;; esac\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CUTILE_PTXAS", tool)
	for _, c := range []struct {
		name   string
		fails  func(t *testing.T) error
		err    string
		repeat string // of the command
		again  string // of what it prints
		ok     bool   // it succeeds
	}{
		{"launch", func(t *testing.T) error { return launchPrinting(t, m) }, "BUG: ",
			"cutile profile -emulate -entry 'k' -grid 2,1,1 -shared 64 -arg uint8:16 -arg 1.5 -arg -7 -arg argument-3.npy kernel.ptx\n", "thread 3\n", true},
		{"load", func(t *testing.T) error {
			d, err := device.Open(noLoad{cpu.New(cpu.Options{})}, limit.Default)
			if err != nil {
				t.Fatal(err)
			}
			defer d.Close()
			_, err = d.LoadSIMT(t.Context(), m, nil, nil)
			return err
		}, "BUG: no module", "cutile profile -emulate -entry 'k' -grid 1,1,1 -arg 0 -arg 0 -arg 0 -arg uint8:16 kernel.ptx\n", "outside of shared memory, which has 0 bytes", false},
		{"assembly", func(t *testing.T) error { return assemble(t, m) }, "exit status 5", "'" + tool + "' '--gpu-name=sm_80' -O3 -o kernel.cubin kernel.ptx\n",
			"said --gpu-name=sm_80 -O3 -o kernel.cubin kernel.ptx", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("CUTILE_DEBUG", "bundle="+dir)
			err := c.fails(t)
			var kept engine.Bundled
			if !errors.As(err, &kept) || filepath.Dir(kept.Folder()) != dir || !strings.Contains(err.Error(), c.err) {
				t.Fatalf("error %v, want %s", err, c.err)
			}
			for name, want := range map[string]string{"repeat.sh": c.repeat, "kernel.ptx": ".entry k(", "module.simt": "k", "README.txt": "\nkernel.ptx: "} {
				if text, err := os.ReadFile(filepath.Join(kept.Folder(), name)); err != nil || !strings.Contains(string(text), want) {
					t.Errorf("%s: %v\n%s\nwant %s", name, err, text, want)
				}
			}
			cmd := exec.Command("sh", filepath.Join(kept.Folder(), "repeat.sh"))
			cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
			if out, err := cmd.CombinedOutput(); (err == nil) != c.ok || !strings.Contains(string(out), c.again) {
				t.Errorf("repeat.sh: %v\n%s", err, out)
			}
		})
	}
}

// launchPrinting writes the folder of a launch with a fault.
func launchPrinting(t *testing.T, m *simt.Module) error {
	t.Helper()
	const address = 1 << 20
	l := &bundle.Launch{Grid: [3]uint32{2, 1, 1}, Shared: 64, Args: []uint64{address, 0x3fc00000, 0xfff9, 0}, Bytes: map[int][]byte{3: make([]byte, 16)},
		Size: func(at uint64) int64 { return map[uint64]int64{address: 16}[at] }}
	return bundle.Keep(&cache.Panic{Value: "no launch"}, func() *bundle.Report {
		r := &bundle.Report{Name: "k", SIMT: m}
		r.RepeatSIMT(l, m.Kernels[0])
		return r
	})
}

// assemble makes machine code by the assembler of the environment.
func assemble(t *testing.T, m *simt.Module) error {
	t.Helper()
	text, err := ptx.Write(m, "sm_80")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range engine.Kinds() {
		if a, ok := k.Exporter.(engine.SIMTAssembler); ok {
			_, _, err := a.Cubin(t.Context(), engine.SIMTCode{Module: m, Arch: "sm_80", Level: 3}, text)
			return err
		}
	}
	t.Fatal("there is no assembler")
	return nil
}

package cuda

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// ownPrefix begins the targets that stand for PTX of our own compiler, as in "own:sm_75".
const ownPrefix = "own:"

// ownExport writes code of our own compiler to a folder.
type ownExport struct {
	m    *tileir.Module
	e    *tileir.Entry
	dir  string
	data []byte // the module as bytecode
}

func newOwnExport(m *tileir.Module, e *tileir.Entry, dir string) (*ownExport, error) {
	data, err := bytecode.Write(m, tileir.Newest, bytecode.Options{})
	return &ownExport{m, e, dir, data}, err
}

// cubin writes machine code for a target, which ptxas makes.
func (x *ownExport) cubin(ctx context.Context, target string) error {
	gpu, err := gpuOf(target)
	if err != nil {
		return err
	}
	return x.add(ctx, ownFile{target: gpu.Target()}, func() (ownCode, error) { return x.assemble(ctx, gpu) })
}

// ptx writes PTX for an architecture, which takes no tool.
func (x *ownExport) ptx(ctx context.Context, target string) error {
	arch, err := simt.TargetOf(target)
	if err != nil {
		return err
	}
	err = x.add(ctx, ownFile{target: arch.Name, ptx: true}, func() (ownCode, error) {
		key := ownKey(x.data, x.e.Name, []simt.Arch{arch}, "oldest "+keptPTX, "")
		return keptOwn(ctx, key, func(context.Context) (ownCode, error) { return oldestPTX(x.m, x.e.Name, arch) })
	})
	if err != nil {
		return fmt.Errorf("kernel %s: PTX for %s by our own compiler: %w", x.e.Name, arch.Name, err)
	}
	return nil
}

// add writes a file, unless the folder has it as this version of our compiler makes it.
func (x *ownExport) add(ctx context.Context, f ownFile, make func() (ownCode, error)) error {
	name := f.name(x.data)
	if m, err := readManifest(os.DirFS(x.dir)); err == nil {
		if d, ok := m.find(name); ok && f.check(d, x.e) == nil && d.Own.Compiler == threads.Version {
			if _, err := d.read(os.DirFS(x.dir)); err == nil {
				return nil
			}
		}
	}
	code, err := make()
	if err != nil {
		return err
	}
	code.Compiler = threads.Version
	d := describeFile(name, Job{Bytecode: x.data, Version: tileir.Newest, Target: f.target, Module: x.m, Entry: x.e})
	d.Own = &code.OwnLaunch
	return addToFolder(ctx, x.dir, code.Image, d, nil)
}

// oldestPTX makes PTX in the oldest version that has all the code uses, from that of [OldestDriver] on: nobody knows the driver.
func oldestPTX(m *tileir.Module, entry string, arch simt.Arch) (ownCode, error) {
	made, code, err := translate(m, entry, arch, false)
	if err != nil {
		return code, err
	}
	for version := max(arch.First, simt.PTXOfDriver(OldestDriver)); ; version++ {
		a, err := arch.ForPTX(version)
		if err != nil {
			return code, err
		}
		code.PTX = version
		if code.Image, err = ptx.WriteArch(made, a, true); err == nil || version >= arch.PTX {
			return code, err
		}
	}
}

// assemble makes machine code by our own compiler and ptxas.
func (x *ownExport) assemble(ctx context.Context, gpu Info) (code ownCode, err error) {
	archs, err := gpu.OwnArchs()
	if err != nil {
		return code, err
	}
	tool, err := toolchain.Find(toolchain.Ptxas)
	if err != nil {
		return code, err
	}
	about, err := tool.Info(ctx)
	if err != nil {
		return code, err
	}
	key := ownKey(x.data, x.e.Name, archs, keptCubin+toolchain.WarnSpills, about.Version+" "+gpu.Target())
	code, err = keptOwn(ctx, key, func(ctx context.Context) (ownCode, error) {
		code, arch, err := makePTX(x.m, x.e.Name, archs, false)
		if err != nil {
			return code, err
		}
		target := arch.Name
		if arch.SM != gpu.capability() {
			target = gpu.Target() // which is newer than the PTX
		}
		run := toolchain.Assembly{Tool: tool, Input: code.Image, Target: target, Options: []string{"-lineinfo", toolchain.WarnSpills}, Entries: []string{x.e.Name}}
		said := ""
		code.Image, said, err = run.Run(ctx)
		for _, s := range toolchain.SpillsIn(said) {
			code.Spills = s.String()
		}
		return code, err
	})
	if code.Spills != "" {
		engine.Note(ctx, "spills", code.Spills)
	}
	return code, err
}

// gpuOf is a GPU of a target such as "sm_90" or "sm_90a", for which code is exported.
func gpuOf(target string) (i Info, err error) {
	n := archNumber(strings.TrimRight(target, "af"))
	if n < 10 {
		return i, fmt.Errorf("%q is not a GPU's architecture, such as sm_90", target)
	}
	return Info{Major: n / 10, Minor: n % 10}, nil
}

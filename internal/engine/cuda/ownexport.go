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
)

// ownPrefix begins the targets that stand for PTX of our own compiler, as in "own:sm_75".
const ownPrefix = "own:"

// ownExport writes code of our own compiler to a folder.
type ownExport struct {
	m       *tileir.Module
	e       *tileir.Entry
	data    []byte // the module as bytecode
	name    []byte // and its [identity]
	dir     string
	tensors bool // kernels that take tensor maps are written, too
}

// cubin writes machine code for a target, which ptxas makes.
func (x *ownExport) cubin(ctx context.Context, target string) error {
	gpu, err := gpuOf(target)
	if err != nil {
		return err
	}
	return x.add(ctx, ownFile{target: gpu.Target()}, func(tensors bool) (ownCode, error) { return x.assemble(ctx, gpu, tensors) })
}

// ptx writes PTX for an architecture, which takes no tool.
func (x *ownExport) ptx(ctx context.Context, target string) error {
	arch, err := simt.TargetOf(target)
	if err != nil {
		return err
	}
	err = x.add(ctx, ownFile{target: arch.Name, ptx: true}, func(tensors bool) (ownCode, error) {
		key := ownKey(x.data, x.e, []simt.Arch{arch}, fmt.Sprint("oldest ", keptPTX, tensors), "")
		return keptOwn(ctx, key, func(context.Context) (ownCode, error) { return oldestPTX(x.m, x.e.Name, arch, tensors) })
	})
	if err != nil {
		return fmt.Errorf("kernel %s: PTX for %s by our own compiler: %w", x.e.Name, arch.Name, err)
	}
	return nil
}

// add writes the code of a kind, and where that is asked for and differs the code that takes tensor maps. What the folder has is not made.
func (x *ownExport) add(ctx context.Context, f ownFile, make func(tensors bool) (ownCode, error)) error {
	with := f
	with.tensors = true
	if x.tensors && !(x.holds(f) && x.holds(with)) {
		code, err := make(true)
		if err != nil {
			return err
		}
		if code.Tensors == nil {
			return x.write(ctx, f, code)
		}
		if err := x.write(ctx, with, code); err != nil {
			return err
		}
	}
	if x.holds(f) {
		return nil
	}
	code, err := make(false)
	if err != nil {
		return err
	}
	return x.write(ctx, f, code)
}

// holds reports whether the folder has a file as this version of our compiler makes it.
func (x *ownExport) holds(f ownFile) bool {
	files := os.DirFS(x.dir)
	m, err := readManifest(files)
	if err != nil {
		return false
	}
	d, ok := m.find(f.name(x.name))
	if !ok || f.check(d, x.e) != nil || d.Own.Compiler != threads.Version {
		return false
	}
	_, err = d.read(files)
	return err == nil
}

// write writes a file, unless the folder has it.
func (x *ownExport) write(ctx context.Context, f ownFile, code ownCode) error {
	if x.holds(f) {
		return nil
	}
	code.Compiler = threads.Version
	d := describeFile(f.name(x.name), Job{Bytecode: x.data, Version: tileir.Newest, Target: f.target, Module: x.m, Entry: x.e})
	d.Own = &code.OwnLaunch
	return addToFolder(ctx, x.dir, code.Image, d, nil)
}

// oldestPTX makes PTX in the oldest version that has all the code uses, from that of [OldestDriver] on: nobody knows the driver.
func oldestPTX(m *tileir.Module, entry string, arch simt.Arch, tensors bool) (ownCode, error) {
	made, code, err := translate(m, entry, arch, tensors)
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
func (x *ownExport) assemble(ctx context.Context, gpu Info, tensors bool) (code ownCode, err error) {
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
	key := ownKey(x.data, x.e, archs, fmt.Sprint(keptCubin, toolchain.WarnSpills, tensors), about.Version+" "+gpu.Target())
	code, err = keptOwn(ctx, key, func(ctx context.Context) (ownCode, error) {
		code, arch, err := makePTX(x.m, x.e.Name, archs, tensors)
		if err != nil {
			return code, err
		}
		target := arch.Name
		if arch.SM != gpu.capability() {
			target = gpu.Target() // which is newer than the PTX
		}
		run := toolchain.Assembly{Tool: tool, Input: code.Image, Target: target, Options: []string{"-lineinfo", toolchain.WarnSpills}, Entries: []string{x.e.Name}}
		if code.debug { // then ptxas does not optimise, and says nothing of spills
			run.Options = []string{"-g"}
		}
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

package cuda

import (
	"context"
	"errors"
	"fmt"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/tools/store"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

var _ engine.SIMTAssembler = exporter{}

// The kinds of code of the SIMT level that are kept on disk.
const (
	keptPTX   = "ptx"
	keptCubin = "cubin"
)

// PTX implements [engine.SIMTAssembler].
func (exporter) PTX(ctx context.Context, c engine.SIMTCode) ([]byte, bool, error) {
	write := ptx.Write
	if c.Lines {
		write = ptx.WriteLines
	}
	return keptCode(ctx, c, keptPTX, func(context.Context) ([]byte, error) { return write(c.Module, c.Arch) })
}

// Cubin implements [engine.SIMTAssembler] with NVIDIA's ptxas.
func (exporter) Cubin(ctx context.Context, c engine.SIMTCode, text []byte) ([]byte, bool, error) {
	return keptCode(ctx, c, keptCubin, func(ctx context.Context) ([]byte, error) {
		tool, err := toolchain.Find(toolchain.Ptxas)
		if err != nil {
			return nil, err
		}
		run := toolchain.Assembly{Tool: tool, Input: text, Target: c.Arch, Options: simtOptions(c)}
		for _, k := range c.Module.Kernels {
			run.Entries = append(run.Entries, k.Name)
		}
		cubin, _, err := run.Run(ctx)
		return cubin, bundledSIMT(c, text, err)
	})
}

// simtOptions are those of ptxas. It does not optimise what a debugger shall see.
func simtOptions(c engine.SIMTCode) []string {
	if c.Module.Debug() {
		return []string{"-g"}
	}
	return []string{fmt.Sprintf("-O%d", c.Level)}
}

// Forget implements [engine.SIMTAssembler].
func (exporter) Forget(c engine.SIMTCode) error {
	s, err := codeStore(simtLevel)
	if s == nil || c.Key == nil {
		return err
	}
	return errors.Join(s.Drop(simtKey(c, keptPTX)), s.Drop(simtKey(c, keptCubin)))
}

func simtKey(c engine.SIMTCode, kind string) store.Key {
	return store.KeyOf(c.Key, []byte(kind), []byte(c.Arch))
}

// keptCode gives code from the folder that all processes of the machine share, and makes it if the folder lacks it.
func keptCode(ctx context.Context, c engine.SIMTCode, kind string, make func(context.Context) ([]byte, error)) (code []byte, found bool, err error) {
	s, err := codeStore(simtLevel)
	if err != nil {
		return nil, false, err
	}
	if s == nil || c.Key == nil {
		code, err = make(ctx)
		return code, false, err
	}
	found = true
	code, err = s.Get(ctx, simtKey(c, kind), func(ctx context.Context) ([]byte, error) {
		found = false
		return make(ctx)
	})
	return code, found && err == nil, err
}

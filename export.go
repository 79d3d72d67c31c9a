package cutile

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/bind"
	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/device/strided"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/failure"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/tileir"
)

// Spec stands for future tensors of a shape: contiguous, and aligned as [NewTensor] aligns them. [Prepare] and [Export] accept
// it in place of a tensor, to compile a kernel before there is any data; launches do not.
type Spec[E dtype.Elem] struct{ arg core.Tensor }

// SpecOf returns the Spec for a shape.
func SpecOf[E dtype.Elem](shape ...int) Spec[E] {
	view, err := strided.RowMajor(shape)
	if err != nil {
		err = fmt.Errorf("cutile.SpecOf[%v]: %w", dtype.Of[E](), err)
	}
	return Spec[E]{core.Tensor{View: view, Elem: dtype.Of[E](), Spec: true, Err: err}}
}

// Untyped returns the Spec for the packages of this module.
func (s Spec[E]) Untyped() *core.Tensor { return &s.arg }

// Export compiles a kernel for arguments like the given ones, tensors or Specs, and writes it to a folder in each form that
// targets names: "sm_90" for the machine code of a GPU, which needs NVIDIA's assembler but no GPU; "own:sm_75" for PTX of our own
// compiler, and "13.2" for bytecode of that version, which need neither. The folder's manifest.json lists its contents.
//
// A driver compiles PTX for GPUs of its architecture and for newer ones, but for architectures such as sm_90a, whose instructions other GPUs
// lack. It is of the oldest version of PTX that has what the kernel uses; sm_75 and sm_80 run by drivers from CUDA 11.4 (release R470) on.
//
// A program that embeds the folder and opens its device with [WithCubins] launches these kernels without an assembler. Each
// combination of facts about the arguments (alignment, divisibility by 16, unit strides) needs its own code: export each
// combination that the program will use. An unmasked variant is also written when extents are whole tiles.
//
// Programs in other languages can launch what is exported, too: the manifest says which arguments a kernel takes, what their values must be, and
// how the grid follows from them, and kernels.h has structs and functions of C for that; docs/programs.md describes both. Code of our own
// compiler therefore does without tensor maps (TMA), which launches would have to make. Code that CUTILE_RECORD writes (see [Open]) takes them, too.
func Export(ctx context.Context, dir string, targets []string, kernel any, args ...any) error {
	if err := device.CheckContext(ctx); err != nil {
		return err
	}
	k, call, err := newCall(kernel, nil)
	if err != nil {
		return err
	}
	if wrong := call.Bind(args); wrong != nil {
		return mismatch(k.Name(), wrong)
	}
	to, err := exportable(dir, targets)
	if err != nil {
		return fmt.Errorf("cutile: export of %s: %w", k.Name(), err)
	}
	limits, err := limit.FromEnv()
	if err != nil {
		return fmt.Errorf("cutile: %w", err)
	}
	key, facts := codeKey{kernel: k, facts: string(call.Key()), limits: limits.Key()}, call.Facts()
	code, err := compiled(ctx, key, facts, limits, nil)
	if err != nil {
		return failure.Explain("kernel", k.Name(), err)
	}
	bits, _, _ := call.Pack(code.Writes)
	if wrong := call.Unequal(code.Equal, bits); wrong != nil {
		return mismatch(k.Name(), wrong)
	}
	export := func(code *compile.Code, targets []string, exact *launched) error {
		err := making(k, &facts, code, func() error {
			if err := to.Export(ctx, code.Module, code.Entry, dir, targets); err != nil {
				return err
			}
			i, err := bind.Interface(k, &facts, code)
			if err != nil {
				return err
			}
			if exact != nil {
				bind.Exact(i, exact.grid, exact.bits)
			}
			return to.Describe(ctx, code.Module, i, dir)
		})
		if err != nil {
			return failure.Explain("kernel", k.Name(), fmt.Errorf("cutile: export of %s: %w", k.Name(), err))
		}
		return nil
	}
	if err := export(code, targets, nil); err != nil {
		return err
	}
	archs := slices.DeleteFunc(slices.Clone(targets), func(t string) bool { _, err := tileir.ParseVersion(t); return err == nil })
	exact := proved(call, code, bits)
	if exact == nil || len(archs) == 0 {
		return nil
	}
	facts.Proof = exact.proof
	if code, err = compiled(ctx, key.proved(facts.Proof), facts, limits, nil); err != nil {
		return failure.Explain("kernel", k.Name(), err)
	}
	return export(code, archs, exact)
}

// exportable checks the folder and the targets of an export before anything is compiled, and finds the exporter.
func exportable(dir string, targets []string) (engine.Exporter, error) {
	if dir == "" {
		return nil, errors.New("the name of the folder is empty: name the folder to write to; it is made if it does not exist")
	}
	to, err := engine.Ahead()
	if err != nil {
		return nil, err
	}
	return to, to.CheckTargets(targets)
}

// launched is a launch with the arguments of an export, and what it proves.
type launched struct {
	grid  bind.Grid
	bits  []uint64
	proof compile.Proof
}

// proved is a launch with these arguments that proves something, if its grid follows from them; else nil.
func proved(call *bind.Call, code *compile.Code, bits []uint64) *launched {
	g, wrong := call.Grid(nil)
	if wrong != nil {
		return nil
	}
	if proof := code.Prove([3]uint32{uint32(g[0]), uint32(g[1]), uint32(g[2])}, bits); proof.Any() {
		return &launched{g, slices.Clone(bits), proof}
	}
	return nil
}

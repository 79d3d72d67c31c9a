// Package opt makes functions of package simt shorter without a change of any bit of their results. It does what the
// assembler would do as well, so that texts stay readable and the emulator has less to run: copies and constants are
// carried forward inside of a block, trivial arithmetic is computed, results go where they are wanted, and what nobody
// needs is dropped.
//
// Every pass takes time in proportion to the function. What reads or
// writes its registers while others run (wgmma, tcgen05.ld, tcgen05.st) is left as it is.
package opt

import (
	"context"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
)

// rounds is how often the passes run at most: each makes work for the others, but seldom twice.
const rounds = 5

// Module shortens every function of a module, which must pass [simt.Verify]. Where ctx ends first it gives its error, and
// what it has done so far is right.
func Module(ctx context.Context, m *simt.Module) error {
	for _, k := range m.Kernels {
		if err := Func(ctx, k); err != nil {
			return err
		}
	}
	if m.Host != nil {
		return Func(ctx, m.Host)
	}
	return nil
}

// Func is Module for a function, which must pass [simt.Verify].
//
// A function that tells debuggers of its variables stays as it is, so that each variable is in a register wherever the source has it.
func Func(ctx context.Context, f *simt.Func) error {
	if f.Debug() {
		return nil
	}
	own(f)
	for range rounds {
		changed := false
		for _, pass := range []func(*simt.Func) bool{jumps, coalesce, propagate, overwritten, dead} {
			if err := ctx.Err(); err != nil {
				return err
			}
			changed = pass(f) || changed
		}
		if !changed {
			break
		}
	}
	jumps(f)
	compact(f)
	return nil
}

// own gives each instruction operands of its own: those who make functions may share them.
func own(f *simt.Func) {
	f.Body = slices.Clone(f.Body)
	for i := range f.Body {
		in := &f.Body[i]
		in.Dst, in.Src = ownOperands(in.Dst), ownOperands(in.Src)
		if in.Launch != nil {
			l := *in.Launch
			l.After = slices.Clone(l.After)
			in.Launch = &l
		}
	}
}

func ownOperands(ops []simt.Operand) []simt.Operand {
	ops = slices.Clone(ops)
	for i := range ops {
		ops[i].Vec = slices.Clone(ops[i].Vec)
	}
	return ops
}

// keep drops the instructions that are marked, and reports whether there are any.
func keep(f *simt.Func, drop []bool) bool {
	body := f.Body[:0]
	for i := range f.Body {
		if !drop[i] {
			body = append(body, f.Body[i])
		}
	}
	changed := len(body) < len(f.Body)
	clear(f.Body[len(body):])
	f.Body = body
	return changed
}

// pure reports whether an instruction is of use for its results alone.
func pure(in *simt.Instr) bool {
	if in.Op == simt.OpLabel || len(in.Dst) == 0 {
		return false
	}
	if in.Op == simt.OpUndef {
		return true
	}
	form, ok := simt.FormOf(in.Op)
	return ok && (form.Effect == simt.Pure || form.Effect == simt.Device)
}

// late reports whether an instruction reads or writes registers after the next ones have begun.
func late(in *simt.Instr) bool {
	return strings.HasPrefix(in.Op, "wgmma.") || strings.HasPrefix(in.Op, "tcgen05.ld.") || strings.HasPrefix(in.Op, "tcgen05.st.")
}

// isMove reports whether an instruction copies a register or number of its result's class.
func isMove(in *simt.Instr) bool {
	return strings.HasPrefix(in.Op, "mov.") && len(in.Dst) == 1 && in.Dst[0].Kind == simt.Register &&
		(in.Src[0].Kind == simt.Register || in.Src[0].Kind == simt.Imm)
}

package cutile

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/internal/tools/override"
	"github.com/cutile-go/cutile/internal/tuning"
)

// key is what the work is in records, as the default of a search.
func (w Work) key(ctx context.Context, dev *core.Device, outputs []Output) (k tuning.Key, err error) {
	k.Device = dev.Model()
	if w.Kernel == nil && w.Run != nil {
		if k.Kernel = w.Name; w.Name == "" {
			return k, errors.New("cutile: work with Run needs a Name, by which records know it")
		}
		k.Arguments = "outputs " + described(outputs)
		k.Code, err = w.code(ctx)
		return k, err // what makes code of Tile IR may not matter to it
	}
	p, bits, err := w.plan(ctx)
	if err != nil {
		return k, err
	}
	k.Kernel, k.Arguments = p.kernel.Name(), p.arguments()
	code, own, err := p.effective(ctx, bits)
	if err != nil {
		return k, err
	}
	if k.Assembler, err = dev.Maker(ctx, code.Module, code.Entry); err != nil {
		return k, err
	}
	k.Code, err = codeKeyOf(p, code, own)
	return k, err
}

// trialKey names all that the outcome of a trial depends on, as far as it is known: the code, also where CUTILE_OVERRIDE has another one, the
// arguments, and what the results were compared with. It is "" for work that cannot be made, which the trial says. An error is that of ctx.
func (w Work) trialKey(ctx context.Context, outputs []Output, tolerance float64) (string, error) {
	kernel, code, arguments, err := w.tried(ctx)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", nil
	}
	text := fmt.Sprintf("%q %q %q, outputs %s within %g", kernel, code, arguments, described(outputs), tolerance)
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:32], nil
}

// tried is what trialKey has of the work.
func (w Work) tried(ctx context.Context) (kernel, code, arguments string, err error) {
	if w.Kernel == nil && w.Run != nil {
		code, err = w.code(ctx)
		return w.Name, code, "", err
	}
	p, bits, err := w.plan(ctx)
	if err != nil {
		return "", "", "", err
	}
	runs, own, err := p.effective(ctx, bits)
	if err != nil {
		return "", "", "", err
	}
	code, err = codeKeyOf(p, runs, own)
	return p.kernel.Name(), code, p.arguments(), err
}

// code is a key of what [Work.Code] gives.
func (w Work) code(ctx context.Context) (string, error) {
	if w.Code == nil {
		return "", nil
	}
	var text string
	err := caught("Code", func() (err error) { text, err = w.Code(ctx); return err })
	if err != nil {
		return "", fmt.Errorf("cutile: the code of work %q: %w", w.Name, err)
	}
	if text == "" {
		return "", fmt.Errorf("cutile: the code of work %q is empty: expected a text, or a key of it", w.Name)
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:32], nil
}

// described is the types and shapes of the outputs.
func described(outputs []Output) string {
	var shapes []string
	for _, o := range outputs {
		if o != nil && o.Err() == nil {
			shapes = append(shapes, fmt.Sprintf("%v%v", o.Untyped().Elem, o.Shape()))
		}
	}
	return strings.Join(shapes, ", ")
}

// arguments describes what the launch is given.
func (p *plan) arguments() string {
	return fmt.Sprintf("(%s) on a grid of %v", strings.Join(p.call.Describe(), ", "), p.grid)
}

// effective is the code that the launch will load, without loading it, and what the compiler makes in its place where CUTILE_OVERRIDE replaces it.
func (p *plan) effective(ctx context.Context, bits []uint64) (code, own *compile.Code, err error) {
	proof, err := p.prove(bits)
	if err != nil {
		return nil, nil, err
	}
	facts, key := p.call.Facts(), codeKey{kernel: p.kernel, facts: p.facts, limits: p.dev.LimitKey()}
	own = p.base
	if proof != "" {
		with := facts
		with.Proof = proof
		if proved, err := compiledFor(ctx, p.dev, key.proved(proof), with); err == nil {
			own, facts = proved, with
		}
	}
	code, _, err = replacement(own, &facts)
	return code, own, err
}

// codeKeyOf is the key of the code of a launch: that of code without a proof, so that it does not change with numbers, unless the code is replaced.
func codeKeyOf(p *plan, code, own *compile.Code) (string, error) {
	if code == own {
		code = p.base
	}
	return override.Key(code.Module)
}

package cutile

import (
	"context"
	"fmt"
	"os"

	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/tilec/compile"
	"github.com/cutile-go/cutile/internal/tools/override"
)

// Key names the Tile IR that Launch runs with its present arguments: 32 digits in base 16. Other tiles, other facts about the arguments and
// other versions of the kernel or of this module have another one; positions in the source do not matter, nor do process, machine and device.
// A program that keeps something for a kernel, such as what a search found or what its code takes, keeps it by the key, and by
// [Device.Target] where that matters. The name of a file in the folder CUTILE_OVERRIDE (see [Open]) has it, too.
func (p *Prepared) Key() (string, error) {
	if p == nil || p.plan == nil {
		return "", errNilPrepared
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.plan.bound {
		return "", fmt.Errorf("cutile: kernel %s has no code: its last arguments did not fit", p.plan.kernel.Name())
	}
	return override.Key(p.plan.loaded.code.Module)
}

// replacement is code with the Tile IR that the folder CUTILE_OVERRIDE has in its place, and the file that has it, "" for none.
func replacement(code *compile.Code, facts *compile.Facts) (_ *compile.Code, file string, err error) {
	dir, name := os.Getenv(override.Env), code.Kernel.Name()
	if dir == "" {
		return code, "", nil
	}
	m, file, err := override.Module(code.Module, dir, code.Kernel.FactsText(facts))
	if err == nil && file != "" {
		if code, err = code.With(m); err != nil {
			err = fmt.Errorf("%s: %w", file, err)
		}
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s: kernel %s: %w", override.Env, name, err)
	}
	return code, file, nil
}

// overridden is replacement, of which the device tells its logger.
func overridden(ctx context.Context, d *core.Device, code *compile.Code, facts *compile.Facts) (*compile.Code, error) {
	replaced, file, err := replacement(code, facts)
	if file != "" {
		d.Replaced(ctx, code.Kernel.Name(), file)
	}
	return replaced, err
}

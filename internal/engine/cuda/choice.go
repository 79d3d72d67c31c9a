package cuda

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// The compilers of Tile IR, as users name them.
const (
	AssemblerTileiras = "tileiras" // NVIDIA's
	AssemblerOwn      = "own"      // package threads
)

// AssemblerEnv chooses one where the program does not.
const AssemblerEnv = "CUTILE_ASSEMBLER"

// ChosenAssembler is the compiler that a program, or else the environment, asks for; "" where neither does.
func ChosenAssembler(option string) (string, error) {
	name, from := option, "WithAssembler"
	if name == "" {
		name, from = os.Getenv(AssemblerEnv), AssemblerEnv
	}
	if name != "" && name != AssemblerTileiras && name != AssemblerOwn {
		return "", fmt.Errorf("%s is %q: expected %s or %s", from, name, AssemblerOwn, AssemblerTileiras)
	}
	return name, nil
}

// Choice is what makes the code of kernels for a GPU.
type Choice struct {
	Assembler string // AssemblerTileiras or AssemblerOwn
	Because   string // why, as in "tileiras is not installed"
	Only      bool   // where tileiras refuses a module or fails, our own compiler does not take its place
}

// tileirasSince is the oldest architecture that tileiras makes code for, in any version so far.
const tileirasSince = 80

// Choose says what makes code for a GPU, of which only the capability and the driver count; a driver of 0 is one that is not known, as
// for an export. choice is what the user asks for, or "". tool asks tileiras what it can do. An error is a mistake of the user, who
// names a tileiras that is not there.
func Choose(choice string, g Info, tool func() (toolchain.Info, error)) (Choice, error) {
	own := func(format string, args ...any) (Choice, error) {
		return Choice{Assembler: AssemblerOwn, Because: fmt.Sprintf(format, args...)}, nil
	}
	switch {
	case choice == AssemblerOwn:
		return own("it was chosen")
	case choice == AssemblerTileiras:
		return Choice{AssemblerTileiras, "it was chosen", true}, nil
	case g.Driver != 0 && g.Driver < MinDriver:
		return own("code of tileiras needs a driver for CUDA 13.0 (release R580) or later")
	case g.capability() < tileirasSince:
		return own("tileiras makes no code for %s", g.Target())
	}
	info, err := tool()
	var missing *toolchain.NotFoundError
	switch {
	case errors.As(err, &missing) && missing.Reason != "":
		return Choice{}, err
	case missing != nil:
		return own("tileiras is not installed")
	case err != nil:
		return own("tileiras does not work: %v", err)
	case len(info.Bytecodes) == 0:
		return own("tileiras %s reads none of the bytecode versions that this program writes", info.Version)
	case !slices.Contains(info.Targets, g.Target()) && (g.Driver != 0 || known(g.Target())):
		return own("tileiras %s makes no code for %s", info.Version, g.Target())
	}
	return Choice{Assembler: AssemblerTileiras, Because: fmt.Sprintf("tileiras %s makes code for %s", info.Version, g.Target())}, nil
}

// known reports whether machine code may be made for an architecture ahead of the launch. A driver also takes PTX for an older one.
func known(target string) bool {
	_, err := simt.TargetOf(target)
	return err == nil
}

// askTileiras asks the tileiras that is installed.
func askTileiras(ctx context.Context) func() (toolchain.Info, error) {
	return func() (toolchain.Info, error) {
		tool, err := toolchain.Find(toolchain.Tileiras)
		if err != nil {
			return toolchain.Info{}, err
		}
		return tool.Info(ctx)
	}
}

// capability is the compute capability as one number: 90 for sm_90.
func (i Info) capability() int { return 10*i.Major + i.Minor }

// OwnArchs are the architectures for which our own compiler may make PTX that the GPU and its driver take, the best first: the GPU's
// own one, with what this generation alone has, then older ones with no more shared memory. Their version of PTX is the usual one, or
// an older one if the driver wants that. A driver of 0 takes all.
func (i Info) OwnArchs() (archs []simt.Arch, err error) {
	version := simt.PTXOfDriver(i.Driver)
	for _, a := range simt.Targets() { // the oldest one first, and what one generation alone has behind what others have, too
		fits := i.Shared == 0 || a.Shared <= i.Shared
		if !i.runs(a) || !fits || i.Driver != 0 && a.First > version {
			continue
		}
		if i.Driver != 0 {
			if a, err = a.ForPTX(min(a.PTX, version)); err != nil {
				return nil, err
			}
		}
		archs = append(archs, a)
	}
	slices.Reverse(archs)
	switch oldest := simt.Targets()[0]; {
	case archs != nil:
		return archs, nil
	case i.capability() < oldest.SM:
		return nil, fmt.Errorf("our own compiler makes no code for %s: the oldest GPUs that it knows are of %s (Turing)", i.Target(), oldest.Name)
	}
	return nil, fmt.Errorf("the driver takes PTX %d.%d, which has no architecture that %s runs: update the driver", version/10, version%10, i.Target())
}

// runs reports whether a GPU runs PTX for an architecture: its own one, also with what this generation alone has, and older ones.
func (i Info) runs(a simt.Arch) bool {
	mine := a.Name == i.Target() || a.Name == i.Target()+"a"
	return mine || a.SM < i.capability() && !strings.HasSuffix(a.Name, "a")
}

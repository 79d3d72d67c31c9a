package cuda

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/tileir"
)

var targetRE = regexp.MustCompile(`^(sm_(\d+))[af]?$`)

// CheckTargets checks the names of what [Export] writes before anything is compiled or an assembler is looked for. GPUs newer
// than those that the facts cover are left to the assembler, which may know them.
func CheckTargets(targets []string) error {
	if len(targets) == 0 {
		return errors.New("no targets are given: name GPUs, such as sm_90, or own:sm_80 for PTX of our own compiler, or versions of the bytecode, such as " + tileir.Newest.String())
	}
	asked, _ := ChosenAssembler("") // a wrong name is an error of its own
	archs := exportArchs(asked)
	for _, t := range targets {
		if arch, own := strings.CutPrefix(t, ownPrefix); own {
			if _, err := simt.TargetOf(arch); err != nil {
				return fmt.Errorf("the target %q, PTX of our own compiler: %w", t, err)
			}
			continue
		}
		switch _, err := tileir.ParseVersion(t); {
		case err == nil || possibleArch(t, archs):
		case possibleArch(t, exportArchs(AssemblerOwn)):
			return fmt.Errorf("tileiras, which %s asks for, makes no code for the target %s, but for %s and newer ones: our own compiler does (%[1]s=%[4]s)",
				AssemblerEnv, t, strings.Join(archs, ", "), AssemblerOwn)
		default:
			return fmt.Errorf("the target %q is neither a GPU (%s, or newer) nor a version of the bytecode (%s), nor PTX of our own compiler (such as own:sm_75)", t,
				strings.Join(archs, ", "), versionList())
		}
	}
	return nil
}

// exportArchs are the GPUs that an assembler is known to make code for, the oldest first. Our own compiler also does so for those of
// tileiras, whose code for an older one they run.
func exportArchs(assembler string) []string {
	archs := tileir.Archs()
	if assembler == AssemblerTileiras {
		return archs
	}
	for _, a := range simt.Targets() {
		if name := fmt.Sprintf("sm_%d", a.SM); !slices.Contains(archs, name) {
			archs = append(archs, name)
		}
	}
	slices.SortFunc(archs, func(a, b string) int { return archNumber(a) - archNumber(b) })
	return archs
}

// possibleArch reports whether a target is one of these GPUs, or newer than all of them.
func possibleArch(target string, archs []string) bool {
	m := targetRE.FindStringSubmatch(target)
	return m != nil && (slices.Contains(archs, m[1]) || archNumber(m[1]) > archNumber(archs[len(archs)-1]))
}

// archNumber is 90 for sm_90; what is too large for a number is the largest one.
func archNumber(arch string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(arch, "sm_"))
	return n
}

func versionList() string {
	var words []string
	for _, v := range tileir.Versions() {
		words = append(words, v.String())
	}
	return strings.Join(words, ", ")
}

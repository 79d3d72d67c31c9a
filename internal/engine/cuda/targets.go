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
		return errors.New("no targets are given: name GPUs, such as sm_90, or versions of the bytecode, such as " + tileir.Newest.String())
	}
	for _, t := range targets {
		if arch, own := strings.CutPrefix(t, ownPrefix); own {
			if _, err := simt.TargetOf(arch); err != nil {
				return fmt.Errorf("the target %q, PTX of our own compiler: %w", t, err)
			}
			continue
		}
		if _, err := tileir.ParseVersion(t); err != nil && !possibleArch(t) {
			return fmt.Errorf("the target %q is neither a GPU (%s, or newer) nor a version of the bytecode (%s), nor PTX of our own compiler (such as own:sm_75)", t,
				strings.Join(tileir.Archs(), ", "), versionList())
		}
	}
	return nil
}

func possibleArch(target string) bool {
	m := targetRE.FindStringSubmatch(target)
	if m == nil {
		return false
	}
	archs := tileir.Archs()
	_, err := simt.TargetOf(m[1]) // of our own compiler
	return err == nil || slices.Contains(archs, m[1]) || archNumber(m[1]) > archNumber(archs[len(archs)-1])
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

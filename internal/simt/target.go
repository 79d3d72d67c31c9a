package simt

import (
	"fmt"
	"slices"
	"strings"
)

// Arch is an architecture that modules are made for, with the version of PTX that they are written in.
type Arch struct {
	Name   string // "sm_90a"
	SM     int
	PTX    int // the version of PTX to write: 84 for 8.4
	Shared int // bytes of shared memory that one block may have
	First  int // the oldest version of PTX that has the target
}

// usualPTX and blackwellPTX are the versions of PTX to write where the target allows it, before and since sm_100: drivers refuse what is
// newer than they are, and the first ones for sm_100 (R570, CUDA 12.8) take 8.7.
const (
	usualPTX     = 84
	blackwellPTX = 87
)

// targets are all targets.
var targets = []Arch{
	newArch("sm_75", 75, 63, 64<<10),
	newArch("sm_80", 80, 70, 163<<10),
	newArch("sm_86", 86, 71, 99<<10),
	newArch("sm_89", 89, 78, 99<<10),
	newArch("sm_90", 90, 78, 227<<10),
	newArch("sm_90a", 90, 80, 227<<10),
	newArch("sm_100", 100, 86, 227<<10),
	newArch("sm_100a", 100, 86, 227<<10),
	newArch("sm_103", 103, 88, 227<<10),
	newArch("sm_103a", 103, 88, 227<<10),
	newArch("sm_120", 120, 87, 99<<10),
	newArch("sm_120a", 120, 87, 99<<10),
	newArch("sm_121", 121, 88, 99<<10),
	newArch("sm_121a", 121, 88, 99<<10),
}

func newArch(name string, sm, first, shared int) Arch {
	usual := usualPTX
	if sm >= 100 {
		usual = blackwellPTX
	}
	return Arch{Name: name, SM: sm, PTX: max(first, usual), Shared: shared, First: first}
}

// Targets gives all targets, the oldest first.
func Targets() []Arch { return slices.Clone(targets) }

// TargetOf finds a target by its name.
func TargetOf(name string) (Arch, error) {
	for _, t := range targets {
		if t.Name == name {
			return t, nil
		}
	}
	return Arch{}, fmt.Errorf("there is no target %q: choose one of %s", name, targetNames())
}

// ArchFor is the architecture that code for a GPU such as "sm_90" is made for: with all that this generation alone has. A GPU
// that is not in the table runs code for the next older one that is; another name stays as it is.
func ArchFor(gpu string) string {
	for _, name := range []string{gpu + "a", gpu} {
		if _, err := TargetOf(name); err == nil {
			return name
		}
	}
	var sm int
	if _, err := fmt.Sscanf(gpu, "sm_%d", &sm); err != nil {
		return gpu
	}
	best := gpu
	for _, a := range targets {
		if a.SM < sm && !strings.HasSuffix(a.Name, "a") {
			best = a.Name
		}
	}
	return best
}

func targetNames() string {
	text := ""
	for i, t := range targets {
		if i > 0 {
			text += ", "
		}
		text += t.Name
	}
	return text
}

// In reports whether a target has what begins to exist then.
func (s Since) In(t Arch) bool {
	switch {
	case s.Or != nil && s.Or.In(t):
		return true
	case s.PTX > t.PTX:
		return false
	case s.Exact != nil:
		return slices.Contains(s.Exact, t.Name)
	}
	return t.SM >= s.SM
}

// String gives "sm_90 or later with PTX 8.0".
func (s Since) String() string {
	arch := fmt.Sprintf("sm_%d or later", s.SM)
	if s.Exact != nil {
		arch = strings.Join(s.Exact, " or ")
	}
	text := fmt.Sprintf("%s with PTX %s", arch, ptxVersion(s.PTX))
	if s.Or != nil {
		text += ", or " + s.Or.String()
	}
	return text
}

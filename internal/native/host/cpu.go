package host

import (
	"fmt"
	"strings"
	"sync"
)

// Vendors of CPUs for amd64, as CPUID spells them.
const (
	Intel = "GenuineIntel"
	AMD   = "AuthenticAMD"
)

// CPU describes a processor. Numbers are 0 and texts are empty where the system does not say.
type CPU struct {
	Arch          string // as in runtime.GOARCH
	Vendor        string // such as AMD
	Family, Model int    // amd64: both with their extended parts, so that a Zen 5 has family 26
	Name          string // such as "AMD EPYC 9B45"
	Features      Features
	L1d, L2, L3   int // the sizes of the caches that one core uses, in bytes
}

// Machine describes this machine's CPU. It is asked once.
var Machine = sync.OnceValue(detect)

// Best is the highest level that the CPU can run.
func (c CPU) Best() Level {
	list := levelsOf(c.Arch, c.Features)
	return list[len(list)-1]
}

// Best is the highest level that this machine's CPU can run, whatever CUTILE_CPU says; see [Choose].
func Best() Level { return Machine().Best() }

// String is the CPU's name, what tells it from others, and its caches.
func (c CPU) String() string {
	name := c.Name
	if name == "" {
		name = c.Arch
	}
	if c.Vendor != "" {
		name += fmt.Sprintf(" (%s, family %d, model %d)", c.Vendor, c.Family, c.Model)
	}
	var caches []string
	for _, cache := range []struct {
		name string
		size int
	}{{"L1d", c.L1d}, {"L2", c.L2}, {"L3", c.L3}} {
		if cache.size > 0 {
			caches = append(caches, cache.name+" "+sizeText(cache.size))
		}
	}
	if len(caches) == 0 {
		return name
	}
	return name + ", " + strings.Join(caches, ", ")
}

// sizeText writes a size in the largest unit of which it is a multiple.
func sizeText(n int) string {
	unit := 0
	for n%1024 == 0 && unit < 3 {
		n, unit = n/1024, unit+1
	}
	return fmt.Sprintf("%d %s", n, [...]string{"B", "KiB", "MiB", "GiB"}[unit])
}

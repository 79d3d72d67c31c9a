package toolchain

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/cutile-go/cutile/internal/names"
)

// WarnSpills is the option of ptxas with which it says what [SpillsIn] reads.
const WarnSpills = "--warn-on-spills"

// Spills are the bytes that the code of a kernel stores to local memory, and loads from it, as threads have too few registers.
type Spills struct {
	Kernel string
	Stores int
	Loads  int
}

// String is the spills for people.
func (s Spills) String() string {
	return fmt.Sprintf("kernel %s spills registers to local memory, %s by stores and %s by loads in its code: smaller tiles need fewer registers",
		names.Short(s.Kernel), names.Plural(s.Stores, "byte"), names.Plural(s.Loads, "byte"))
}

var spillsRE = regexp.MustCompile(`(?m)^ptxas warning\s*: Registers are spilled to local memory in function '([^']*)', (\d+) bytes spill stores, (\d+) bytes spill loads\s*$`)

// SpillsIn finds the kernels that spill registers in what ptxas says.
func SpillsIn(output string) (list []Spills) {
	for _, m := range spillsRE.FindAllStringSubmatch(output, -1) {
		stores, err := strconv.Atoi(m[2])
		loads, err2 := strconv.Atoi(m[3])
		if err == nil && err2 == nil {
			list = append(list, Spills{m[1], stores, loads})
		}
	}
	return list
}

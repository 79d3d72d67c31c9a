package toolchain

import (
	"bytes"
	"debug/elf"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/cutile-go/cutile/internal/names"
)

// emCUDA is the machine of a cubin's ELF header.
const emCUDA = 190

// The position of the architecture in the header's flags, by the version of the ABI: of toolkits 12 and 13.
var archShift = map[byte]uint{7: 0, 8: 8}

var archRE = regexp.MustCompile(`^sm_(\d+)[a-z]?$`)

// CheckCubin reports whether an assembler's result is a cubin for a target such as "sm_90a" that has these entries. Of an
// ABI that is not known the architecture is not checked.
func CheckCubin(cubin []byte, target string, entries ...string) error {
	f, err := elf.NewFile(bytes.NewReader(cubin))
	if err != nil {
		return fmt.Errorf("its result of %d bytes is not a cubin: %w", len(cubin), err)
	}
	if f.Machine != emCUDA || f.Class != elf.ELFCLASS64 || f.Data != elf.ELFDATA2LSB {
		return fmt.Errorf("its result is for the machine %v, want a cubin", f.Machine)
	}
	if err := checkArch(cubin, f, target); err != nil {
		return err
	}
	if len(entries) == 0 {
		return nil
	}
	symbols, err := f.Symbols()
	if err != nil {
		return fmt.Errorf("its cubin has no symbols: %w", err)
	}
	var has []string
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Section != elf.SHN_UNDEF {
			has = append(has, s.Name)
		}
	}
	for _, e := range entries {
		if !slices.Contains(has, e) {
			return fmt.Errorf("its cubin lacks the kernel %s; it has %s", e, names.List(has))
		}
	}
	return nil
}

// checkArch compares the architecture; those with a letter have the number of those without.
func checkArch(cubin []byte, f *elf.File, target string) error {
	m := archRE.FindStringSubmatch(target)
	shift, known := archShift[f.ABIVersion]
	if m == nil || !known {
		return nil
	}
	const flagsAt = 48 // e_flags of a header of 64 bits
	if got := f.ByteOrder.Uint32(cubin[flagsAt:]) >> shift & 0xff; strconv.Itoa(int(got)) != m[1] {
		return fmt.Errorf("its cubin is for sm_%d, want %s", got, target)
	}
	return nil
}

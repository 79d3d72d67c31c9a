package host

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// What the kernel passes to a program (linux/auxvec.h, asm/hwcap.h).
const (
	atHWCAP2   = 26
	hwcap2BF16 = 1 << 14
)

// askSystem adds what package golang.org/x/sys/cpu does not tell. Where the kernel shows no caches, their sizes stay 0.
func (c *CPU) askSystem() {
	if vector, err := unix.Auxv(); err == nil {
		for _, entry := range vector {
			if entry[0] == atHWCAP2 && entry[1]&hwcap2BF16 != 0 {
				c.Features |= BF16
			}
		}
	}
	folders, _ := filepath.Glob("/sys/devices/system/cpu/cpu0/cache/index*") // the pattern is right
	for _, dir := range folders {
		c.addCache(word(dir, "level"), word(dir, "type"), word(dir, "size"))
	}
}

// addCache takes what the kernel says of a cache, such as 1, Data, 64K.
func (c *CPU) addCache(level, kind, size string) {
	kib, err := strconv.Atoi(strings.TrimSuffix(size, "K"))
	into := map[string]*int{"1": &c.L1d, "2": &c.L2, "3": &c.L3}[level]
	if err == nil && into != nil && kind != "Instruction" {
		*into = kib << 10
	}
}

// word reads a file that has one word; it is empty where there is none.
func word(dir, file string) string {
	text, _ := os.ReadFile(filepath.Join(dir, file))
	return strings.TrimSpace(string(text))
}

//go:build unix && !ios

package host

import (
	"runtime"
	"unsafe"
)

// cacheType reads CTR_EL0, which has the sizes of cache lines.
func cacheType() uint64

// cleanData writes the data cache's lines of a range back to where instructions are fetched from; a step is at most a line.
func cleanData(start, end, step uintptr)

// dropInstructions removes a range from the instruction caches of all cores, and what this core has fetched.
func dropInstructions(start, end, step uintptr)

// syncInstructions makes the cores fetch what was written to whole pages, by the sequence that the Arm manual gives for code
// that a program writes.
func syncInstructions(pages []byte) {
	data, instructions := lines()
	start := uintptr(unsafe.Pointer(unsafe.SliceData(pages)))
	end := start + uintptr(len(pages))
	cleanData(start, end, data)
	dropInstructions(start, end, instructions)
}

// lines gives the sizes of the lines of the data cache and of the instruction cache.
func lines() (data, instructions uintptr) {
	if runtime.GOOS != "linux" && runtime.GOOS != "android" {
		return 16, 16 // the smallest that there is: not every system lets a program read CTR_EL0
	}
	t := cacheType()
	return 4 << (t >> 16 & 15), 4 << (t & 15)
}

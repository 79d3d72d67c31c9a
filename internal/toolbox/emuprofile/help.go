package emuprofile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/toolbox"
)

// Help explains to users what arguments of a kernel look like.
const Help = `
The arguments are given in the order of the kernel's parameters:

  -arg 42, -arg 1.5              a number
  -arg ARRAY                     the address of an array, for a parameter of 64 bits; or the array itself, for a parameter
                                 that is an array of bytes (.param .b8 p[N]); with Tile IR, for a pointer
  -array ARRAY                   an array of rank r as 1+2r parameters: address, extents, strides in elements

ARRAY is as for the command run: a file, x.npy; or TYPE:EXTENTS, such as float32:1024x32, an array of zeros; or
TYPE:EXTENTS:FILL, where FILL is a number, or iota for 0, 1, 2 and so on; and NAME=ARRAY writes NAME.npy at the end.
Strides in elements may stand behind the extents or the file, as in float32:64x96@128,1; by default they are those of
row-major order.`

const (
	maxThreads = 1024
	maxBlocks  = 1 << 31
)

// SetBlock reads the threads of a block, such as 32,4.
func (f *File) SetBlock(s string) error {
	words := strings.Split(s, ",")
	f.Block = [3]int{1, 1, 1}
	for i, w := range words {
		n, err := strconv.Atoi(w)
		if err != nil || len(words) > 3 || n < 1 || n > maxThreads {
			return fmt.Errorf("want one to three numbers of threads, as in 128 or 32,4, with a product of %d at most", maxThreads)
		}
		f.Block[i] = n
	}
	return nil
}

// check refuses launches that are too large to be counted in numbers, or to be emulated.
func (f *File) check() error {
	blocks := 1
	for _, n := range f.Grid {
		if blocks *= n; blocks > maxBlocks {
			return toolbox.Usagef("-grid: %v are more blocks than the emulator takes, %d", f.Grid, maxBlocks)
		}
	}
	if f.Shared < 0 || f.Shared > 1<<20 {
		return toolbox.Usagef("-shared: %d bytes: a block has 0 to %d", f.Shared, 1<<20)
	}
	return nil
}

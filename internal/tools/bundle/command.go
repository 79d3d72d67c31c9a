package bundle

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/npy"
	"github.com/cutile-go/cutile/tileir"
)

// Launch is what a kernel was launched with, without what is in memory.
type Launch struct {
	Grid [3]uint32
	Args []uint64                   // as bits, by parameter; nil for a fault before any launch
	Size func(address uint64) int64 // bytes of memory from an address on; 0 if there is none

	Shared uint32         // of the SIMT level: bytes of dynamic shared memory
	Bytes  map[int][]byte // of the SIMT level: parameters that are arrays of bytes
}

// Words of commands that run a kernel of a file: on the CPU, as PTX of our own compiler on the emulator, and smaller ones on the CPU.
const (
	OnCPU     = "cutile run -outside"
	OnThreads = "cutile profile -emulate"
	Differs   = "cutile reduce -differs interpreter,cpu"
)

// defaultElems is how many elements arrays have where no launch says it.
const defaultElems = 1 << 16

// Command is a command line that launches an entry of the folder's module: arrays are zeros.
func (l *Launch) Command(command string, e *tileir.Entry) string {
	grid := l.Grid
	if l.Args == nil {
		grid = [3]uint32{1, 1, 1}
	}
	words := []string{command, "-entry", Quote(e.Name), "-grid", fmt.Sprintf("%d,%d,%d", grid[0], grid[1], grid[2])}
	for i, p := range e.Params {
		t, ok := p.Type.(*tileir.TileType)
		if !ok {
			return ""
		}
		words = append(words, "-arg", l.arg(i, t))
	}
	return strings.Join(append(words, textFile), " ")
}

// arg is the argument for a parameter, as the commands read it.
func (l *Launch) arg(i int, t *tileir.TileType) string {
	switch {
	case t.Pointer:
		n := int64(defaultElems)
		if i < len(l.Args) && l.Size != nil {
			n = l.Size(l.Args[i]) * int64(t.Elem.PerByte()) / int64(t.Elem.Bytes())
		}
		return fmt.Sprintf("%s:%d", arrayType(t.Elem), n)
	case i >= len(l.Args):
		return number(t.Elem, 0)
	}
	return number(t.Elem, l.Args[i])
}

// arrayType is the type of an array for a pointer, as NumPy has it.
func arrayType(e tileir.Elem) npy.Type {
	if e == tileir.TF32 { // which NumPy does not have
		return npy.Float32
	}
	for _, t := range npy.Types() {
		if elem.Table[t].IR == e.String() {
			return t
		}
	}
	return npy.Uint8
}

// number is a number of a type.
func number(e tileir.Elem, bits uint64) string {
	switch {
	case e == tileir.I1:
		return strconv.FormatBool(bits&1 != 0)
	case e.IsInt():
		free := 64 - e.Bits()
		return strconv.FormatInt(int64(bits<<free)>>free, 10)
	}
	x := tileir.FloatOf(e, bits)
	if math.IsNaN(x) {
		return "nan"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// Quote writes a word for the shell.
func Quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

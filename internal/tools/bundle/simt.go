package bundle

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/npy"
	"github.com/cutile-go/cutile/tileir"
)

// The names of files of a module of the SIMT level.
const (
	simtFile = "module.simt"
	ptxFile  = "kernel.ptx"
)

// ptxOf is the module for a target, or for the first architecture that has all of its instructions.
func ptxOf(m *simt.Module, target string) (text []byte, err error) {
	archs := simt.Targets()
	if own, err := simt.TargetOf(simt.ArchFor(target)); err == nil && strings.HasPrefix(target, "sm_") {
		archs = []simt.Arch{own}
	}
	for _, arch := range archs {
		if text, err = ptx.WriteLines(m, arch.Name); err == nil {
			return text, nil
		}
	}
	return nil, err
}

// ParamElem is the type of the numbers that are given for a parameter of PTX: without a sign if PTX does not say it.
func ParamElem(ptxType string) (tileir.Elem, bool) {
	if bits, ok := strings.CutPrefix(ptxType, "b"); ok && ptxType != "bf16" {
		ptxType = "u" + bits
	}
	row := elem.ByPTX(ptxType)
	if row == nil {
		return 0, false
	}
	return tileir.ElemByName(row.IR)
}

// Emulate is the command that runs a kernel of the folder's PTX on the emulator, and the files that it needs: arrays are zeros. What lies behind the
// addresses in parameters of bytes, such as tensor maps, is not there.
func (l *Launch) Emulate(k *simt.Func) (command string, files map[string][]byte, err error) {
	grid := l.Grid
	if l.Args == nil {
		grid = [3]uint32{1, 1, 1}
	}
	words := []string{OnThreads, "-entry", Quote(k.Name), "-grid", fmt.Sprintf("%d,%d,%d", grid[0], grid[1], grid[2])}
	if k.Block == [3]int{} { // of PTX that does not say it
		words = append(words, "-block", "32")
	}
	shared := int(l.Shared)
	if l.Args == nil {
		shared = k.Shared
	}
	if shared > 0 {
		words = append(words, "-shared", fmt.Sprint(shared))
	}
	files = map[string][]byte{}
	for i, p := range k.Params {
		word := ""
		switch e, ok := ParamElem(p.Type); {
		case p.Bytes > 0 && l.Bytes[i] != nil:
			word = fmt.Sprintf("argument-%d.npy", i)
			if files[word], err = bytesFile(l.Bytes[i]); err != nil {
				return "", nil, err
			}
		case p.Bytes > 0:
			word = fmt.Sprintf("uint8:%d", p.Bytes)
		case !ok:
			return "", nil, fmt.Errorf("parameter %s has the type %s", p.Name, p.Type)
		case i >= len(l.Args):
			if word = number(e, 0); p.Tensor != "" {
				word = fmt.Sprintf("uint8:%d", defaultElems*8)
			}
		default:
			if word = number(e, l.Args[i]); l.Size != nil && e.Bits() == 64 && l.Size(l.Args[i]) > 0 {
				word = fmt.Sprintf("uint8:%d", l.Size(l.Args[i]))
			}
		}
		words = append(words, "-arg", word)
	}
	return strings.Join(append(words, ptxFile), " "), files, nil
}

// bytesFile is a file of NumPy with bytes.
func bytesFile(data []byte) ([]byte, error) {
	var b bytes.Buffer
	a := &npy.Array{Type: npy.Uint8, Shape: []int{len(data)}, Data: data}
	if err := a.Write(&b); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// RepeatSIMT adds the command that launches a kernel of the module again, or the first one if k is nil.
func (r *Report) RepeatSIMT(l *Launch, k *simt.Func) {
	if k == nil && len(r.SIMT.Kernels) > 0 {
		k = r.SIMT.Kernels[0]
	}
	if k == nil {
		return
	}
	command, files, err := l.Emulate(k)
	if err != nil {
		return
	}
	r.Repeat = command
	if r.Files == nil {
		r.Files = map[string][]byte{}
	}
	for name, data := range files {
		r.Files[name] = data
	}
}

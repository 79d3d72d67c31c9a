package emuprofile

import (
	"bytes"
	"fmt"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/toolbox/modrun"
	"github.com/cutile-go/cutile/tileir"
)

// compile makes PTX of an entry of Tile IR, bytecode or text, for the target.
func (f *File) compile(text []byte, title string, tensors bool) (*simt.Module, error) {
	in, err := toolbox.ReadSound(bytes.NewReader(text), "-")
	if err != nil {
		return nil, fmt.Errorf("it is no PTX, which begins with .version, and no Tile IR: %w", err)
	}
	e, err := in.Entry(f.Kernel)
	if err != nil {
		return nil, err
	}
	if f.Block != [3]int{} {
		return nil, toolbox.Usagef("-block: the compiler chooses how many threads a block of Tile IR has")
	}
	f.elems = nil
	for _, p := range e.Params {
		t := p.Type.(*tileir.TileType)
		f.elems = append(f.elems, t.Elem)
		if t.Pointer && t.Elem.PerByte() > 1 {
			return nil, toolbox.Usagef("entry %s takes an array of %v, which has two elements in a byte: profile has no such arrays", e.Name, t.Elem)
		}
	}
	launch := modrun.Launch{Entry: e.Name, Args: f.Args}
	if _, err := launch.Bind(e); err != nil { // by the types of Tile IR, which PTX does not have
		return nil, err
	}
	return threads.PTX(in.Module, e.Name, f.Target, threads.Options{Tensors: tensors})
}

// TensorMaps makes the parameters of a kernel that are tensor maps, as the emulator reads them, by their number; ok is false if there are no such
// maps for the arguments of a launch.
func TensorMaps(k *simt.Func, args []uint64) (maps map[int][]byte, ok bool) {
	maps = map[int][]byte{}
	for i := range k.Tensors {
		m, ok := engine.TensorMapFor(&k.Tensors[i], args)
		if !ok {
			return nil, false
		}
		t := emu.TensorMap(m)
		data, err := t.Encode()
		if err != nil {
			return nil, false
		}
		maps[k.Tensors[i].Param] = data
	}
	return maps, true
}

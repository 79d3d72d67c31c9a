package emuprofile

import (
	"fmt"
	"io"
	"slices"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
	"github.com/cutile-go/cutile/internal/toolbox"
	"github.com/cutile-go/cutile/internal/toolbox/modrun"
	"github.com/cutile-go/cutile/internal/tools/bundle"
	"github.com/cutile-go/cutile/tileir"
)

// Arguments are the arguments of a kernel, in the order of its parameters.
type Arguments struct {
	Args   []modrun.Argument
	arrays []*modrun.Array
	elems  []tileir.Elem // of the parameters of an entry of Tile IR, which PTX takes for integers
}

// The first array lies at start, each one gap bytes behind the end of the one before it.
const (
	start = 1 << 40
	gap   = 1 << 16
)

// kernel picks a kernel and gives it the block of the command line.
func (f *File) kernel(m *simt.Module, title string) (*simt.Func, error) {
	var all []string
	for _, k := range m.Kernels {
		all = append(all, k.Name)
	}
	k := m.Kernel(f.Kernel)
	switch {
	case len(all) == 0:
		return nil, fmt.Errorf("%s has no kernel (.entry)", title)
	case f.Kernel == "" && len(all) == 1:
		k = m.Kernels[0]
	case f.Kernel == "":
		return nil, toolbox.Usagef("%s has %s: choose one of %s with -entry", title, names.Plural(len(all), "kernel"), names.List(all))
	case k == nil:
		return nil, toolbox.Usagef("-entry: %s has no kernel %q; it has %s", title, f.Kernel, names.List(all))
	}
	if err := fits(k); err != nil {
		return nil, fmt.Errorf("%s: %w", title, err)
	}
	none := [3]int{}
	switch {
	case k.Block == none && f.Block == none:
		return nil, toolbox.Usagef("kernel %s does not say how many threads a block has (.reqntid): give -block", k.Name)
	case k.Block == none:
		k.Block = f.Block
	case f.Block != none && f.Block != k.Block:
		return nil, toolbox.Usagef("-block: kernel %s requires blocks of %v threads, not %v", k.Name, k.Block, f.Block)
	}
	return k, nil
}

// bind gives the arguments to the parameters, and places the arrays in memory.
func (f *File) bind(k *simt.Func, l *emu.Launch) error {
	l.Memory, l.Args, l.Bytes = &emu.Memory{}, make([]uint64, len(k.Params)), map[int][]byte{}
	f.arrays = nil
	at, next, params := 0, uint64(start), len(k.Params)-len(k.Tensors) // behind them there are tensor maps
	for i := range f.Args {
		a := &f.Args[i]
		if at >= params {
			return toolbox.Usagef("%s is more than the %s of kernel %s take", a, names.Plural(params, "parameter"), k.Name)
		}
		n, err := f.one(k, l, a, at, &next)
		if err != nil {
			return err
		}
		at += n
	}
	if at < params {
		var types []string
		for _, p := range k.Params[:params] {
			types = append(types, paramType(&p))
		}
		return toolbox.Usagef("kernel %s has %s (%s), but the arguments are for %d", k.Name, names.Plural(params, "parameter"), names.List(types), at)
	}
	return nil
}

// fits refuses a kernel for which the emulator would need too much memory, before there is any.
func fits(k *simt.Func) error {
	const (
		maxLocal = 512 << 10 // of a thread, on every GPU
		maxRegs  = 64 << 10  // 64 times what a GPU has for a thread
	)
	switch {
	case k.Local > maxLocal:
		return fmt.Errorf("kernel %s has %d bytes of local memory for a thread: %d are the most", k.Name, k.Local, maxLocal)
	case len(k.Regs) > maxRegs:
		return fmt.Errorf("kernel %s has %d registers: %d are the most here", k.Name, len(k.Regs), maxRegs)
	}
	return nil
}

func paramType(p *simt.Param) string {
	if p.Bytes > 0 {
		return fmt.Sprintf("%d bytes", p.Bytes)
	}
	return "." + p.Type
}

// one binds an argument to the parameters from one on, and tells how many it takes.
func (f *File) one(k *simt.Func, l *emu.Launch, a *modrun.Argument, at int, next *uint64) (int, error) {
	p := &k.Params[at]
	elem, isNumber := bundle.ParamElem(p.Type)
	if at < len(f.elems) && elem != tileir.I64 { // which may be a pointer
		elem = f.elems[at]
	}
	if p.Bytes == 0 && isNumber && !a.All {
		bits, err := modrun.ParseNumber(a, elem)
		if err == nil || elem != tileir.I64 {
			l.Args[at] = bits
			return 1, err
		}
	}
	if p.Bytes == 0 && elem != tileir.I64 {
		return 0, toolbox.Usagef("%s needs a pointer, but parameter %d of kernel %s is %s", a, at, k.Name, paramType(p))
	}
	x, err := modrun.NewArray(a)
	if err != nil {
		return 0, err
	}
	if p.Bytes > 0 {
		if a.All || len(x.Data) != p.Bytes {
			return 0, toolbox.Usagef("%s: parameter %d of kernel %s takes an array of %d bytes, by value", a, at, k.Name, p.Bytes)
		}
		l.Bytes[at] = x.Data
		return 1, nil
	}
	f.arrays = append(f.arrays, x)
	l.Memory.Map(*next, x.Data, x.String(), false)
	l.Args[at] = *next
	*next += (uint64(len(x.Data))/gap + 2) * gap
	if !a.All {
		return 1, nil
	}
	return f.layout(k, l, a, x, at)
}

// layout binds the extents and strides of an array, which follow its pointer.
func (f *File) layout(k *simt.Func, l *emu.Launch, a *modrun.Argument, x *modrun.Array, at int) (int, error) {
	rank := len(x.Shape)
	for i, v := range slices.Concat(x.Shape, x.Strides) {
		n := at + 1 + i
		if n >= len(k.Params) {
			return 0, toolbox.Usagef("%s takes %s, but kernel %s has only %d from its pointer on", a, names.Plural(1+2*rank, "parameter"), k.Name, len(k.Params)-at)
		}
		e, ok := bundle.ParamElem(k.Params[n].Type)
		if !ok || !e.IsInt() || k.Params[n].Bytes > 0 {
			return 0, toolbox.Usagef("%s: an extent or a stride would be parameter %d of kernel %s, but that is %s", a, n, k.Name, paramType(&k.Params[n]))
		}
		text := modrun.Argument{Flag: a.Flag, Text: fmt.Sprint(v)}
		bits, err := modrun.ParseNumber(&text, e)
		if err != nil {
			return 0, err
		}
		l.Args[n] = bits
	}
	return 1 + 2*rank, nil
}

// results writes and prints the arrays.
func (f *File) results(out io.Writer) error {
	for _, x := range f.arrays {
		if err := x.Result(f.Results, out, f.Notes); err != nil {
			return err
		}
	}
	return nil
}

package emu

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/simt"
)

// Program is a module that is ready to run. It may be run by several goroutines at once.
type Program struct {
	name    string
	host    *function
	kernels map[string]*function
	vars    *variables
}

// function is a decoded kernel or host function.
type function struct {
	def       *simt.Func
	code      []instr
	consts    []constant
	specials  []int // those that are used
	vecs      int   // registers, special registers and constants
	sink      int   // the index of a register for results that are not used
	fences    bool  // there are some for memory
	orders    bool  // some access may order clusters
	proxies   bool  // the async proxy may touch global memory
	waits     bool  // may wait for the grid by grid.sync() of CUDA's cooperative groups
	params    map[string]param
	paramSize int
	tensor    bool // uses tensor memory
	group     int  // the cta_group of instructions that do
}

// constant is an immediate operand in the place of a register.
type constant struct {
	index int
	value uint64
}

// param is where a parameter lies in the memory of the parameters.
type param struct{ index, offset, size int }

// instr is a decoded instruction.
type instr struct {
	run   func(w *warp, m uint32) // for the lanes of m, which is not 0
	guard int                     // of the predicates
	flip  uint32                  // all ones where the guard must be false
	at    *address                // of a strong load that may be of global memory
	src   *simt.Instr
}

// Load decodes a module. An instruction that is unknown is an error.
func Load(m *simt.Module) (*Program, error) {
	vars, err := placeVariables(m)
	if err != nil {
		return nil, err
	}
	p := &Program{name: m.Name, kernels: map[string]*function{}, vars: vars}
	for _, k := range m.Kernels {
		f, err := decodeFunc(k, vars)
		if err != nil {
			return nil, fmt.Errorf("kernel %s: %w", k.Name, err)
		}
		p.kernels[k.Name] = f
	}
	if m.Host != nil {
		f, err := decodeFunc(m.Host, vars)
		if err != nil {
			return nil, fmt.Errorf("host function %s: %w", m.Host.Name, err)
		}
		p.host = f
	}
	return p, nil
}

// layoutParams places the parameters one after another, each aligned to its size.
func layoutParams(params []simt.Param) (map[string]param, int, error) {
	at, places := 0, map[string]param{}
	for i, p := range params {
		size, align := p.Bytes, max(p.Align, 1)
		if size == 0 {
			if simt.IsHandle(p.Type) {
				return nil, 0, fmt.Errorf("parameter %s is a .%s: %s", p.Name, p.Type, simt.Lacks("textures and surfaces"))
			}
			t, ok := parseType(p.Type)
			if !ok {
				return nil, 0, fmt.Errorf("parameter %s: unknown type %q", p.Name, p.Type)
			}
			size = max(t.bits/8, 1)
			align = size
		}
		at = (at + align - 1) / align * align
		places[p.Name] = param{i, at, size}
		at += size
	}
	return places, at, nil
}

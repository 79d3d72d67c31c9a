package simt

import (
	"go/token"
	"math/bits"
	"regexp"
	"slices"
)

// The limits of kernels that no target differs in, beside those of launches.
const (
	maxParams = 32764
	oldParams = 4352 // in versions of PTX before 8.1
	maxLocal  = 512 << 10
	maxRegs   = 255
)

var (
	identifier = regexp.MustCompile(`^([a-zA-Z][a-zA-Z0-9_$]*|[_$][a-zA-Z0-9_$]+)$`)
	// reserved are names to which PTX or package ptx gives another meaning.
	reserved = []string{"WARP_SZ", "smem", "local", "vprintf", "__assertfail"}
	// paramTypes are the types that parameters may have.
	paramTypes = []string{"b8", "u8", "s8", "b16", "u16", "s16", "b32", "u32", "s32", "f32", "b64", "u64", "s64", "f64"}
)

// declarations looks at a function's name, parameters and registers.
func (v *verifier) declarations() {
	f := v.f
	if !identifier.MatchString(f.Name) {
		v.add("the name %q is not a PTX identifier: expected letters, digits, _ and $", f.Name)
	}
	if slices.Contains(reserved, f.Name) {
		v.add("the name %q is reserved", f.Name)
	}
	for r, c := range f.Regs {
		if c > B64 {
			v.add("register %d has class %d: expected pred, b16, b32 or b64", r, c)
		}
	}
	if len(f.Result) > 0 && !f.Host {
		v.add("a kernel must not have results, but this one has %d", len(f.Result))
	}
	v.params = map[string]*Param{}
	total := 0
	for i := range f.Params {
		p := &f.Params[i]
		switch {
		case !identifier.MatchString(p.Name):
			v.add("the parameter's name %q is not a PTX identifier: expected letters, digits, _ and $", p.Name)
		case slices.Contains(reserved, p.Name):
			v.add("a parameter cannot have the name %q, which is reserved", p.Name)
		case v.vars[p.Name] != nil || v.handleTypes[p.Name] != "":
			v.add("there are a parameter and a variable %q", p.Name)
		case v.params[p.Name] != nil:
			v.add("there are two parameters %q", p.Name)
		}
		v.params[p.Name] = p
		total += v.param(p)
	}
	switch {
	case f.Host:
	case total > maxParams:
		v.addAt(f.LaunchPos, "the parameters have %d bytes: expected at most %d", total, maxParams)
	case total > oldParams && v.target.PTX < 81:
		v.addAt(f.LaunchPos, "the parameters have %d bytes: expected at most %d before PTX 8.1", total, oldParams)
	}
}

// param looks at a parameter and gives its bytes.
func (v *verifier) param(p *Param) int {
	if p.Bytes == 0 {
		if !slices.Contains(paramTypes, p.Type) && !(IsHandle(p.Type) && !v.f.Host) {
			v.add("parameter %q has type %q: expected one of %v", p.Name, p.Type, paramTypes)
		}
		return 8
	}
	if p.Type != "b8" || p.Bytes < 0 {
		v.add("parameter %q has %d bytes and type %q: expected b8 with a positive number of bytes", p.Name, p.Bytes, p.Type)
	}
	if p.Align < 1 || p.Align > 128 || bits.OnesCount(uint(p.Align)) != 1 {
		v.add("parameter %q has alignment %d: expected a power of two to 128", p.Name, p.Align)
	}
	return p.Bytes
}

// limits looks at what a kernel asks of the machine. Its mistakes are about the launch, where a module's source has one.
func (v *verifier) limits() {
	f := v.f
	add := func(format string, args ...any) { v.addAt(f.LaunchPos, format, args...) }
	if err := CheckBlock(f.Block); err != nil {
		add("%v", err)
	}
	if f.Cluster != [3]int{} {
		if err := CheckCluster(f.Cluster); err != nil {
			add("%v", err)
		}
		if v.target.SM < 90 {
			add("clusters need sm_90 or later: the target is %s", v.target.Name)
		}
	}
	if err := CheckResident(f.MinBlocks); err != nil {
		add("%v", err)
	}
	if f.MaxRegs < 0 || f.MaxRegs > maxRegs {
		add("at most %d registers of a thread: expected 1 to %d, or 0 for no demand", f.MaxRegs, maxRegs)
	}
	if f.Shared < 0 || f.Shared > v.target.Shared {
		hint := ""
		if f.SharedPos.IsValid() {
			hint = ": most of it is allocated here: use less"
		}
		v.addAt(f.SharedPos, "%d bytes of shared memory: %s has %d for one block%s", f.Shared, v.target.Name, v.target.Shared, hint)
	}
	if f.Local < 0 || f.Local > maxLocal {
		add("%d bytes of memory of each thread: expected 0 to %d", f.Local, maxLocal)
	}
}

// addAt adds a mistake that is of no instruction, but whose place in the source may be known.
func (v *verifier) addAt(pos token.Position, format string, args ...any) {
	listed := len(v.errs)
	v.add(format, args...)
	if len(v.errs) > listed {
		v.errs[listed].(*Error).Pos = pos
	}
}

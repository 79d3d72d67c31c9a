package simt

import (
	"math/bits"
	"slices"
)

// maxVars is the memory that the variables of a module may have.
const maxVars = 1 << 30

// variables looks at the variables of a module.
func (v *verifier) variables() {
	v.vars = map[string]*Var{}
	total := 0
	for _, x := range v.m.Vars {
		switch {
		case !identifier.MatchString(x.Name):
			v.add("the variable's name %q is not a PTX identifier: expected letters, digits, _ and $", x.Name)
		case slices.Contains(reserved, x.Name):
			v.add("a variable cannot have the name %q, which is reserved", x.Name)
		case v.vars[x.Name] != nil || v.m.Kernel(x.Name) != nil:
			v.add("there are two variables or kernels %q", x.Name)
		case x.Space != "global" && x.Space != "const":
			v.add("variable %q is in the space %q: expected global or const", x.Name, x.Space)
		case x.Align < 1 || x.Align > 1024 || bits.OnesCount(uint(x.Align)) != 1:
			v.add("variable %q has alignment %d: expected a power of two to 1024", x.Name, x.Align)
		case x.Bytes < 1 || x.Bytes > maxVars || len(x.Init) > x.Bytes:
			v.add("variable %q has %d bytes, of which %d have values: expected 1 to %d", x.Name, x.Bytes, len(x.Init), maxVars)
		}
		v.vars[x.Name] = x
		total += min(max(x.Bytes, 0), maxVars)
	}
	if total > maxVars {
		v.add("the variables have %d bytes: expected at most %d", total, maxVars)
	}
	for _, x := range v.m.Vars {
		v.refs(x)
	}
}

// refs looks at the addresses among the first values of a variable.
func (v *verifier) refs(x *Var) {
	last := -8
	for _, r := range x.Refs {
		switch {
		case v.vars[r.Name] == nil:
			v.add("variable %q has the address of %q, which is not a variable", x.Name, r.Name)
		case r.Offset < last+8 || r.Offset%8 != 0 || r.Offset+8 > x.Bytes || x.Bytes%8 != 0 || x.Align < 8:
			v.add("variable %q has an address at byte %d of %d: expected words of 64 bits, in order", x.Name, r.Offset, x.Bytes)
		}
		last = r.Offset
	}
}

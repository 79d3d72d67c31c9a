package simt

import (
	"slices"
	"strings"
)

// Handle is a texture, sampler or surface that a module names. What it stands for is bound by the driver.
type Handle struct {
	Name string
	Type string // "texref", "samplerref" or "surfref"
	Init []Attr // properties with first values
}

// IsHandle reports whether a type is that of textures, samplers or surfaces, of which nobody knows how they lie in memory.
func IsHandle(typ string) bool { return typ == "texref" || typ == "samplerref" || typ == "surfref" }

// samplerState is the space of an address that names a texture in modules whose textures have samplers, and a sampler in
// modules that name both apart.
const samplerState = "texref|samplerref"

// isHandleSpace reports whether the address of a slot names a texture, sampler or surface.
func isHandleSpace(space string) bool { return IsHandle(space) || space == samplerState }

// IsHandle reports whether an operand names a texture, sampler or surface, or is a register with the address of one.
func (s *Slot) IsHandle() bool { return s.Kinds.Has(Address) && isHandleSpace(s.Space) }

// Names reports whether a slot takes the name of a handle of a type. It does not look at what else the module names.
func (s *Slot) Names(typ string) bool {
	return s.IsHandle() && (s.Space == typ || s.Space == samplerState && typ != "surfref")
}

// Samplers reports whether a module names samplers: then its textures have none of their own, and instructions must say
// which they use. PTX calls that texmode_independent.
func (m *Module) Samplers() bool {
	isSampler := func(p Param) bool { return p.Type == "samplerref" }
	return slices.ContainsFunc(m.Handles, func(h *Handle) bool { return h.Type == "samplerref" }) ||
		slices.ContainsFunc(m.Kernels, func(k *Func) bool { return slices.ContainsFunc(k.Params, isSampler) })
}

// Texture reports whether a list reads a texture, and whether it says which sampler does.
func (s *Sig) Texture() (reads, sampled bool) {
	for i, slot := range s.Src {
		if slot.Space == "texref" && i+1 < len(s.Src) && s.Src[i+1].Join {
			return true, s.Src[i+1].IsHandle()
		}
	}
	return false, false
}

// properties are what handles may give first values, with the words that stand for numbers.
var properties = map[string][]string{
	"width": nil, "height": nil, "depth": nil, "array_size": nil, "num_mipmap_levels": nil, "num_samples": nil,
	"channel_data_type": nil, "channel_order": nil, "normalized_coords": nil, "memory_layout": nil,
	"force_unnormalized_coords": nil, "filter_mode": {"nearest", "linear"},
	"addr_mode_0": addressModes, "addr_mode_1": addressModes, "addr_mode_2": addressModes,
}

var addressModes = []string{"wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border"}

// handles looks at the textures, samplers and surfaces of a module.
func (v *verifier) handles() {
	v.handleTypes, v.samplers = map[string]string{}, v.m.Samplers()
	for _, h := range v.m.Handles {
		switch {
		case !identifier.MatchString(h.Name):
			v.add("the name %q is not a PTX identifier: expected letters, digits, _ and $", h.Name)
		case slices.Contains(reserved, h.Name):
			v.add("a %s cannot have the name %q, which is reserved", h.Type, h.Name)
		case v.vars[h.Name] != nil || v.handleTypes[h.Name] != "" || v.m.Kernel(h.Name) != nil:
			v.add("there are two variables or kernels %q", h.Name)
		case !IsHandle(h.Type):
			v.add("%q is a %q: expected texref, samplerref or surfref", h.Name, h.Type)
		}
		v.handleTypes[h.Name] = h.Type
		for _, a := range h.Init {
			words, ok := properties[a.Name]
			switch {
			case !ok:
				v.add("%q has no property %q", h.Name, a.Name)
			case (a.Value == "" || strings.Trim(a.Value, "0123456789") != "" || len(a.Value) > 9) && !slices.Contains(words, a.Value):
				v.add("%s of %q is %q: expected %s", a.Name, h.Name, a.Value, strings.Join(append([]string{"a number"}, words...), ", "))
			}
		}
	}
}

// handleType gives the type of the texture, sampler or surface of a name: "" if it is none.
func (v *verifier) handleType(name string) string {
	if p := v.params[name]; p != nil {
		if IsHandle(p.Type) {
			return p.Type
		}
		return ""
	}
	return v.handleTypes[name]
}

// handleProblem says what is wrong with a name that should be that of a texture, sampler or surface.
func (v *verifier) handleProblem(op Operand, slot *Slot) string {
	want := slot.Space
	if want == samplerState {
		if want = "texref"; v.samplers {
			want = "samplerref"
		}
	}
	if v.handleType(op.Name) != want {
		return "expected a " + want + " or a b64 register; found " + op.Name
	}
	return ""
}

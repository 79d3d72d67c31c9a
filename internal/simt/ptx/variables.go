package ptx

import (
	"encoding/binary"
	"slices"

	"github.com/cutile-go/cutile/internal/simt"
)

// inOrder gives variables after those whose addresses are among their first values, as PTX declares what it names.
func inOrder(vars []*simt.Var) (out []*simt.Var) {
	done := map[*simt.Var]bool{}
	var visit func(v *simt.Var)
	visit = func(v *simt.Var) {
		if done[v] {
			return
		}
		done[v] = true
		for _, ref := range v.Refs {
			if i := slices.IndexFunc(vars, func(o *simt.Var) bool { return o.Name == ref.Name }); i >= 0 {
				visit(vars[i])
			}
		}
		out = append(out, v)
	}
	for _, v := range vars {
		visit(v)
	}
	return out
}

// variables declares the variables of a module with their first values.
func (w *writer) variables(m *simt.Module) {
	for _, v := range inOrder(m.Vars) {
		if len(v.Refs) > 0 {
			w.addresses(v)
			continue
		}
		w.printf(".%s .align %d .b8 %s[%d]", v.Space, v.Align, v.Name, v.Bytes)
		init := v.Init
		for len(init) > 0 && init[len(init)-1] == 0 {
			init = init[:len(init)-1]
		}
		for i, b := range init {
			w.printf("%s%d", map[bool]string{true: " = {", false: ", "}[i == 0], b)
		}
		if len(init) > 0 {
			w.printf("}")
		}
		w.printf(";\n")
	}
}

// addresses declares a variable that has addresses among its first values, in words of 64 bits.
func (w *writer) addresses(v *simt.Var) {
	w.printf(".%s .align %d .u64 %s[%d] = {", v.Space, v.Align, v.Name, v.Bytes/8)
	init := append(slices.Clone(v.Init), make([]byte, 7)...)
	refs := v.Refs
	for at := 0; at < len(v.Init); at += 8 {
		if at > 0 {
			w.printf(", ")
		}
		if len(refs) > 0 && refs[0].Offset == at {
			w.printf("%s", refs[0].Name)
			if refs[0].Add != 0 {
				w.printf("+%d", refs[0].Add)
			}
			refs = refs[1:]
			continue
		}
		w.printf("%d", binary.LittleEndian.Uint64(init[at:]))
	}
	w.printf("};\n")
}

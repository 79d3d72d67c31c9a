package check

import (
	"fmt"
	"go/types"
	"reflect"
	"strings"
)

// FromReflect turns a type of the running program into the world's type.
func (w *World) FromReflect(t reflect.Type) (types.Type, error) {
	if t.Name() != "" {
		return w.fromName(fullName(t))
	}
	switch t.Kind() {
	case reflect.Func:
		in, err := w.tuple(t.NumIn(), t.In)
		if err != nil {
			return nil, err
		}
		out, err := w.tuple(t.NumOut(), t.Out)
		if err != nil {
			return nil, err
		}
		return types.NewSignatureType(nil, nil, nil, in, out, t.IsVariadic()), nil
	case reflect.Slice:
		e, err := w.FromReflect(t.Elem())
		if err != nil {
			return nil, err
		}
		return types.NewSlice(e), nil
	}
	return nil, fmt.Errorf("a kernel cannot have a parameter of type %s", t)
}

func (w *World) tuple(n int, at func(int) reflect.Type) (*types.Tuple, error) {
	vs := make([]*types.Var, n)
	for i := range vs {
		t, err := w.FromReflect(at(i))
		if err != nil {
			return nil, err
		}
		vs[i] = types.NewParam(0, nil, "", t)
	}
	return types.NewTuple(vs...), nil
}

// fullName is a named type with the import path of its package, as the type arguments inside it are spelt.
func fullName(t reflect.Type) string {
	if t.PkgPath() == "" {
		return t.Name()
	}
	return t.PkgPath() + "." + t.Name()
}

func (w *World) fromName(s string) (types.Type, error) {
	t, rest, err := w.parseName(s)
	if err == nil && rest != "" {
		err = fmt.Errorf("type %s is not one that a kernel can use", s)
	}
	return t, err
}

// parseName reads path.Name[arguments] and gives what follows it.
func (w *World) parseName(s string) (types.Type, string, error) {
	end := strings.IndexAny(s+",", "[],")
	path, name := splitName(s[:end])
	scope := types.Universe
	if path != "" {
		p := w.Pkgs[path]
		if p == nil {
			return nil, "", fmt.Errorf("type %s is of a package without registered source", s[:end])
		}
		scope = p.Types.Scope()
	}
	obj, ok := scope.Lookup(name).(*types.TypeName)
	if !ok {
		return nil, "", fmt.Errorf("type %s cannot be used in a kernel: it must be declared at package level in registered source", s[:end])
	}
	rest := s[end:]
	if !strings.HasPrefix(rest, "[") {
		return obj.Type(), rest, nil
	}
	var args []types.Type
	for rest[0] != ']' {
		a, r, err := w.parseName(rest[1:])
		if err != nil {
			return nil, "", err
		}
		if r == "" {
			return nil, "", fmt.Errorf("type %s cannot be used in a kernel", s)
		}
		args, rest = append(args, a), r
	}
	t, err := types.Instantiate(w.ctx, obj.Type(), args, true)
	return t, rest[1:], err
}

// splitName cuts a qualified name. The run-time spells dots in the last element of a path as %2e.
func splitName(s string) (path, name string) {
	dot := strings.LastIndexByte(s, '.')
	if dot < 0 {
		return "", s
	}
	return strings.ReplaceAll(s[:dot], "%2e", "."), s[dot+1:]
}

// TypeNames lists the named types inside a type of the running program, extents and elements of the language aside:
// the roots that a world needs to know the type.
func TypeNames(t reflect.Type) (out []Root) {
	seen := map[Root]bool{}
	typeNames(t, func(r Root) {
		if !seen[r] {
			seen[r] = true
			out = append(out, r)
		}
	})
	return out
}

func typeNames(t reflect.Type, f func(Root)) {
	if t.Name() == "" {
		switch t.Kind() {
		case reflect.Func:
			for i := range t.NumIn() {
				typeNames(t.In(i), f)
			}
			for i := range t.NumOut() {
				typeNames(t.Out(i), f)
			}
		case reflect.Slice, reflect.Array, reflect.Pointer:
			typeNames(t.Elem(), f)
		}
		return
	}
	for _, s := range strings.FieldsFunc(fullName(t), func(r rune) bool { return strings.ContainsRune("[],", r) }) {
		path, name := splitName(s)
		if path == "" || path == TilePath && len(name) > 1 && name[0] == 'D' && strings.Trim(name[1:], "0123456789") == "" {
			continue
		}
		f(Root{path, name})
	}
}

package world

import (
	"fmt"
	"go/types"
	"reflect"
	"strconv"
	"strings"
)

// FromReflect turns a type of the running program into the world's type.
func (w *World) FromReflect(t reflect.Type) (types.Type, error) {
	if t.Name() != "" {
		return w.FromName(fullName(t))
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
	case reflect.Pointer, reflect.Map, reflect.Chan: // no kernel takes one: the parameter is refused where it is declared
		return w.refused(t)
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return types.NewInterfaceType(nil, nil), nil
		}
	case reflect.Array:
		e, err := w.FromReflect(t.Elem())
		if err != nil {
			return nil, err
		}
		return types.NewArray(e, int64(t.Len())), nil
	case reflect.Struct:
		return w.structType(t)
	}
	return nil, fmt.Errorf("%s cannot have a parameter of type %s", w.sweep.lang.Code, t)
}

func (w *World) refused(t reflect.Type) (types.Type, error) {
	e, err := w.FromReflect(t.Elem())
	switch {
	case err != nil:
		return nil, err
	case t.Kind() == reflect.Pointer:
		return types.NewPointer(e), nil
	case t.Kind() == reflect.Chan:
		return types.NewChan(map[reflect.ChanDir]types.ChanDir{
			reflect.BothDir: types.SendRecv, reflect.SendDir: types.SendOnly, reflect.RecvDir: types.RecvOnly,
		}[t.ChanDir()], e), nil
	}
	k, err := w.FromReflect(t.Key())
	return types.NewMap(k, e), err
}

func (w *World) structType(t reflect.Type) (types.Type, error) {
	fields := make([]*types.Var, t.NumField())
	for i := range fields {
		f := t.Field(i)
		ft, err := w.FromReflect(f.Type)
		if err != nil {
			return nil, err
		}
		var pkg *types.Package
		if p := w.Pkgs[f.PkgPath]; p != nil {
			pkg = p.Types
		}
		fields[i] = types.NewField(0, pkg, f.Name, ft, f.Anonymous)
	}
	return types.NewStruct(fields, nil), nil
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

// FromName gives the world's type for path.Name[arguments], as reflection and go/types with import paths spell it.
func (w *World) FromName(s string) (types.Type, error) {
	t, rest, err := w.parseName(s)
	if err == nil && rest != "" {
		err = fmt.Errorf("type %s cannot be used in %s", s, w.sweep.lang.Code)
	}
	return t, err
}

// parseName reads path.Name[arguments] and gives what follows it.
func (w *World) parseName(s string) (types.Type, string, error) {
	s = strings.TrimPrefix(s, " ")
	if t, rest, err := w.parseUnnamed(s); t != nil || err != nil {
		return t, rest, err
	}
	end := strings.IndexAny(s+",", "[],) ")
	path, name := splitName(s[:end])
	scope := types.Universe
	if path != "" {
		switch p := w.Pkgs[path]; {
		case p != nil:
			scope = p.Types.Scope()
		case w.std[path] != nil: // of the standard library, with a declaration of the language's
			scope = w.std[path].Scope()
		default:
			return nil, "", fmt.Errorf("type %s is of a package without registered source", s[:end])
		}
	}
	obj, ok := scope.Lookup(name).(*types.TypeName)
	if !ok {
		return nil, "", fmt.Errorf("type %s cannot be used in %s: it must be declared at package level in registered source", s[:end], w.sweep.lang.Code)
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
			return nil, "", fmt.Errorf("type %s cannot be used in %s", s, w.sweep.lang.Code)
		}
		args, rest = append(args, a), r
	}
	t, err := types.Instantiate(w.ctx, obj.Type(), args, true)
	return t, rest[1:], err
}

// parseUnnamed reads func(types) result, []T, [n]T and *T: nil if s starts with a name.
func (w *World) parseUnnamed(s string) (types.Type, string, error) {
	if rest, ok := strings.CutPrefix(s, "func("); ok {
		in, rest, err := w.parseList(rest)
		if err != nil {
			return nil, "", err
		}
		var out *types.Tuple
		switch {
		case strings.HasPrefix(rest, " ("):
			out, rest, err = w.parseList(rest[2:])
		case strings.HasPrefix(rest, " "):
			var t types.Type
			t, rest, err = w.parseName(rest)
			out = types.NewTuple(types.NewParam(0, nil, "", t))
		}
		return types.NewSignatureType(nil, nil, nil, in, out, false), rest, err
	}
	if rest, ok := strings.CutPrefix(s, "*"); ok {
		t, rest, err := w.parseName(rest)
		return types.NewPointer(t), rest, err
	}
	if rest, ok := strings.CutPrefix(s, "interface {}"); ok {
		return types.Universe.Lookup("any").Type(), rest, nil
	}
	if !strings.HasPrefix(s, "[") {
		return nil, "", nil
	}
	n, rest, _ := strings.Cut(s[1:], "]")
	t, rest, err := w.parseName(rest)
	if err != nil || n == "" {
		return types.NewSlice(t), rest, err
	}
	length, err := strconv.ParseInt(n, 10, 64)
	return types.NewArray(t, length), rest, err
}

// parseList reads types up to a closing parenthesis.
func (w *World) parseList(s string) (*types.Tuple, string, error) {
	var vs []*types.Var
	for !strings.HasPrefix(s, ")") {
		t, rest, err := w.parseName(strings.TrimPrefix(s, ","))
		if err != nil {
			return nil, "", err
		}
		if rest == "" {
			return nil, "", fmt.Errorf("type %s cannot be used in %s", s, w.sweep.lang.Code)
		}
		vs, s = append(vs, types.NewParam(0, nil, "", t)), rest
	}
	return types.NewTuple(vs...), s[1:], nil
}

// splitName cuts a qualified name. The Go runtime spells dots in the last element of a path as %2e.
func splitName(s string) (path, name string) {
	dot := strings.LastIndexByte(s, '.')
	if dot < 0 {
		return "", s
	}
	return strings.ReplaceAll(s[:dot], "%2e", "."), s[dot+1:]
}

// TypeNames lists the named types inside a type of the running program, those that are implied aside: the roots that a world
// needs to know the type.
func (lang *Language) TypeNames(t reflect.Type) (out []Symbol) {
	seen := map[Symbol]bool{}
	typeNames(t, func(r Symbol) {
		if !seen[r] && !lang.implied(r) {
			seen[r] = true
			out = append(out, r)
		}
	})
	return out
}

func typeNames(t reflect.Type, f func(Symbol)) {
	if t.Name() == "" {
		switch t.Kind() {
		case reflect.Func:
			for i := range t.NumIn() {
				typeNames(t.In(i), f)
			}
			for i := range t.NumOut() {
				typeNames(t.Out(i), f)
			}
		case reflect.Map:
			typeNames(t.Key(), f)
			typeNames(t.Elem(), f)
		case reflect.Slice, reflect.Array, reflect.Pointer, reflect.Chan:
			typeNames(t.Elem(), f)
		case reflect.Struct:
			for i := range t.NumField() {
				typeNames(t.Field(i).Type, f)
			}
		}
		return
	}
	namesIn(fullName(t), f)
}

// NamesIn lists the named types inside path.Name[arguments] as [Language.TypeNames] does.
func (lang *Language) NamesIn(s string) (out []Symbol) {
	namesIn(s, func(r Symbol) {
		if !lang.implied(r) {
			out = append(out, r)
		}
	})
	return out
}

func (lang *Language) implied(r Symbol) bool { return lang.Implied != nil && lang.Implied(r) }

func namesIn(s string, f func(Symbol)) {
	for _, s := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("[],()* ", r) }) {
		path, name := splitName(strings.TrimPrefix(s, "func"))
		if path != "" {
			f(Symbol{path, name})
		}
	}
}

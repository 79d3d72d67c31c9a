package gguf

import (
	"fmt"
	"reflect"
)

// The kinds of values in files. Each but arrays is a type of Go; an array is a slice of one, and an array of arrays []any.
const (
	kindString = 8
	kindArray  = 9
)

// goKinds are the Go types of the kinds.
var goKinds = map[uint32]reflect.Type{
	0: reflect.TypeFor[uint8](), 1: reflect.TypeFor[int8](), 2: reflect.TypeFor[uint16](), 3: reflect.TypeFor[int16](),
	4: reflect.TypeFor[uint32](), 5: reflect.TypeFor[int32](), 6: reflect.TypeFor[float32](), 7: reflect.TypeFor[bool](),
	kindString: reflect.TypeFor[string](), 10: reflect.TypeFor[uint64](), 11: reflect.TypeFor[int64](), 12: reflect.TypeFor[float64](),
}

// kindOf finds the kind of a Go type.
var kindOf = func() map[reflect.Type]uint32 {
	m := map[reflect.Type]uint32{reflect.TypeFor[any](): kindArray}
	for k, t := range goKinds {
		m[t] = k
	}
	return m
}()

// maxDepth limits how deep arrays are nested.
const maxDepth = 8

// value reads a value of a kind.
func (p *parser) value(kind uint32, depth int) (any, error) {
	if kind == kindArray {
		return p.array(depth + 1)
	}
	t, ok := goKinds[kind]
	if !ok {
		return nil, p.errorf("the value type %d is not known", kind)
	}
	v := reflect.New(t)
	err := p.scalar(v.Elem())
	return v.Elem().Interface(), err
}

// scalar reads a value that is no array into v.
func (p *parser) scalar(v reflect.Value) error {
	if v.Kind() == reflect.String {
		s, err := p.text()
		v.SetString(s)
		return err
	}
	b, err := p.bytes(int64(v.Type().Size()))
	if err != nil {
		return err
	}
	if v.Kind() == reflect.Bool {
		if b[0] > 1 {
			return p.errorf("a bool is 0 or 1, found %d", b[0])
		}
		v.SetBool(b[0] == 1)
		return nil
	}
	put(v, b)
	return nil
}

// array reads an array, whose type and length come first. Every element takes bytes of the file, so the length is checked
// before memory is taken.
func (p *parser) array(depth int) (any, error) {
	if depth > maxDepth {
		return nil, p.errorf("arrays are nested deeper than %d", maxDepth)
	}
	kind, err := p.uint32()
	if err != nil {
		return nil, err
	}
	elem, ok := goKinds[kind]
	least := int64(8) // of a string
	switch {
	case kind == kindArray:
		elem, least = reflect.TypeFor[any](), 12
	case !ok:
		return nil, p.errorf("the array type %d is not known", kind)
	case kind != kindString:
		least = int64(elem.Size())
	}
	n, err := p.count("elements of an array", least)
	if err != nil {
		return nil, err
	}
	out := reflect.MakeSlice(reflect.SliceOf(elem), n, n)
	for i := range n {
		if kind != kindArray {
			err = p.scalar(out.Index(i))
		} else {
			var v any
			if v, err = p.array(depth + 1); err == nil {
				out.Index(i).Set(reflect.ValueOf(v))
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return out.Interface(), nil
}

// appendValue writes the kind, if asked for, and the value.
func appendValue(b []byte, v reflect.Value, withKind bool, depth int) ([]byte, error) {
	if !v.IsValid() {
		return nil, fmt.Errorf("nil is no value")
	}
	kind, ok := kindOf[v.Type()]
	if v.Kind() == reflect.Slice {
		kind, ok = kindArray, true
	}
	if !ok {
		return nil, fmt.Errorf("values of Go's %v have no place in the format", v.Type())
	}
	if withKind {
		b = le.AppendUint32(b, kind)
	}
	if kind != kindArray {
		return appendScalar(b, v), nil
	}
	elem, ok := kindOf[v.Type().Elem()]
	if !ok || depth >= maxDepth {
		return nil, fmt.Errorf("arrays of Go's %v at depth %d have no place in the format", v.Type(), depth)
	}
	b = le.AppendUint64(le.AppendUint32(b, elem), uint64(v.Len()))
	for i := range v.Len() {
		e := v.Index(i)
		if elem == kindArray {
			if e = e.Elem(); !e.IsValid() || e.Kind() != reflect.Slice {
				return nil, fmt.Errorf("element %d of []any is no slice", i)
			}
		}
		var err error
		if b, err = appendValue(b, e, false, depth+1); err != nil {
			return nil, err
		}
	}
	return b, nil
}

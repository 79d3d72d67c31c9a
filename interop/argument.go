package interop

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/bind"
	core "github.com/cutile-go/cutile/internal/device"
)

// Arg is a tensor as an argument of [Kernel.Launch], with what the kernel does to it: see [In], [Out] and [InOut]. It may be a field of a struct.
type Arg struct {
	tensor any
	reads  bool // and does not write
}

// In is a tensor that the kernel only reads: launches that read it, too, need not wait for one another.
func In(tensor any) Arg { return Arg{tensor, true} }

// Out is a tensor that the kernel writes.
func Out(tensor any) Arg { return Arg{tensor, false} }

// InOut is a tensor that the kernel reads and writes, as a tensor without any of these words is.
func InOut(tensor any) Arg { return Arg{tensor, false} }

// class is what a value is to a parameter.
type class int

const (
	address class = iota
	integer
	float
	bits      // of a type that PTX has no parameters of
	aggregate // a struct or an array
)

// value is an argument as a kernel finds it in memory.
type value struct {
	data  []byte
	align int
	class class
}

// used is a tensor among the arguments.
type used struct {
	tensor *core.Tensor
	writes bool
}

// encoder makes values of arguments and notes the tensors.
type encoder struct {
	dev  *core.Device
	used []used
}

// encode makes the value of an argument, or of a field of one.
func (e *encoder) encode(x any) (v value, err error) {
	arg, marked := x.(Arg)
	if marked {
		x = arg.tensor
	}
	if r := reflect.ValueOf(x); x == nil || r.Kind() == reflect.Pointer && r.IsNil() {
		return v, errors.New("it is nil: pass uintptr(0) for a null pointer")
	}
	t, x, err := bind.Unwrap(x)
	switch {
	case err != nil:
		return v, err
	case t != nil:
		return e.tensor(t, !arg.reads)
	case marked:
		return v, fmt.Errorf("%s is not a tensor", typeOfGo(x))
	}
	return e.plain(reflect.ValueOf(x))
}

// tensor is the address of a tensor.
func (e *encoder) tensor(t *core.Tensor, writes bool) (v value, err error) {
	switch {
	case t.Err != nil:
		return v, t.Err
	case t.Spec:
		return v, errors.New("a Spec has no memory: launches need a tensor")
	case t.Memory.Device() != e.dev:
		return v, errors.New("the tensor belongs to another device" + e.dev.Apart(t.Memory.Device()))
	}
	if writes && t.View.Repeats() {
		return v, fmt.Errorf("the kernel may write it, but two of its indices are one element, as in a broadcast view: shape %v with strides %v: "+
			"pass its Contiguous, or interop.In(x) if the kernel only reads it", t.View.Shape, t.View.Strides)
	}
	e.used = append(e.used, used{t, writes})
	return value{binary.LittleEndian.AppendUint64(nil, t.Address()), 8, address}, nil
}

// plain is a value of Go.
func (e *encoder) plain(r reflect.Value) (v value, err error) {
	switch r.Kind() {
	case reflect.Bool:
		n := uint64(0)
		if r.Bool() {
			n = 1
		}
		return number(n, 1, integer), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return number(uint64(r.Int()), int(r.Type().Size()), integer), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v = number(r.Uint(), int(r.Type().Size()), integer)
		if narrow := r.Type().PkgPath() == dtype.F16.GoType().PkgPath(); narrow {
			v.class = bits
		}
		return v, nil
	case reflect.Float32:
		return number(uint64(math.Float32bits(float32(r.Float()))), 4, float), nil
	case reflect.Float64:
		return number(math.Float64bits(r.Float()), 8, float), nil
	case reflect.Struct:
		return e.structure(r)
	case reflect.Array:
		v.align = 1
		for i := range r.Len() {
			if err := e.element(&v, r.Index(i), fmt.Sprintf("[%d]", i)); err != nil {
				return v, err
			}
		}
		return v.end(r)
	}
	return v, fmt.Errorf("%s cannot be an argument of a kernel: pass a tensor, a number, a bool, or a struct or array of these", typeOfGo(r.Interface()))
}

func number(n uint64, size int, c class) value {
	return value{binary.LittleEndian.AppendUint64(nil, n)[:size], size, c}
}

// structure is a struct with C's layout.
func (e *encoder) structure(r reflect.Value) (v value, err error) {
	v.align = 1
	for i := range r.NumField() {
		f := r.Type().Field(i)
		field := r.Field(i)
		switch {
		case f.Name == "_":
			field = reflect.Zero(f.Type)
		case !f.IsExported():
			return v, fmt.Errorf("the field %s of %s is not exported", f.Name, bind.TypeText(r.Type()))
		}
		if err := e.element(&v, field, "."+f.Name); err != nil {
			return v, err
		}
	}
	return v.end(r)
}

// element appends a field or an element.
func (e *encoder) element(v *value, r reflect.Value, name string) error {
	part, err := e.encode(r.Interface())
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	v.pad(part.align)
	v.data, v.align = append(v.data, part.data...), max(v.align, part.align)
	return nil
}

func (v *value) pad(align int) {
	for len(v.data)%align != 0 {
		v.data = append(v.data, 0)
	}
}

// end completes a struct or an array.
func (v *value) end(r reflect.Value) (value, error) {
	if len(v.data) == 0 {
		return *v, fmt.Errorf("%s has no bytes", bind.TypeText(r.Type()))
	}
	v.pad(v.align)
	v.class = aggregate
	return *v, nil
}

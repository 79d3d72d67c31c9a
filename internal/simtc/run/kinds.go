package run

import (
	"fmt"
	"go/constant"
	"go/types"
	"math"
	"reflect"
	"strconv"
	"unsafe"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/internal/front/source"
	"github.com/cutile-go/cutile/internal/goval"
	"github.com/cutile-go/cutile/internal/simtc/eval"
)

// cutePath is the package whose types [Values] describes.
const cutePath = "github.com/cutile-go/cutile/cute"

// kinds binds a value by the kind of its type. What is not there is refused.
var kinds map[reflect.Kind]func(b *binder, v reflect.Value, static bool) eval.Arg

func init() {
	kinds = map[reflect.Kind]func(b *binder, v reflect.Value, static bool) eval.Arg{
		reflect.Bool: (*binder).number, reflect.String: (*binder).text,
		reflect.Float32: (*binder).number, reflect.Float64: (*binder).number,
		reflect.Struct: (*binder).fields, reflect.Array: (*binder).elements, reflect.Slice: (*binder).elements,
		reflect.Func: (*binder).function, reflect.Pointer: (*binder).pointer, reflect.Interface: (*binder).iface,
		reflect.Uintptr: (*binder).number,
	}
	for k := reflect.Int; k <= reflect.Uint64; k++ {
		kinds[k] = (*binder).number
	}
}

// value binds a value: protocols and adapters first, then the words of package cute, then Go's types.
func (b *binder) value(v reflect.Value, static bool) eval.Arg {
	t := v.Type()
	if t == contextType {
		return b.context(v)
	}
	if a, ok := b.protocol(v, static); ok {
		return a
	}
	if isOpaque(t) {
		b.note('o', "")
		return eval.NilArg{}
	}
	if t.PkgPath() == cutePath && t.Kind() != reflect.Interface && t.Kind() != reflect.Float32 {
		if a, ok := b.word(v, static); ok {
			return a
		}
	}
	if bind := kinds[t.Kind()]; bind != nil {
		return bind(b, v, static)
	}
	b.unknown(v)
	return nil
}

// isOpaque reports whether compiled code cannot look into values of a type: one of a package without registered source, such as a
// time.Time or a *sync.Mutex in a struct. A program that uses one does not compile.
func isOpaque(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer && t.Name() == "" {
		return isOpaque(t.Elem())
	}
	if t.PkgPath() == "" || elemOfKind[t.Kind()] != 0 || t.Kind() == reflect.String {
		return false
	}
	p, err := source.Load(t.PkgPath())
	return err == nil && p == nil
}

// number binds a number or truth value.
func (b *binder) number(v reflect.Value, static bool) eval.Arg {
	if !static {
		bits, d := dynamic(v)
		b.leaves = append(b.leaves, bits)
		b.note('d', d.text())
		return d.Dyn
	}
	var c constant.Value
	switch {
	case v.Kind() == reflect.Bool:
		c = constant.MakeBool(v.Bool())
	case v.CanInt():
		c = constant.MakeInt64(v.Int())
	case v.CanUint():
		c = constant.MakeUint64(v.Uint())
	default:
		f := v.Float()
		if math.IsNaN(f) || math.IsInf(f, 0) {
			b.fail("%s is %v: a static number must be finite; pass it as a dynamic argument", b.argument(), f)
		}
		b.say('s', strconv.FormatFloat(f, 'g', -1, 64))
		if b.world == nil {
			return nil
		}
		return eval.Known{V: goval.FromFloat(f)}
	}
	b.say('s', c.ExactString())
	return eval.Known{V: c}
}

// dyn is what the program may know of a number: that 32 bits hold it.
type dyn struct {
	eval.Dyn
	wide bool
}

func (d dyn) text() string {
	if d.wide {
		return "wide"
	}
	return ""
}

// dynamic gives the bits of a number as a parameter. An int that fits 32 bits is promised to do so.
func dynamic(v reflect.Value) (uint64, dyn) {
	switch k := v.Kind(); {
	case k == reflect.Bool:
		if v.Bool() {
			return 1, dyn{}
		}
		return 0, dyn{}
	case k == reflect.Int:
		n := v.Int()
		if n == int64(int32(n)) {
			return uint64(n), dyn{Dyn: eval.Dyn{Lo: math.MinInt32, Hi: math.MaxInt32}}
		}
		return uint64(n), dyn{wide: true}
	case v.CanInt():
		return uint64(v.Int()), dyn{}
	case v.CanUint():
		return v.Uint(), dyn{}
	}
	return elemOf(v.Type()).FloatBits(v.Float()), dyn{}
}

// number is the number or truth value of a type that has these bits as an element.
func number(t reflect.Type, bits uint64) reflect.Value {
	v := reflect.New(t).Elem()
	e := elemOf(t)
	free := 64 - 8*e.Size()
	switch {
	case v.Kind() == reflect.Bool:
		v.SetBool(bits&1 != 0)
	case v.CanInt():
		v.SetInt(int64(bits<<free) >> free)
	case v.CanUint():
		v.SetUint(bits << free >> free)
	default:
		v.SetFloat(e.FloatFromBits(bits))
	}
	return v
}

// halves are the element types that Go does not have, by their names in package cute, and elemOfKind those that it has.
var halves, elemOfKind = func() (map[string]dtype.Type, map[reflect.Kind]dtype.Type) {
	named, kinds := map[string]dtype.Type{}, map[reflect.Kind]dtype.Type{}
	for i, row := range elem.Table[1:] {
		switch t := dtype.Type(i + 1); {
		case row.Cute == "":
		case t.GoType().PkgPath() != "":
			named[row.Cute] = t
		default:
			kinds[t.GoType().Kind()] = t
		}
	}
	kinds[reflect.Int], kinds[reflect.Uint], kinds[reflect.Uintptr] = dtype.I64, dtype.U64, dtype.U64
	return named, kinds
}()

// elemOf is the element type that a type of Go's or of package cute's is in memory.
func elemOf(t reflect.Type) dtype.Type {
	if t.PkgPath() == cutePath {
		if e, ok := halves[t.Name()]; ok {
			return e
		}
	}
	return elemOfKind[t.Kind()]
}

// ElemOf is the element type that a type of Go's or of package cute's is in memory.
func ElemOf(t reflect.Type) dtype.Type { return elemOf(t) }

// text binds a text, which only compiled code can hold.
func (b *binder) text(v reflect.Value, static bool) eval.Arg {
	if !static {
		b.fail("%s is a string: make it a cute.Constexpr[%s], because strings must be known when the function is compiled", b.argument(), bind.TypeText(v.Type()))
	}
	b.say('s', v.String())
	return eval.Known{V: constant.MakeString(v.String())}
}

// fields binds a struct field by field.
func (b *binder) fields(v reflect.Value, static bool) eval.Arg {
	v = addressable(v)
	a := eval.StructArg{}
	for i := range v.NumField() {
		f := v.Field(i)
		if !f.CanInterface() { // reads what is not exported
			f = reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
		}
		a.Fields = append(a.Fields, b.within("."+v.Type().Field(i).Name, f, static))
	}
	return a
}

// elements binds an array or a slice, whose length is static.
func (b *binder) elements(v reflect.Value, static bool) eval.Arg {
	var elems []eval.Arg
	if v.Kind() == reflect.Slice {
		if v.IsNil() {
			b.note('n', "")
			return eval.NilArg{}
		}
		b.note('[', strconv.Itoa(v.Len()))
	}
	for i := range v.Len() {
		elems = append(elems, b.within(fmt.Sprintf("[%d]", i), addressable(v.Index(i)), static))
	}
	if v.Kind() == reflect.Slice {
		return eval.SliceArg{Elems: elems}
	}
	return eval.ArrayArg{Elems: elems}
}

// pointer binds what a pointer points at.
func (b *binder) pointer(v reflect.Value, static bool) eval.Arg {
	if v.IsNil() {
		b.note('n', "")
		return eval.NilArg{}
	}
	b.note('*', "")
	return eval.PointerArg{Arg: b.value(v.Elem(), static)}
}

// iface binds the value in an interface. What is in a Tiler is static.
func (b *binder) iface(v reflect.Value, static bool) eval.Arg {
	if v.IsNil() {
		b.note('n', "")
		return eval.NilArg{}
	}
	x := addressable(v.Elem())
	t := x.Type()
	bind := b.value
	if a, ok := b.adapted(x); ok {
		x, t = addressable(a), a.Type()
		if p, isArg := a.Interface().(JitArgument); isArg {
			made, _ := rebuilt(t)
			t, bind = made, func(reflect.Value, bool) eval.Arg { return b.rebuild(p, made, static) }
		}
	}
	b.note('i', typeKey(t))
	b.types = append(b.types, t)
	_, tiler := b.fn.values.Look(reflect.Zero(reflect.PointerTo(v.Type())).Interface()).(Words)
	return eval.IfaceArg{Arg: bind(x, static || tiler), Type: b.typeOf(t)}
}

// typeOf is a type in the world; nil if there is none.
func (b *binder) typeOf(t reflect.Type) types.Type {
	if b.world == nil {
		return nil
	}
	typ, err := b.world.FromReflect(t)
	if err != nil {
		b.failWith(err)
	}
	return typ
}

// typeKey names a type in keys.
func typeKey(t reflect.Type) string {
	if t == nil {
		return ""
	}
	return t.PkgPath() + " " + t.String()
}

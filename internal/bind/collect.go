package bind

import (
	"reflect"
	"strings"
	"unsafe"

	"github.com/cutile-go/cutile/internal/tilec/compile"
)

// collect finds what an argument stands for. The fields of a struct and the elements of an array take its place; of and
// field say which field of a struct it is itself.
func (c *Call) collect(arg any, of reflect.Type, field string) {
	g := given{of: of, field: field}
	g.tensor, g.value, g.err = c.unwrap(arg)
	t := reflect.TypeOf(g.value)
	if g.err != nil || g.tensor != nil || t == nil || t.Kind() != reflect.Struct && t.Kind() != reflect.Array {
		c.given = append(c.given, g)
		return
	}
	v := reflect.New(t).Elem() // addressable, so that fields which are not exported can be read
	v.Set(reflect.ValueOf(g.value))
	if t.Kind() == reflect.Array {
		for i := range v.Len() {
			c.collect(v.Index(i).Interface(), of, field)
		}
		return
	}
	for i := range v.NumField() {
		f := t.Field(i)
		if f.Type.Size() == 0 {
			continue // tile.Size and the like
		}
		x, ok := readable(v.Field(i))
		if !ok {
			c.given = append(c.given, given{of: t, hidden: f.Name})
			continue
		}
		c.collect(x, t, f.Name)
	}
}

// readable is the value of an addressable field. Of one that is not exported, only numbers, booleans and what is made of them can be
// read: other values are for their package to give.
func readable(v reflect.Value) (x any, ok bool) {
	if v.CanInterface() {
		return v.Interface(), true
	}
	n := reflect.New(v.Type()).Elem()
	switch {
	case v.Kind() == reflect.Bool:
		n.SetBool(v.Bool())
	case v.CanInt():
		n.SetInt(v.Int())
	case v.CanUint():
		n.SetUint(v.Uint())
	case v.CanFloat():
		n.SetFloat(v.Float())
	case v.Kind() == reflect.Struct || v.Kind() == reflect.Array:
		n = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
	default:
		return nil, false
	}
	return n.Interface(), true
}

// lastName is the name of the field that a parameter is: an argument in a struct must have it.
func lastName(p *compile.Param) string {
	name := p.Name
	for strings.HasSuffix(name, "]") {
		name = name[:strings.LastIndexByte(name, '[')]
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

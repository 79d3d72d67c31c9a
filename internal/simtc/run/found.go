package run

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/front/source"
)

// found holds the functions that were arguments.
var found sync.Map // of foundKey to foundEntry

type foundKey struct {
	pc  uintptr
	typ reflect.Type
}

type foundEntry struct {
	foundFunc
	err error
}

// findOnce finds the source of a function that is an argument.
func findOnce(v reflect.Value) (foundFunc, error) {
	key := foundKey{v.Pointer(), v.Type()}
	if e, ok := found.Load(key); ok {
		return e.(foundEntry).foundFunc, e.(foundEntry).err
	}
	var e foundEntry
	e.Ref, e.err = hostFunction.Find(v)
	if e.err == nil {
		e.key = fmt.Sprintf("%s.%s %s %v", e.Root.Path, e.Root.Name, v.Type(), source.Fset.Position(e.Node().Pos()))
	}
	found.Store(key, e)
	return e.foundFunc, e.err
}

// cutArgs cuts the type arguments from a type's name.
func cutArgs(name string) (base, args string, ok bool) { return strings.Cut(name, "[") }

package bind

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	api "github.com/cutile-go/cutile/device"
)

// importPath is the path before a package's name, which reflection spells inside type arguments.
var importPath = regexp.MustCompile(`[\w.~-]+(/[\w.~-]+)*/`)

// typeText is the text of a type with the names of packages as code writes them.
func typeText(s string) string { return importPath.ReplaceAllString(s, "") }

// devicePath is the package whose types users know by the names that package cutile gives them.
var devicePath = reflect.TypeFor[api.Device]().PkgPath()

// TypeText names a type with the names of packages as code writes them; "T" for none.
func TypeText(t reflect.Type) string {
	switch {
	case t == nil:
		return "T"
	case t.Kind() == reflect.Pointer && t.Name() == "":
		return "*" + TypeText(t.Elem())
	case t.Kind() == reflect.Slice && t.Name() == "":
		return "[]" + TypeText(t.Elem())
	case t.Kind() == reflect.Array && t.Name() == "":
		return fmt.Sprintf("[%d]%s", t.Len(), TypeText(t.Elem()))
	case t.PkgPath() == devicePath:
		return "cutile." + typeText(t.Name())
	}
	return typeText(t.String())
}

// Described is [Describe] with an article: "an int32", "a nil *cutile.Tensor[float32]".
func Described(value any) string {
	text := Describe(value)
	if text == "nil" || strings.HasPrefix(text, "a nil ") {
		return text
	}
	return A(text)
}

// Describe names a value by its type, or as nil.
func Describe(value any) string {
	if value == nil {
		return "nil"
	}
	v := reflect.ValueOf(value)
	if (v.Kind() == reflect.Pointer || v.Kind() == reflect.Func) && v.IsNil() {
		return "a nil " + TypeText(v.Type())
	}
	return TypeText(v.Type())
}

package simt

import (
	"fmt"
	"strings"
)

// PrintfTypes gives the types of the values that a format of C's printf takes: "s32", "u64", "f64" and so on.
func PrintfTypes(format string) ([]string, error) {
	var types []string
	for rest := format; ; {
		_, after, ok := strings.Cut(rest, "%")
		if !ok {
			return types, nil
		}
		spec := strings.TrimLeft(after, "-+ #0123456789.")
		conv := strings.TrimLeft(spec, "l")
		size := len(spec) - len(conv)
		if conv == "" {
			return nil, fmt.Errorf("the format %q ends inside of a conversion", format)
		}
		typ, known := conversions[conv[0]]
		switch {
		case conv[0] == '%' && len(conv) == len(after):
			// a percent sign
		case !known || size > 2 || size > 0 && conv[0] == 'c':
			return nil, fmt.Errorf("the format %q has %%%s: use d i u o x X c, with ll for 64 bits, p or e f g a", format, after[:len(after)-len(conv)+1])
		case size > 0:
			types = append(types, strings.Replace(typ, "32", "64", 1))
		default:
			types = append(types, typ)
		}
		rest = conv[1:]
	}
}

// conversions are C's conversions with the types of their values.
var conversions = map[byte]string{
	'd': "s32", 'i': "s32", 'c': "s32", 'u': "u32", 'o': "u32", 'x': "u32", 'X': "u32", 'p': "u64",
	'e': "f64", 'E': "f64", 'f': "f64", 'F': "f64", 'g': "f64", 'G': "f64", 'a': "f64", 'A': "f64",
}

package gogen

import (
	"fmt"
	"strings"
)

// saturate is the function of the prelude that converts a float to an integer.
func saturate(t *typ) string {
	if t.under != nil {
		t = t.under
	}
	return "to" + strings.ToUpper(t.name[:1]) + t.name[1:]
}

// Prelude is the functions that programs call. On the host those that convert floats to integers saturate, and make 0 of
// what is no number; in a kernel they are conversions, as that is what kernels' conversions do.
func Prelude(host bool) string {
	var b strings.Builder
	b.WriteString("func same[T any](x T) T { return x }\n\nfunc choose[T any](b bool, x, y T) T {\n\tif b {\n\t\treturn x\n\t}\n\treturn y\n}\n")
	for _, t := range integers {
		if !host {
			fmt.Fprintf(&b, "\nfunc %s(x float64) %s { return %s(x) }\n", saturate(t), t.name, t.name)
			continue
		}
		least, most, above := "0", fmt.Sprint(t.mask()), fmt.Sprintf("%d.0", t.mask())
		if t.bits == 64 {
			above = "18446744073709551616.0"
		}
		if t.signed {
			least, most, above = fmt.Sprint(-1<<(t.bits-1)), fmt.Sprint(t.mask()>>1), fmt.Sprintf("%d.0", t.mask()>>1)
			if t.bits == 64 {
				above = "9223372036854775808.0"
			}
		}
		fmt.Fprintf(&b, "\nfunc %s(x float64) %s {\n\tswitch {\n\tcase x != x:\n\t\treturn 0\n\tcase x <= %s:\n\t\treturn %s\n\tcase x >= %s:\n\t\treturn %s\n\t}\n\treturn %s(x)\n}\n",
			saturate(t), t.name, least, least, above, most, t.name)
	}
	return b.String()
}

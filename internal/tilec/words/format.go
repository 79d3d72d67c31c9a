package words

import (
	"fmt"
	"strings"

	"github.com/cutile-go/cutile/internal/tilec/describe"
	"github.com/cutile-go/cutile/tileir"
)

// verbs gives, for each verb of package fmt, the conversion of C's printf for integers and for
// floats, and "" if there is none. The device prints with printf.
var verbs = map[byte]struct{ signed, unsigned, float string }{
	'v': {"d", "u", "g"},
	'd': {"d", "u", ""},
	'x': {"x", "x", ""},
	'X': {"X", "X", ""},
	'o': {"o", "o", ""},
	't': {"d", "d", ""},
	'e': {"", "", "e"},
	'E': {"", "", "E"},
	'f': {"", "", "f"},
	'F': {"", "", "f"},
	'g': {"", "", "g"},
	'G': {"", "", "G"},
}

// cFormat turns a format of package fmt into one of C's printf. It checks the verbs against the
// types of the arguments, since printf would read their bits as another type.
func cFormat(format string, args []describe.Elem) (string, error) {
	var b strings.Builder
	n := 0
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b.WriteByte(format[i])
			continue
		}
		// Flags, a width and a precision may come before the letter of a verb.
		start := i
		for i++; i < len(format) && strings.IndexByte("+-# 0123456789.", format[i]) >= 0; i++ {
		}
		if i == len(format) {
			return "", fmt.Errorf("the format ends inside a verb")
		}
		if format[i] == '%' {
			b.WriteString("%%")
			continue
		}
		// printf would read an argument that is not there.
		if n == len(args) {
			return "", fmt.Errorf("the format has more verbs than there are arguments")
		}
		conv, err := conversion(format[i], args[n])
		if err != nil {
			return "", err
		}
		b.WriteString(format[start:i] + conv)
		n++
	}
	if n < len(args) {
		return "", fmt.Errorf("the format has %d verbs for %d arguments", n, len(args))
	}
	return b.String(), nil
}

// conversion gives the conversion of printf for a verb and an element type.
func conversion(verb byte, e describe.Elem) (string, error) {
	v, ok := verbs[verb]
	if !ok {
		return "", fmt.Errorf("Print has no verb %%%c: use v, d, x, o, t, e, f or g", verb)
	}
	// Truth values and unsigned integers print as unsigned.
	conv := v.unsigned
	switch {
	case e.IR.IsFloat():
		conv = v.float
	case e.Signed():
		conv = v.signed
	}
	if conv == "" {
		return "", fmt.Errorf("the verb %%%c cannot print %s", verb, e.Type)
	}
	// Without ll printf reads 32 bits.
	if e.IR == tileir.I64 {
		conv = "ll" + conv
	}
	return conv, nil
}

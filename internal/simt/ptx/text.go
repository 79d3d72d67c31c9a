package ptx

import "strings"

// isText takes the bytes of a text of printf or assert, if a variable is one.
func (r *reader) isText(name string, v declared) bool {
	digits, ok := strings.CutPrefix(name, "$s")
	if !ok || strings.Trim(digits, "0123456789") != "" || v.space != "global" || v.typ != "b8" || v.align != 1 || !r.accept("=") {
		return false
	}
	r.expect("{")
	var b []byte
	for {
		at := r.peek()
		c := r.number(0, 255)
		b = append(b, byte(c))
		if !r.accept(",") {
			if c != 0 || int64(len(b)) != v.size {
				r.fail(at, "expected %d bytes of which the last is 0, found %d", v.size, len(b))
			}
			break
		}
		if c == 0 {
			r.fail(at, "the text contains a 0 before its end")
		}
	}
	r.expect("}")
	r.texts[name] = string(b[:len(b)-1])
	return true
}

// isKnownText reports whether a name is that of a text.
func (r *reader) isKnownText(name string) bool {
	_, ok := r.texts[name]
	return ok
}

package host

import (
	"strconv"
	"strings"
	"testing"
)

// span reads the two addresses of a line of /proc/self/maps.
func span(t *testing.T, text string) (from, to uintptr) {
	t.Helper()
	a, b, _ := strings.Cut(text, "-")
	for _, end := range []struct {
		text string
		into *uintptr
	}{{a, &from}, {b, &to}} {
		n, err := strconv.ParseUint(end.text, 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		*end.into = uintptr(n)
	}
	return from, to
}

func hex(n uintptr) string { return strconv.FormatUint(uint64(n), 16) }

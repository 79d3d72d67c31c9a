package bytecode_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/tileir/bytecode"
)

// withTypes is a sound file with more types after its own five.
func withTypes(types ...string) []byte {
	all := append([]string{"\x00", "\x03", "\x10\x00\x00", "\x11", "\x0d\x01\x00"}, types...)
	return fileOf(soundFunc, section{5, 4, tableFrom(all...)}, soundStrings)
}

// withDebug is a sound file with debug attributes.
func withDebug(attrs ...string) []byte {
	return fileOf(soundFunc, debugSectionOf(tableFrom(attrs...)), soundTypes, soundStrings)
}

// numbers is a count, and as many numbers that are 1, in width bytes.
func numbers(n, width int) string {
	return uvarint(n) + strings.Repeat("\x01"+strings.Repeat("\x00", width-1), n)
}

func uvarint(n int) string { return string(binary.AppendUvarint(nil, uint64(n))) }

// readLimits are files at the limits of the reader: the greatest that it takes, unless atMax says what else is wrong then,
// and what it says of one more.
var readLimits = []struct {
	name  string
	max   int
	make  func(n int) []byte
	atMax string
	want  string
}{
	{"a string", 1 << 20, func(n int) []byte {
		return fileOf(soundFunc, soundTypes, section{1, 4, tableFrom(strings.Repeat("k", n))})
	}, "", "string 0 has 1048577 bytes, more than 1048576"},
	{"an alignment", 1 << 20, func(n int) []byte { return fileOf(soundFunc, soundTypes, section{1, n, tableFrom("k")}) },
		"", "the section's alignment is 1048577, more than 1048576"},
	{"a number", 10, func(n int) []byte {
		return fileOf(funcOf([]byte("\xdc"+strings.Repeat("\x80", n-2)+"\x00\x00\x00")), soundTypes, soundStrings)
	}, "", "a number takes more than ten bytes"},
	{"functions of functions", 7, func(n int) []byte { return withTypes(append(chain(n, 5, "\x10\x01", "\x00"), "\x00")...) },
		"the type of a parameter is not the type of a value", "more than 8 nested types"},
	{"calls from one another", 1000, func(n int) []byte { return withDebug(append(chain(n, 1, "\x06\x00", ""), "\x00")...) },
		"", "more than 1000 nested calls"},
	{"calls in one another", 1000, func(n int) []byte { return withDebug(append(chain(n, 1, "\x06", "\x00"), "\x00")...) },
		"", "more than 1000 nested calls"},
	{"blocks in one another", 1000, func(n int) []byte { return withDebug(append(chain(n, 1, "\x03", "\x00\x01\x01"), "\x00")...) },
		"", "more than 1000 nested blocks"},
	{"debug attributes in one another", 2007, func(n int) []byte { return withDebug(append(chain(n, 1, "\x06\x00", ""), "\x00")...) },
		"more than 1000 nested calls", "more than 2008 nested debug attributes"},
	{"a line", 1<<31 - 1, func(n int) []byte { return withDebug("\x04\x00\x00" + uvarint(n) + "\x01") },
		"", "the position's line is 2147483648, more than 2147483647"},
	{"a column", 1<<31 - 1, func(n int) []byte { return withDebug("\x04\x00\x00\x01" + uvarint(n)) },
		"", "the position's column is 2147483648, more than 2147483647"},
	{"lists in one another", 201, func(n int) []byte { // in a hint: k = {k = [[[...]]]}
		hints := "\x01\x00\x02\x06\x00\x0b\x01\x00\x0a\x01\x00" + strings.Repeat("\x06\x01", n-1) + "\x06\x00" + "\x03\x5c\x00\x00"
		return fileOf(section{2, 8, []byte(hints)}, soundTypes, soundStrings)
	}, "", "more than 200 nested attributes"},
	{"extents of a tile", 64, func(n int) []byte { return withTypes("\x0d\x00" + numbers(n, 8)) }, "", "65 extents are more than 64"},
	{"an extent", 1 << 24, func(n int) []byte {
		return withTypes("\x0d\x00\x01" + string(binary.LittleEndian.AppendUint64(nil, uint64(n))))
	}, "", "extent 16777217 of a tile is not in 1..16777216"},
	{"extents of a tensor", 64, func(n int) []byte { return withTypes("\x0e\x00\x00" + numbers(n, 8) + numbers(1, 8)) }, "", "65 "},
	{"strides of a tensor", 64, func(n int) []byte { return withTypes("\x0e\x00\x00" + numbers(1, 8) + numbers(n, 8)) }, "", "65 "},
	{"extents of a view", 64, func(n int) []byte {
		return withTypes("\x0e\x00\x00"+numbers(1, 8)+numbers(1, 8), "\x0f\x00"+numbers(n, 4)+"\x05"+numbers(1, 4))
	}, "", "65 "},
}

func TestReadLimits(t *testing.T) {
	for _, c := range readLimits {
		if _, _, err := bytecode.Read(c.make(c.max)); errorText(err) != c.atMax && (c.atMax == "" || !strings.Contains(errorText(err), c.atMax)) {
			t.Errorf("%s: %d: %.300v, expected %q", c.name, c.max, err, c.atMax)
		}
		data := c.make(c.max + 1)
		_, _, err := bytecode.Read(data)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %d: %.300v, expected %s", c.name, c.max+1, err, c.want)
			continue
		}
		checkError(t, c.name, data, err)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

package cformat_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/emulate/cformat"
)

// write formats one value by a format of one conversion.
func write(t *testing.T, format string, v any) string {
	t.Helper()
	pieces, err := cformat.Parse(format)
	if err != nil || len(pieces) != 2 {
		t.Fatalf("%s: %d pieces, %v", format, len(pieces), err)
	}
	out := pieces[0].Append([]byte(pieces[0].Text), v)
	return string(append(out, pieces[1].Text...))
}

// TestC compares with what glibc writes.
func TestC(t *testing.T) {
	text, err := os.ReadFile("testdata/printf.txt")
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "# ") && strings.Count(line, "\t") == 0 {
			continue
		}
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		var v any
		n, err := strconv.ParseInt(parts[1], 10, 64)
		if v = n; strings.ContainsAny(parts[0][len(parts[0])-1:], "eEfFgGaA") {
			v, err = strconv.ParseFloat(parts[1], 64)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := write(t, parts[0], v); got != parts[2] {
			t.Errorf("%q of %v: %q, want %q", parts[0], parts[1], got, parts[2])
		}
		tried++
	}
	if tried < 400 {
		t.Errorf("%d lines", tried)
	}
}

// TestOther has what C leaves open or does not have: pointers, numbers of another kind, text.
func TestOther(t *testing.T) {
	for _, c := range []struct {
		format string
		v      any
		want   string
	}{
		{"%p", uint64(0x7f00), "0x7f00"}, {"%12p|", uint64(255), "        0xff|"}, {"%-8p|", uint64(255), "0xff    |"}, {"%p", uint64(0), "0x0"},
		{"%d", 2.9, "2"}, {"%d", uint64(7), "7"}, {"%i", -2.9, "-2"}, {"%x", 255.5, "ff"},
		{"%.1f", int64(-3), "-3.0"}, {"%.1f", uint64(math.MaxUint64), "18446744073709551616.0"}, {"%g", int64(5), "5"},
		{"%s", int64(-3), "-3"}, {"%5s|", 2.5, "  2.5|"}, {"%-5s|", 2.5, "2.5  |"}, {"%05s|", int64(1), "    1|"},
		{"%f %%", math.Copysign(math.NaN(), -1), "nan %"}, {"%+5.1E", math.Copysign(math.NaN(), -1), " +NAN"},
		{"%c", int64(0xe9), "\xe9"}, {"%03c", int64('x'), "  x"}, {"%hhd", int64(300), "300"}, {"%zu|%%", int64(3), "3|%"},
		{"a%%b%d", int64(1), "a%b1"}, {"%.f", 2.5, "2"}, {"%.d|", int64(0), "|"},
	} {
		if got := write(t, c.format, c.v); got != c.want {
			t.Errorf("%q of %v: %q, want %q", c.format, c.v, got, c.want)
		}
	}
}

// TestParse: the pieces of formats, and formats that are none.
func TestParse(t *testing.T) {
	for format, want := range map[string]string{
		"":              `[{"" "" 0 -1 "" 0}]`,
		"hello":         `[{"hello" "" 0 -1 "" 0}]`,
		"100%%":         `[{"100%" "" 0 -1 "" 0}]`,
		"a%-+05.3lldb%": "",
		"a%-+05.3lldb":  `[{"a" "-+0" 5 3 "ll" 100} {"b" "" 0 -1 "" 0}]`,
		"%.x%%%10c":     `[{"" "" 0 0 "" 120} {"%" "" 10 -1 "" 99} {"" "" 0 -1 "" 0}]`,
		"%99999999999999999999d": fmt.Sprintf(`[{"" "" %d -1 "" 100} {"" "" 0 -1 "" 0}]`,
			math.MaxInt),
		"%": "", "%5": "", "%y": "", "%5.": "", "%ll": "", "%n": "", "%*d": "",
	} {
		pieces, err := cformat.Parse(format)
		var parts []string
		for _, p := range pieces {
			parts = append(parts, fmt.Sprintf("{%q %q %d %d %q %d}", p.Text, p.Flags, p.Width, p.Prec, p.Length, p.Verb))
		}
		if got := "[" + strings.Join(parts, " ") + "]"; (err != nil) != (want == "") || err == nil && got != want {
			t.Errorf("%q: %s, %v, want %s", format, got, err, want)
		} else if err != nil && !errors.Is(err, cformat.ErrVerb) {
			t.Error(err)
		}
	}
}

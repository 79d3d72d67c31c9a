package names_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/names"
)

func TestList(t *testing.T) {
	var many []string
	for i := range 300000 {
		many = append(many, "k"+strconv.Itoa(i))
	}
	for _, c := range []struct {
		names []string
		want  string
	}{
		{nil, ""}, {many[:1], "k0"}, {many[:2], "k0, k1"}, {many[:10], "k0, k1, k2, k3, k4, k5, k6, k7, k8, k9"},
		{many[:11], "k0, k1, k2, k3, k4, k5, k6, k7, k8, k9 and 1 more"}, {many, "k0, k1, k2, k3, k4, k5, k6, k7, k8, k9 and 299990 more"},
		{[]string{strings.Repeat("a", 80), strings.Repeat("a", 81)}, strings.Repeat("a", 80) + ", " + strings.Repeat("a", 80) + "…"},
		{[]string{strings.Repeat("ä", 50), "a" + strings.Repeat("ä", 50)}, strings.Repeat("ä", 40) + "…, a" + strings.Repeat("ä", 39) + "…"}, // no half of a character
	} {
		if got := names.List(c.names); got != c.want {
			t.Errorf("%d names: %q, want %q", len(c.names), got, c.want)
		}
	}
}

func TestOutput(t *testing.T) {
	long := strings.Repeat("word\n", 1000)
	for text, want := range map[string]string{
		"": "", "a\n\nb\tc\r\n": "\n\ta\n\t\n\tb\tc", "ä ok": "\n\tä ok",
		"\x1b[1m\nok\n\xff": "\n\t\"\\1B[1m\"\n\tok\n\t\"\\FF\"",
		long:                strings.Repeat("\n\tword", 800) + "\n\t(1,000 more bytes)",
	} {
		if got := names.Output(text); got != want {
			t.Errorf("%.80q: got %.200q, want %.200q", text, got, want)
		}
	}
}

func TestPlural(t *testing.T) {
	for want, got := range map[string]string{
		"1 entry": names.Plural(1, "entry"), "2 entries": names.Plural(2, "entry"), "0 entries": names.Plural(0, "entry"),
		"1 error": names.Plural(1, "error"), "12 errors": names.Plural(12, "error"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestEntry(t *testing.T) {
	for kernel, want := range map[string]string{"main.gemm[D64, D128]": "main_gemm_D64__D128", "main.run.func25": "main_run_func25", "ä": ""} {
		if got := names.Entry(kernel); got != want {
			t.Errorf("%s: got %q, want %q", kernel, got, want)
		}
	}
}

func TestUnit(t *testing.T) {
	for x, want := range map[float64]string{0: "0 s", 1.5e-6: "1.50 µs", 9.996e-4: "1.00 ms", 123456: "123000 s", 0.25: "250 ms", -2e-9: "-2.00 ns", 3e-12: "0.00300 ns"} {
		if got := names.Unit(x, "s"); got != want {
			t.Errorf("%v is %q, want %q", x, got, want)
		}
	}
	if got := names.Unit(12.34e9, "B/s"); got != "12.3 GB/s" {
		t.Errorf("a rate is %q", got)
	}
}

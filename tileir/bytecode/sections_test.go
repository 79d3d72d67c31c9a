package bytecode_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/tileir/bytecode"
)

// TestSections splits the reference files: the parts follow one another without a gap and cover the file.
func TestSections(t *testing.T) {
	for _, f := range refFiles(t) {
		parts, err := bytecode.Sections(f.data)
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
			continue
		}
		at, names := 0, []string{}
		for _, p := range parts {
			if p.Start != at || p.Payload < p.Start || p.End < p.Payload || p.Payload%p.Align != 0 {
				t.Errorf("%s: %+v begins at %d", f.name, p, at)
			}
			at = p.End
			names = append(names, p.Name)
		}
		if all := strings.Join(names, " "); at != len(f.data) || !strings.HasPrefix(all, "header Func ") || !strings.HasSuffix(all, " Type String end mark") {
			t.Errorf("%s: %s up to %d of %d", f.name, all, at, len(f.data))
		}
	}
}

func TestSectionsRefuses(t *testing.T) {
	head := "\x7fTileIR\x00\x0d\x04\x00\x00"
	for _, c := range []struct{ data, want string }{
		{"", "at byte 0 (0x0): "},
		{"\x7fELF........", "not Tile IR bytecode"},
		{head, "the end mark is cut off"},
		{head + "\x09", "unknown section 9"},
		{head + "\x06\x05", "do not fit"},
		{head + "\x82\x00\x03", "alignment 3 of the Func section is not a power of two"},
		{head + "\x02\x00", "the Func section is aligned to 1, not to a multiple of 8"},
		{head + "\x00\x00", "1 bytes are left over after the end mark"},
	} {
		if _, err := bytecode.Sections([]byte(c.data)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, expected %s", c.data, err, c.want)
		}
	}
}

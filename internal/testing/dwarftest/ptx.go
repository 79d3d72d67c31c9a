package dwarftest

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var sectionText = regexp.MustCompile(`(?s)\t\.section (\.\w+)\n\t\{\n(.*?)\t\}\n`)

// PTX reads the variables of a kernel in PTX, as package ptx writes it. Addresses are numbers of instructions: those of the module's only kernel.
func PTX(t testing.TB, text string) []*Variable {
	t.Helper()
	data := map[string][]byte{}
	labels := map[string]int{}
	type word struct {
		section, name string
		at, size      int
	}
	var words []word
	for _, m := range sectionText.FindAllStringSubmatch(text, -1) {
		var b []byte
		for _, line := range strings.Split(strings.TrimSuffix(m[2], "\n"), "\n") {
			if name, ok := strings.CutSuffix(line, ":"); ok {
				labels[name] = len(b)
				continue
			}
			var size int
			rest := ""
			if _, err := fmt.Sscanf(line, "\t.b%d", &size); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			_, rest, _ = strings.Cut(strings.TrimPrefix(line, "\t"), " ")
			for _, item := range strings.Split(rest, ", ") {
				n, err := strconv.ParseUint(item, 10, 64)
				if err != nil {
					words = append(words, word{m[1], item, len(b), size / 8})
				}
				b = append(b, binary.LittleEndian.AppendUint64(nil, n)[:size/8]...)
			}
		}
		data[m[1]] = b
	}
	if data[".debug_info"] == nil {
		return nil
	}
	for _, w := range words {
		n, ok := labels[w.name]
		if num, is := strings.CutPrefix(w.name, "$D0_"); is { // a place in the code
			i, err := strconv.Atoi(num)
			n, ok = i, err == nil
		} else if strings.HasPrefix(w.name, ".") { // where a section begins
			n, ok = 0, true
		}
		if !ok {
			t.Fatalf("there is no %s", w.name)
		}
		copy(data[w.section][w.at:w.at+w.size], binary.LittleEndian.AppendUint64(nil, uint64(n)))
	}
	s := sections{abbrev: data[".debug_abbrev"], info: data[".debug_info"], str: data[".debug_str"], loc: data[".debug_loc"]}
	return s.read(t)
}

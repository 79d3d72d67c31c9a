package layout_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/layout"
)

func TestPackage(t *testing.T) {
	vs, counts := readVectors(t, "package.txt")
	expected := map[string]int{}
	for group, ops := range covered {
		for op, n := range ops {
			expected[group+" "+op] = n
		}
	}
	for class, c := range notCovered {
		if c.file == "package.txt" {
			expected[class] = c.cases
		}
	}
	checkCounts(t, "package.txt", counts, expected)
	differences := map[string]int{}
	known := map[string]string{} // recorded answers by class and operands
	for _, v := range vs {
		k := len(v.columns) - 1
		known[v.class+" "+strings.Join(v.columns[:k], " ")] = v.columns[k]
	}
	for _, v := range vs {
		if _, ok := notCovered[v.class]; ok {
			continue
		}
		op := find(v.class)
		if op == nil {
			t.Errorf("no operation for %s", v.class)
			continue
		}
		k := len(v.columns) - 1
		operands, want := v.columns[:k], v.columns[k]
		group, name, _ := strings.Cut(v.class, " ")
		if strings.HasSuffix(name, "_divide") && k == 2 && strings.Contains(operands[1], "_") {
			want = undivided(name, operands[1], want, known[group+" logical_divide "+strings.Join(operands, " ")])
		}
		for _, d := range deliberate {
			if d.is(v.class, operands, want) {
				want = d.want(operands)
				differences[d.why]++
			}
		}
		actual := slices.Clone(operands)
		if group == "dynamic" {
			// A case names what the script asked for; the package made 32-bit symbols of 64-bit ones.
			for i, o := range actual {
				if made, ok := known["dynamic make_layout "+o]; ok {
					actual[i] = made
				}
			}
		}
		check(t, v, func(in []string) (string, error) {
			r, err := op(in)
			return cutSwizzle(r), err
		}, actual, want)
	}
	for _, d := range deliberate {
		if differences[d.why] != d.cases {
			t.Errorf("%d cases, not %d, of: %s", differences[d.why], d.cases, d.why)
		}
	}
}

// cutSwizzle cuts a swizzle's text after eight characters, as the package does: S<3,3,-3.
func cutSwizzle(s string) string {
	if end := strings.IndexByte(s, '>'); strings.HasPrefix(s, "S<") && end > 7 {
		return s[:8] + s[end+1:]
	}
	return s
}

func TestAtomsAreKept(t *testing.T) {
	_, counts := readVectors(t, "atoms.txt")
	expected := map[string]int{}
	for class, c := range notCovered {
		if c.file == "atoms.txt" {
			expected[class] = c.cases
		}
	}
	checkCounts(t, "atoms.txt", counts, expected)
}

// undivided is the right answer to a divide with an underscore, where the package repeats the undivided mode: the
// recorded logical_divide, nested as the divide's name says, with 1:0 in the tile for the undivided mode.
func undivided(name, tiler, recorded, logical string) string {
	if name == "logical_divide" || recorded == "refused" {
		return recorded
	}
	var tile, rest []layout.Layout
	entries := strings.Split(strings.Trim(tiler, "[]"), ";")
	for i, m := range lay(logical).Modes() {
		switch {
		case i >= len(entries):
			rest = append(rest, m)
		case entries[i] == "_":
			tile, rest = append(tile, lay("1:0")), append(rest, m)
		default:
			tile, rest = append(tile, m.Modes()[0]), append(rest, m.Modes()[1])
		}
	}
	switch name {
	case "zipped_divide":
		return layout.Join(layout.Join(tile...), layout.Join(rest...)).String()
	case "tiled_divide":
		return layout.Join(append([]layout.Layout{layout.Join(tile...)}, rest...)...).String()
	}
	return layout.Join(append(tile, rest...)...).String()
}

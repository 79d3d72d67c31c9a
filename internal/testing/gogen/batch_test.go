package gogen_test

import (
	"fmt"
	"math"
	"strings"
	"testing/fstest"

	"github.com/cutile-go/cutile/internal/testing/gogen"
)

// tuples is how many sets of arguments a program has; row t*gogen.Lanes+lane is a set with a lane.
const (
	tuples = 4
	rows   = tuples * gogen.Lanes
)

// results are the bits of what a program gives, by row and result; floats that are no numbers are all one.
type results [][]uint64

// caller is a kernel that calls a program's entry.
type caller struct {
	name   string
	rows   []int  // of the program that it computes
	known  uint64 // bit i: argument i is a constant of the kernel, from the set of the rows
	static bool   // the lane, too: the kernel computes each row in turn
	passed bool   // a host function computes each row, of the level that has them, and passes what it gives to a kernel
}

// callers are the kernels for a program: nothing known, all, a part, and one that is only told.
func callers(p *gogen.Program) []caller {
	var all, third []int
	for r := range rows {
		all = append(all, r)
	}
	for lane := range gogen.Lanes {
		third = append(third, 2*gogen.Lanes+lane)
	}
	last := uint64(1)<<len(p.Tuples[0]) - 1
	return []caller{
		{name: "dynamic", rows: all},
		{name: "static", rows: []int{int(p.Seed % gogen.Lanes), gogen.Lanes + int(p.Seed/8%gogen.Lanes)}, known: last, static: true},
		{name: "passed", rows: []int{int(p.Seed % rows), int(p.Seed / 8 % rows)}, passed: true},
		{name: "mixed", rows: third, known: (p.Seed*0x9e3779b97f4a7c15>>40)&last | 1<<(p.Seed%uint64(len(p.Tuples[0])))},
	}
}

// literal writes an argument as an expression of its type.
func literal(typ string, bits uint64) string {
	switch typ {
	case "bool":
		return fmt.Sprint(bits&1 == 1)
	case "float32":
		return floatLiteral(typ, float64(math.Float32frombits(uint32(bits))))
	case "float64":
		return floatLiteral(typ, math.Float64frombits(bits))
	}
	var width int
	if _, err := fmt.Sscanf(strings.TrimLeft(typ, "uint"), "%d", &width); err != nil {
		width = 64
	}
	if typ[0] == 'i' {
		return fmt.Sprintf("%s(%d)", typ, int64(bits<<(64-width))>>(64-width))
	}
	return fmt.Sprintf("%s(%d)", typ, bits)
}

func floatLiteral(typ string, f float64) string {
	if f == 0 && math.Signbit(f) {
		return fmt.Sprintf("func() %s { z := %s(0); return -z }()", typ, typ)
	}
	switch { // which no constant is
	case math.IsInf(f, 0):
		return fmt.Sprintf("func() %s { z := %s(0); return %d / z }()", typ, typ, int(math.Copysign(1, f)))
	case f != f:
		return fmt.Sprintf("func() %s { z := %s(0); return z / z }()", typ, typ)
	}
	return fmt.Sprintf("%s(%x)", typ, f)
}

// unit is a program under the number that its names have.
type unit struct {
	n int
	p *gogen.Program
}

// names lists f of 0 to n-1, with commas.
func names(n int, f func(i int) string) string {
	var out []string
	for i := range n {
		out = append(out, f(i))
	}
	return strings.Join(out, ", ")
}

// level is how programs become kernels: the text of those that call a program.
type level struct {
	path     string // of packages
	imports  string
	unrolled string // for unrolled(n)
	kernel   func(u unit, c caller) string
	prefix   string // of the functions that are compiled
}

// files is a package of the programs with their kernels.
func (l *level) files(name string, units []unit) fstest.MapFS {
	fs := fstest.MapFS{"prelude.go": {Data: []byte("package " + name + "\n\n" + gogen.Prelude(false))}}
	for _, u := range units {
		fs[fmt.Sprintf("p%d.go", u.n)] = &fstest.MapFile{Data: []byte(l.text(name, u))}
	}
	return fs
}

func (l *level) text(name string, u unit) string {
	text := unrolled.ReplaceAllString(u.p.Text(u.n), l.unrolled)
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport %q\n\n%s\n", name, l.imports, text)
	for _, c := range callers(u.p) {
		b.WriteString(l.kernel(u, c))
	}
	return b.String()
}

// memory is the type of 64 bits that stands for int and uint in memory.
func memory(typ string) string {
	switch typ {
	case "int", "uint":
		return typ + "64"
	case "bool":
		return "uint8"
	}
	return typ
}

// size is the bytes of an element.
func size(typ string) int {
	for n, suffix := range map[int]string{1: "8", 2: "16", 4: "32"} {
		if strings.HasSuffix(memory(typ), suffix) {
			return n
		}
	}
	return 8
}

// canonical makes all that are no numbers one.
func canonical(typ string, bits uint64) uint64 {
	switch typ {
	case "float32":
		if f := math.Float32frombits(uint32(bits)); f != f {
			return 0x7fc00000
		}
	case "float64":
		if f := math.Float64frombits(bits); f != f {
			return 0x7ff8000000000000
		}
	}
	return bits
}

// show writes a value for people.
func show(typ string, bits uint64) string {
	switch typ {
	case "float32":
		return fmt.Sprintf("%v (%#x)", math.Float32frombits(uint32(bits)), bits)
	case "float64":
		return fmt.Sprintf("%v (%#x)", math.Float64frombits(bits), bits)
	}
	return literal(typ, bits)
}

// differences compares what a kernel gives with the host: "" where nothing differs.
func differences(p *gogen.Program, c caller, got, want results) string {
	for i, row := range c.rows {
		for k, typ := range p.Results {
			if g, w := canonical(typ, got[i][k]), want[row][k]; g != w {
				var args []string
				for a, bits := range p.Tuples[row/gogen.Lanes] {
					args = append(args, show(p.Params[a+1], bits))
				}
				return fmt.Sprintf("result %d of %d for lane %d and (%s) is %s, want %s", k, len(p.Results), row%gogen.Lanes, strings.Join(args, ", "), show(typ, g), show(typ, w))
			}
		}
	}
	return ""
}

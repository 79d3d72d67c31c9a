package world

// Language is what every world of a level of the language holds beside what its roots reach.
type Language struct {
	name   string
	paths  []string // packages whose extents are always there, and whose operators join when they are asked for
	always []string // operators that nearly every kernel needs
	keep   []Root
	wanted []string          // methods that the evaluator calls by name
	std    map[string]string // packages of the standard library by path: a declaration a line

	code    string            // what is compiled, in messages
	caller  string            // what the program does that compiles it
	library string            // what there is of the standard library
	instead map[string]string // of other packages and their functions: what to do in their place
}

// Tile is the language of tile kernels.
var Tile = &Language{
	name: "tile", paths: []string{OpPath, TilePath}, always: []string{"convert same", "convert int int", "const"},
	keep: []Root{{OpPath, "MaskOf"}}, // the lowering asks for it
	std:  map[string]string{mathPath: mathSource},
	code: "a kernel", caller: "launches the kernel",
	library: "of the standard library a kernel has package math alone",
	instead: map[string]string{
		"fmt": ": use tile.Print, which takes the same verbs", "fmt.Errorf": ": use tile.Assert to stop the kernel",
		"errors": ": use tile.Assert to stop the kernel", "math/rand": ": use tile.Uniform", "math/rand/v2": ": use tile.Uniform",
		"sort": ": use tile.Sort", "slices": ": use tile.Sort for the elements of a tile", "math/bits": ": use the operators of Go",
	},
}

// Cute is the language of the SIMT level. Its operators are those of the machine, and its words intrinsics.
var Cute = &Language{
	name: "cute", wanted: []string{"CuteValues", "CuteFromValues"},
	std:  map[string]string{mathPath: mathSource, fmtPath: fmtSource, root + "/internal/layout": layoutSource},
	code: "compiled code", caller: "calls the function",
	library: "of the standard library compiled code has package math, and what prints and makes texts of package fmt",
	instead: map[string]string{"fmt.Errorf": noErrors, "errors": noErrors},
}

const noErrors = ": a host function makes no errors, as its error result is nil in its source, and that of a call says how compiling " +
	"and queueing went: check before the call, or call panic with the text, which the call's error then has"

// layoutSource stands for the algebra, which package cute uses on the host, and the evaluator in its own values.
const layoutSource = `type Tuple struct{}
type Layout struct{}
type Composed struct{}
var All Tuple
`

const fmtPath = "fmt"

// fmtSource is package fmt as functions of the SIMT level see it: it prints while they are compiled.
const fmtSource = `func Print(a ...any) (n int, err error)
func Printf(format string, a ...any) (n int, err error)
func Println(a ...any) (n int, err error)
func Sprint(a ...any) string
func Sprintf(format string, a ...any) string
`

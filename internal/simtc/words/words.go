package words

import (
	"go/token"
	"go/types"
	"maps"

	"github.com/cutile-go/cutile/internal/simtc/emit"
)

// Callee is a function of package cute whose directive tells what a call of it does.
type Callee struct {
	Name  string
	PTX   bool                        // the directive names an instruction, not an intrinsic
	Words []string                    // the words of the directive
	Sig   *types.Signature            // as declared
	Subst func(types.Type) types.Type // gives the type parameters their arguments
}

// Do does what a call of a function with a directive means, and gives the results. The receiver is
// the first argument.
func Do(em *emit.Emitter, f *Callee, pos token.Pos, args []emit.Value) []emit.Value {
	c := &call{em, f, args, pos}
	if f.PTX {
		return c.ptx()
	}
	// A test checks that every directive of package cute names an intrinsic.
	word := intrinsics[f.Words[0]]
	if word == nil {
		panic("BUG: words: no intrinsic " + f.Words[0] + " of " + f.Name)
	}
	return word(c)
}

// An intrinsic is a function of the language that is implemented here, in place of a body in Go.
type intrinsic func(*call) []emit.Value

// intrinsics lists the functions of package cute by the names in their //cutile:intrinsic
// directives.
var intrinsics = map[string]intrinsic{}

// init joins the tables of all files.
func init() {
	for _, table := range []map[string]intrinsic{tupleWords, layoutWords, tensorWords, programWords, mathWords, warpWords, atomicWords, copyWords,
		tiledWords, mmaWords, bulkWords, wgmmaWords, tensorMemWords} {
		maps.Copy(intrinsics, table)
	}
}

// give lists the results of a word.
func give(v ...emit.Value) []emit.Value { return v }

// Variable gives the value of a variable of package cute, or nil for another variable.
func Variable(o *types.Var) emit.Value {
	if o.Pkg() == nil || o.Pkg().Path() != emit.CutePath {
		return nil
	}
	return variables[o.Name()]
}

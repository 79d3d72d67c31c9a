package decl

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/front/diag"
	"github.com/cutile-go/cutile/internal/front/directive"
	"github.com/cutile-go/cutile/tileir"
)

// Entry is the word of the directive in a kernel's doc comment that gives hints to the assembler, for every
// architecture or for one:
//
//	//cutile:entry occupancy=2 sm_100.num_ctas=2
//
// Words without = belong to other tools.
const Entry = directive.Prefix + "entry"

// entryHints are the hints of a kernel, and their names in Tile IR.
var entryHints = map[string]string{
	"occupancy": "occupancy", "num_ctas": "num_cta_in_cga", "num_worker_warps": "num_worker_warps_per_cta",
}

// Hints gives the hints of a kernel's doc comment, by architecture: nil if there are none.
func Hints(fset *token.FileSet, doc *ast.CommentGroup) (tileir.Hints, error) {
	if doc == nil {
		return nil, nil
	}
	var out tileir.Hints
	for _, c := range doc.List {
		rest, ok := strings.CutPrefix(c.Text, Entry)
		if !ok || rest != "" && rest[0] != ' ' {
			continue
		}
		for _, word := range strings.Fields(rest) {
			if err := addHint(&out, word); err != nil {
				pos := fset.Position(c.Pos() + token.Pos(strings.Index(c.Text, " "+word)+1))
				return nil, &diag.Error{Pos: pos, Stage: diag.Check, Msg: Entry + " " + word + ": " + err.Error(), Source: c.Text}
			}
		}
	}
	return out, nil
}

func addHint(hs *tileir.Hints, word string) error {
	key, value, given := strings.Cut(word, "=")
	arch, name, ok := strings.Cut(key, ".")
	if !ok {
		arch, name = "default", key
	}
	hint, ok := entryHints[name]
	switch {
	case ok && !given:
		return fmt.Errorf("want a number: %s=1", key)
	case !given: // another tool's
		return nil
	case !ok:
		return fmt.Errorf("no hint %s: the hints are %s", name, strings.Join(slices.Sorted(maps.Keys(entryHints)), ", "))
	}
	if number, ok := strings.CutPrefix(arch, "sm_"); arch != "default" && (!ok || strings.Trim(number, "0123456789") != "" || number == "") {
		return fmt.Errorf("no architecture %s: write one as sm_100", arch)
	}
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return fmt.Errorf("want a number, have %q", value)
	}
	i := slices.IndexFunc(*hs, func(h tileir.ArchHints) bool { return h.Arch == arch })
	if i < 0 {
		i = len(*hs)
		*hs = append(*hs, tileir.ArchHints{Arch: arch})
	}
	h := &(*hs)[i]
	if slices.ContainsFunc(h.Hints, func(x tileir.Hint) bool { return x.Name == hint }) {
		return fmt.Errorf("%s is given twice", key)
	}
	x := tileir.Hint{Name: hint, Value: tileir.HintValue{Elem: tileir.I32, Int: n}}
	h.Hints = append(h.Hints, x)
	return tileir.CheckEntryHint(x, tileir.Newest)
}

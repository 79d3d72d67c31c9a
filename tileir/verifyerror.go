package tileir

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/names"
)

// VerifyError is one fault that [Verify] found.
type VerifyError struct {
	Entry string  // "" for the module itself
	Op    *Op     // nil for the entry itself
	Path  []int   // alternating indices of operations and regions from the entry's body to Op
	Loc   Loc     // of the operation, else of the entry; may be zero
	Text  TextPos // the position in the text that the module was parsed from; may be zero
	What  string
}

// Error returns "tileir: entry gemm: operation 4.0.2 (mulf) at gemm.go:12:9: operand rhs: ...". For a parsed module it begins
// with the position in the text instead.
func (e *VerifyError) Error() string {
	var where []string
	if e.Entry != "" {
		where = append(where, "entry "+names.Short(names.Symbol(e.Entry)))
	}
	if e.Op != nil {
		path := make([]string, len(e.Path))
		for i, n := range e.Path {
			path[i] = strconv.Itoa(n)
		}
		where = append(where, "operation "+strings.Join(path, ".")+" ("+e.Op.Info.Mnemonic+")")
	}
	s := "tileir: "
	if !e.Text.IsZero() {
		s = e.Text.String() + ": "
	}
	place := strings.Join(where, ": ")
	l := e.Loc
	for l.Caller != nil && !l.known() {
		l = *l.Caller
	}
	if l.known() {
		place = strings.TrimPrefix(fmt.Sprintf("%s at %s:%d:%d", place, l.File, l.Line, l.Col), " ") // of an entry without a name
	}
	if place != "" {
		s += place + ": "
	}
	return s + e.What
}

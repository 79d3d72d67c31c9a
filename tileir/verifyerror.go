package tileir

import (
	"fmt"
	"strconv"
	"strings"
)

// VerifyError is one fault that [Verify] found.
type VerifyError struct {
	Entry string // "" for the module itself
	Op    *Op    // nil for the entry itself
	Path  []int  // indices of operations and regions from the entry's body to Op, by turns
	Loc   Loc    // of the operation, else of the entry; may be zero
	What  string
}

// Error is "entry gemm: operation 4.0.2 (mulf) at gemm.go:12:9: operand rhs: ...".
func (e *VerifyError) Error() string {
	var where []string
	if e.Entry != "" {
		where = append(where, "entry "+e.Entry)
	}
	if e.Op != nil {
		path := make([]string, len(e.Path))
		for i, n := range e.Path {
			path[i] = strconv.Itoa(n)
		}
		where = append(where, "operation "+strings.Join(path, ".")+" ("+e.Op.Info.Mnemonic+")")
	}
	s := "tileir: " + strings.Join(where, ": ")
	if !e.Loc.IsZero() {
		s += fmt.Sprintf(" at %s:%d:%d", e.Loc.File, e.Loc.Line, e.Loc.Col)
	}
	if where != nil {
		s += ": "
	}
	return s + e.What
}

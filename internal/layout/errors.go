package layout

import (
	"errors"
	"fmt"
	"strings"
)

// Error is a refused operation.
type Error struct {
	Op       string   // the operation by CuTe's name: "composition"
	Operands []string // as they print
	Err      error    // why; an *Error where an operation inside this one was refused
}

// Error reads "composition of (6,2):(?,2) and 4:1: why".
func (e *Error) Error() string {
	return fmt.Sprintf("%s of %s: %v", e.Op, strings.Join(e.Operands, " and "), e.Err)
}

// Unwrap gives the reason.
func (e *Error) Unwrap() error { return e.Err }

// Reasons that tests and callers may ask for with errors.Is; all others are text only.
var (
	// ErrOverflow means that a number does not fit 64 bits.
	ErrOverflow = errors.New("a result does not fit 64 bits")
	// ErrZero means a division by zero, from a shape or stride of 0 where none can be.
	ErrZero = errors.New("division by a shape or stride of 0")
	// ErrSymbolic means that the operation must know a number that is symbolic.
	ErrSymbolic = errors.New("an integer is known only at run time")
)

// refuse makes an Error of a reason.
func refuse(op string, why error, operands ...fmt.Stringer) error {
	e := &Error{Op: op, Err: why}
	for _, o := range operands {
		e.Operands = append(e.Operands, o.String())
	}
	return e
}

// finish ends an operation: an error gets the operation's name, failed arithmetic in the result becomes an error.
func finish(op string, r Layout, err error, operands ...fmt.Stringer) (Layout, error) {
	if err == nil {
		err = arithmetic(r.shape, r.stride, Leaf(r.Size()))
	}
	if err != nil {
		return Layout{}, refuse(op, err, operands...)
	}
	return r, nil
}

// arithmetic reports failed arithmetic in the leaves of tuples.
func arithmetic(ts ...Tuple) error {
	for _, t := range ts {
		if n, ok := t.badLeaf(); ok && n.kind == zeroDivided {
			return ErrZero
		} else if ok {
			return ErrOverflow
		}
	}
	return nil
}

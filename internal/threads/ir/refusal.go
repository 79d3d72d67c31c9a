package ir

import (
	"fmt"

	"github.com/cutile-go/cutile/tileir"
)

// Refusal says why there is no program, or no code of one: what was asked for that the compiler or the machine does not have.
type Refusal struct {
	Loc  tileir.Loc // zero for the entry itself
	Text string
}

// Error gives the position and the reason.
func (r *Refusal) Error() string {
	if r.Loc.IsZero() {
		return r.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", r.Loc.File, r.Loc.Line, r.Loc.Col, r.Text)
}

// Where is the position of the operation at fault.
func (r *Refusal) Where() tileir.Loc { return r.Loc }

// Why is the reason without the position.
func (r *Refusal) Why() string { return r.Text }

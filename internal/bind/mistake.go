package bind

import (
	"errors"
	"fmt"
	"strings"
)

// ErrMismatch is the error behind a mistake that has no other.
var ErrMismatch = errors.New("arguments do not fit the kernel")

// Mistake is one thing that is wrong with a launch or a call.
type Mistake struct {
	Text  string
	Cause error // nil: the arguments do not fit the kernel
}

// Reason is the error behind the mistake.
func (m Mistake) Reason() error {
	if m.Cause == nil {
		return ErrMismatch
	}
	return m.Cause
}

// Failed is the mistake of an argument that carries an error.
func Failed(argument string, err error) Mistake {
	return Mistake{Text: argument + ": " + err.Error(), Cause: err}
}

// Argument names an argument in messages.
func Argument(number int, name string) string { return fmt.Sprintf("argument #%d (%s)", number, name) }

// Expects says what an argument must be and what it is instead.
func Expects(argument, want, got string) string {
	return fmt.Sprintf("expects %s to be %s, but got %s", argument, want, got)
}

// A puts the article before the name of a type: "an int32", "a float16".
func A(name string) string {
	if strings.HasPrefix(name, "int") || strings.HasPrefix(name, "any") {
		return "an " + name
	}
	return "a " + name
}

// Count says that there are too many arguments or too few: want of a kind, such as "run-time argument", with their names
// where those are given.
func Count(want int, kind string, names []string, got int) string {
	text := fmt.Sprintf("expects %d %ss", want, kind)
	switch want {
	case 0:
		text = "expects no " + kind + "s"
	case 1:
		text = "expects 1 " + kind
	}
	if len(names) > 0 {
		text += " (" + strings.Join(names, ", ") + ")"
	}
	return fmt.Sprintf("%s, but got %d", text, got)
}

package graph

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxLine is the greatest length, in bytes, of a line of errors and dumps. Package documentation names it.
const maxLine = 400

// cut is text that is no longer than a limit, with its middle left out if it must be. It divides no number, which would read as another.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	half := (limit - len(" … 1234567890 bytes … ")) / 2
	from, to := half, len(text)-half
	for from > 0 && divides(text, from) {
		from--
	}
	for to < len(text) && divides(text, to) {
		to++
	}
	return fmt.Sprintf("%s … %d bytes … %s", text[:from], to-from, text[to:])
}

// divides reports whether the place before text[i] is in a character or in a number.
func divides(text string, i int) bool {
	digit := func(c byte) bool { return '0' <= c && c <= '9' }
	return !utf8.RuneStart(text[i]) || digit(text[i-1]) && digit(text[i])
}

// cutLines cuts each line of a text.
func cutLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = cut(lines[i], maxLine)
	}
	return strings.Join(lines, "\n")
}

// brief is an error with its lines cut.
func brief(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if short := cutLines(text); short != text {
		return &briefError{short, err}
	}
	return err
}

type briefError struct {
	text  string
	cause error
}

func (e *briefError) Error() string { return e.text }

func (e *briefError) Unwrap() error { return e.cause }

package tokenizer

import (
	"fmt"
	"strings"
)

// maxPending is how many tokens a stream keeps back for a character that is never completed.
const maxPending = 64

// A Stream decodes tokens one by one, as a model makes them. Text appears as soon as no later token can change it: the
// bytes of an unfinished character wait for the rest. A Stream is for one goroutine.
type Stream struct {
	t           *Tokenizer
	skipSpecial bool
	ids         []int32
	prefix      string // what the first prefixed ids have given, which the next text starts with
	prefixed    int
}

// NewStream starts a stream; skipSpecial leaves out special tokens.
func (t *Tokenizer) NewStream(skipSpecial bool) *Stream {
	return &Stream{t: t, skipSpecial: skipSpecial}
}

// Step takes the next token and gives the text that is new, which may be empty. It fails when the decoder of the file
// changes text that has appeared before.
func (s *Stream) Step(id int32) (string, error) {
	if s.prefix == "" && len(s.ids) > 0 {
		text, err := s.t.Decode(s.ids, s.skipSpecial)
		if err != nil {
			return "", err
		}
		if !strings.HasSuffix(text, "\uFFFD") {
			s.prefix, s.prefixed = text, len(s.ids)
		}
	}
	s.ids = append(s.ids, id)
	text, err := s.t.Decode(s.ids, s.skipSpecial)
	if err != nil {
		return "", err
	}
	waits := strings.HasSuffix(text, "\uFFFD") && len(s.ids)-s.prefixed < maxPending
	if len(text) <= len(s.prefix) || waits {
		return "", nil
	}
	return s.emit(text)
}

// emit gives what text has more than before.
func (s *Stream) emit(text string) (string, error) {
	added, ok := strings.CutPrefix(text, s.prefix)
	if !ok {
		return "", &StreamError{ID: s.ids[len(s.ids)-1], Want: s.prefix, Got: text}
	}
	rest := len(s.ids) - s.prefixed
	s.ids = append(s.ids[:0], s.ids[s.prefixed:]...)
	prefix, err := s.t.Decode(s.ids, s.skipSpecial)
	s.prefix, s.prefixed = prefix, rest
	return added, err
}

// Flush gives the text that waits, at the end of the tokens: a character that was not completed is U+FFFD there.
func (s *Stream) Flush() (string, error) {
	text, err := s.t.Decode(s.ids, s.skipSpecial)
	if err != nil || len(text) <= len(s.prefix) {
		return "", err
	}
	return s.emit(text)
}

// A StreamError says that a token changed text that had appeared before.
type StreamError struct {
	ID        int32
	Want, Got string
}

// Error describes the change.
func (e *StreamError) Error() string {
	return fmt.Sprintf("tokenizer: token %d changes text that has appeared before: %q became %q", e.ID, e.Want, e.Got)
}

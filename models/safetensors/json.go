package safetensors

import (
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// maxDepth limits how deep values may be nested.
const maxDepth = 100

// A scanner reads JSON strictly, as the reference does: no names twice, no lone surrogates, and integers only where
// integers are expected. Its errors are offsets and reasons.
type scanner struct {
	text []byte
	at   int
}

func (s *scanner) errorf(format string, args ...any) error {
	return fmt.Errorf("byte %d of the JSON: %s", s.at, fmt.Sprintf(format, args...))
}

// peek skips white space and gives the next byte, or 0 at the end.
func (s *scanner) peek() byte {
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

func (s *scanner) found() string {
	if s.peek(); s.at >= len(s.text) {
		return "the end"
	}
	return strconv.Quote(string(s.text[s.at:min(s.at+12, len(s.text))]))
}

func (s *scanner) expect(c byte) error {
	if s.peek() != c || s.at >= len(s.text) {
		return s.errorf("%q is expected, found %s", c, s.found())
	}
	s.at++
	return nil
}

// list reads what is between two brackets, with commas.
func (s *scanner) list(open, end byte, item func() error) error {
	if err := s.expect(open); err != nil {
		return err
	}
	if s.peek() == end {
		s.at++
		return nil
	}
	for {
		if err := item(); err != nil {
			return err
		}
		if s.peek() != ',' {
			return s.expect(end)
		}
		s.at++
	}
}

// object calls field for each field, after its name and colon.
func (s *scanner) object(field func(name string) error) error {
	return s.list('{', '}', func() error {
		name, err := s.string()
		if err != nil {
			return err
		}
		if err := s.expect(':'); err != nil {
			return err
		}
		return field(name)
	})
}

func (s *scanner) array(item func() error) error { return s.list('[', ']', item) }

// string reads a string. The text is known to be UTF-8.
func (s *scanner) string() (string, error) {
	if s.peek() != '"' {
		return "", s.errorf("a string is expected, found %s", s.found())
	}
	start, plain := s.at, true
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '"':
			s.at++
			quoted := s.text[start:s.at]
			if plain {
				return string(quoted[1 : len(quoted)-1]), nil
			}
			return s.unquote(quoted)
		case c == '\\':
			plain = false
			s.at++
		case c < ' ':
			return "", s.errorf("a string has the control character %#x", c)
		}
	}
	s.at = start
	return "", s.errorf("the string has no end")
}

// unquote reads escapes. Those of lone surrogates, which Go replaces, are refused.
func (s *scanner) unquote(quoted []byte) (string, error) {
	var out string
	if err := json.Unmarshal(quoted, &out); err != nil {
		return "", s.errorf("the string before has a wrong escape")
	}
	for i := 0; i+1 < len(quoted); i++ {
		if quoted[i] != '\\' {
			continue
		}
		i++
		if quoted[i] != 'u' {
			continue
		}
		hex := func(at int) uint64 { v, _ := strconv.ParseUint(string(quoted[at:at+4]), 16, 16); return v }
		v := hex(i + 1)
		i += 4
		if v < 0xD800 || v > 0xDFFF {
			continue
		}
		pair := v < 0xDC00 && i+6 < len(quoted) && quoted[i+1] == '\\' && quoted[i+2] == 'u'
		if !pair || hex(i+3)>>10 != 0xDC00>>10 {
			return "", s.errorf("the string before has half of a surrogate pair")
		}
		i += 6
	}
	return out, nil
}

// uint reads an integer without a sign.
func (s *scanner) uint() (uint64, error) {
	s.peek()
	start := s.at
	for s.at < len(s.text) && s.text[s.at] >= '0' && s.text[s.at] <= '9' {
		s.at++
	}
	digits := string(s.text[start:s.at])
	more := s.at < len(s.text) && (s.text[s.at] == '.' || s.text[s.at] == 'e' || s.text[s.at] == 'E')
	if digits == "" || more || len(digits) > 1 && digits[0] == '0' {
		s.at = start
		return 0, s.errorf("an integer from 0 is expected, found %s", s.found())
	}
	v, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		s.at = start
		return 0, s.errorf("%s is more than 64 bits can hold", digits)
	}
	return v, nil
}

// skip reads any value.
func (s *scanner) skip(depth int) error {
	if depth > maxDepth {
		return s.errorf("values are nested deeper than %d", maxDepth)
	}
	switch s.peek() {
	case '{':
		return s.object(func(string) error { return s.skip(depth + 1) })
	case '[':
		return s.array(func() error { return s.skip(depth + 1) })
	case '"':
		_, err := s.string()
		return err
	}
	start := s.at
	for s.at < len(s.text) && !isEnd(s.text[s.at]) {
		s.at++
	}
	if word := s.text[start:s.at]; !json.Valid(word) {
		s.at = start
		return s.errorf("a value is expected, found %s", s.found())
	}
	return nil
}

func isEnd(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', ',', ']', '}', ':', '{', '[', '"':
		return true
	}
	return false
}

// null reads null, if it comes next.
func (s *scanner) null() bool {
	s.peek()
	if len(s.text)-s.at >= 4 && string(s.text[s.at:s.at+4]) == "null" {
		s.at += 4
		return true
	}
	return false
}

// whole reads a text that is one object.
func whole(text []byte, field func(s *scanner, name string) error) error {
	s := &scanner{text: text}
	if !utf8.Valid(text) {
		return fmt.Errorf("the JSON is not valid UTF-8")
	}
	if err := s.object(func(name string) error { return field(s, name) }); err != nil {
		return err
	}
	if s.peek(); s.at < len(text) {
		return s.errorf("there is more behind the object: %s", s.found())
	}
	return nil
}

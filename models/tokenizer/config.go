package tokenizer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cutile-go/cutile/models/tokenizer/internal/pattern"
)

// Limits of a file: how deep objects may lie in objects, and how many parts sequences may have in all.
const (
	maxNesting = 16
	maxParts   = 256
)

// An object is an object of the file with its place there, such as "pre_tokenizer.pretokenizers[1]". The first error
// stays, so that callers read all fields and ask once.
type object struct {
	path   string
	fields map[string]json.RawMessage
	depth  int
	parts  *int // how many parts of sequences the whole file has so far
	err    error
}

func (o *object) fail(name, format string, args ...any) {
	if o.err == nil {
		o.err = fmt.Errorf("%s: %s", o.at(name), fmt.Sprintf(format, args...))
	}
}

// at gives the place of a field.
func (o *object) at(name string) string {
	switch {
	case name == "":
		return o.path
	case o.path == "":
		return name
	}
	return o.path + "." + name
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || bytes.Equal(raw, []byte("null")) }

// newObject reads an object.
func newObject(path string, in *object, raw json.RawMessage) (*object, error) {
	depth := 0
	parts := new(int)
	if in != nil {
		depth, parts = in.depth+1, in.parts
	}
	o := &object{path: path, depth: depth, parts: parts}
	if depth > maxNesting {
		o.fail("", "nested deeper than %d", maxNesting)
		return o, o.err
	}
	if err := json.Unmarshal(raw, &o.fields); err != nil || o.fields == nil {
		o.fail("", "an object is expected, found %s", brief(raw))
	}
	return o, o.err
}

// brief gives the start of a value for a message.
func brief(raw []byte) string {
	const most = 40
	s := strings.Join(strings.Fields(string(raw)), " ")
	if len(s) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	if s == "" {
		return "nothing"
	}
	return s
}

// get reads a field that must be there.
func get[T any](o *object, name string) (v T) {
	if isNull(o.fields[name]) {
		o.fail(name, "missing")
		return v
	}
	return opt(o, name, v)
}

// opt reads a field, or gives what holds without it.
func opt[T any](o *object, name string, without T) T {
	raw := o.fields[name]
	if isNull(raw) {
		return without
	}
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		o.fail(name, "%s cannot be read: %v", brief(raw), err)
		return without
	}
	return v
}

// object reads a field that is an object, or gives nil when it is absent.
func (o *object) object(name string) *object {
	raw := o.fields[name]
	if isNull(raw) {
		return nil
	}
	sub, err := newObject(o.at(name), o, raw)
	if err != nil && o.err == nil {
		o.err = err
	}
	return sub
}

// list reads a field that is a list of objects.
func (o *object) list(name string) []*object {
	raws := get[[]json.RawMessage](o, name)
	var list []*object
	for i, raw := range raws {
		sub, err := newObject(fmt.Sprintf("%s[%d]", o.at(name), i), o, raw)
		if err != nil {
			if o.err == nil {
				o.err = err
			}
			return nil
		}
		list = append(list, sub)
	}
	return list
}

// count reads a number that is not negative.
func (o *object) count(name string, without int) int {
	n := opt(o, name, int64(without))
	if n < 0 || n > math.MaxInt32 {
		o.fail(name, "%d must be from 0 to %d", n, math.MaxInt32)
		return without
	}
	return int(n)
}

// char reads a field that is one character.
func (o *object) char(name string) rune {
	s := get[string](o, name)
	r, size := utf8.DecodeRuneInString(s)
	if size != len(s) || size == 0 {
		o.fail(name, "one character is expected, found %q", s)
	}
	return r
}

// choice reads one of several words and gives its number.
func (o *object) choice(name string, without string, words ...string) int {
	s := opt(o, name, without)
	i := slices.Index(words, s)
	if i < 0 {
		o.fail(name, "%q is not supported; one of %s is expected", s, strings.Join(words, ", "))
		return 0
	}
	return i
}

// pattern reads a field such as {"String": "a"} or {"Regex": "a+"}.
func (o *object) pattern(name string) *pattern.Pattern {
	sub := o.object(name)
	if sub == nil || sub.err != nil {
		o.fail(name, "missing")
		return nil
	}
	if _, ok := sub.fields["String"]; ok {
		text := get[string](sub, "String")
		o.take(sub)
		return pattern.Literal(text)
	}
	expr := get[string](sub, "Regex")
	o.take(sub)
	p, err := pattern.Compile(expr)
	if err != nil {
		o.fail(name+".Regex", "%v", err)
	}
	return p
}

// take makes the error of a part that of the whole.
func (o *object) take(sub *object) {
	if o.err == nil {
		o.err = sub.err
	}
}

// build makes a part of the tokenizer by the field "type".
func build[T any](o *object, what string, kinds map[string]func(*object) T) (v T, err error) {
	kind := get[string](o, "type")
	if o.err != nil {
		return v, o.err
	}
	read, ok := kinds[kind]
	if !ok {
		names := make([]string, 0, len(kinds))
		for k := range kinds {
			names = append(names, k)
		}
		slices.Sort(names)
		o.fail("type", "the %s %q is not supported; these are: %s", what, kind, strings.Join(names, ", "))
		return v, o.err
	}
	v = read(o)
	return v, o.err
}

// buildAll makes the parts of a sequence.
func buildAll[T any](o *object, name, what string, kinds map[string]func(*object) T) []T {
	var out []T
	for _, sub := range o.list(name) {
		if *o.parts++; *o.parts > maxParts {
			sub.fail("", "more than %d parts in all", maxParts)
		}
		v, err := build(sub, what, kinds)
		if err != nil {
			o.take(sub)
			return nil
		}
		out = append(out, v)
	}
	return out
}

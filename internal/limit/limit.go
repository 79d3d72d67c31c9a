// Package limit bounds work that a small input can make large: compiling a kernel and running it on the CPU. The values
// belong to whoever opens a device; there is one struct of them, which cutile.Limits documents for users.
package limit

import (
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Limits are the bounds; cutile.Limits has the same fields and says what they mean. A field that is 0 stands for its
// default.
type Limits struct {
	Operations    int
	Calls         int
	Turns         int
	Unrolled      int
	CompileMemory int64
	BlockMemory   int64
	Print         int64
	Memory        int64
	Pinned        int64
	Run           time.Duration
	Close         time.Duration
}

// Default is what a field that is 0 stands for. Memory, Pinned and Run have no bound unless somebody asks for one.
var Default = Limits{
	Operations:    1 << 19,
	Calls:         1 << 19,
	Turns:         256,
	Unrolled:      1 << 16,
	CompileMemory: 1 << 30,
	BlockMemory:   2 << 30,
	Print:         16 << 20,
	Close:         5 * time.Second,
}

// field is a row of the table of limits: the name that users give, and where the value lies.
type field struct {
	name, key string
	at        func(l *Limits) any
}

// fields is every limit, by its name in Go and in [Env].
var fields = []field{
	{"Operations", "operations", func(l *Limits) any { return &l.Operations }},
	{"Calls", "calls", func(l *Limits) any { return &l.Calls }},
	{"Turns", "turns", func(l *Limits) any { return &l.Turns }},
	{"Unrolled", "unrolled", func(l *Limits) any { return &l.Unrolled }},
	{"CompileMemory", "compile-memory", func(l *Limits) any { return &l.CompileMemory }},
	{"BlockMemory", "block-memory", func(l *Limits) any { return &l.BlockMemory }},
	{"Print", "print", func(l *Limits) any { return &l.Print }},
	{"Memory", "memory", func(l *Limits) any { return &l.Memory }},
	{"Pinned", "pinned", func(l *Limits) any { return &l.Pinned }},
	{"Run", "run", func(l *Limits) any { return &l.Run }},
	{"Close", "close", func(l *Limits) any { return &l.Close }},
}

// Env is the environment variable with limits: "calls=2000000,compile-memory=4GiB,run=10s".
const Env = "CUTILE_LIMITS"

// Hint says how to raise a limit, by its name in Go.
func Hint(name string) string {
	for _, f := range fields {
		if f.name == name {
			return fmt.Sprintf("raise Limits.%s, by cutile.WithLimits or %s=%s=…", f.name, Env, f.key)
		}
	}
	panic("BUG: limit: there is no limit " + name)
}

// Or fills the fields that are 0 from other.
func (l Limits) Or(other Limits) Limits {
	for _, f := range fields {
		switch v, w := f.at(&l), f.at(&other); v := v.(type) {
		case *int:
			if *v == 0 {
				*v = *w.(*int)
			}
		case *int64:
			if *v == 0 {
				*v = *w.(*int64)
			}
		case *time.Duration:
			if *v == 0 {
				*v = *w.(*time.Duration)
			}
		}
	}
	return l
}

// Check refuses values that mean nothing.
func (l Limits) Check() error {
	for _, f := range fields {
		var negative bool
		switch v := f.at(&l).(type) {
		case *int:
			negative = *v < 0
		case *int64:
			negative = *v < 0
		case *time.Duration:
			negative = *v < 0
		}
		if negative {
			return fmt.Errorf("Limits.%s is negative: give 0 for the default, or more", f.name)
		}
	}
	return nil
}

// Key names the limits that decide whether a kernel compiles: "" for the defaults.
func (l Limits) Key() string {
	l = l.Or(Default)
	l.BlockMemory, l.Print, l.Memory, l.Pinned = Default.BlockMemory, Default.Print, Default.Memory, Default.Pinned
	l.Run, l.Close = Default.Run, Default.Close
	if l == Default {
		return ""
	}
	return fmt.Sprint(l)
}

// FromEnv gives what [Env] says, with 0 for what it leaves out.
func FromEnv() (Limits, error) {
	l, err := Parse(os.Getenv(Env))
	if err != nil {
		return l, fmt.Errorf("%s: %w", Env, err)
	}
	return l, nil
}

// equals is = with the blanks around it, which do not matter.
var equals = regexp.MustCompile(`\s*=\s*`)

// Parse reads "name=value" with commas or blanks between, each name once; an empty text sets nothing. A number of bytes may
// end in KiB, MiB or GiB; a time is written like 10s.
func Parse(text string) (l Limits, err error) {
	if strings.TrimSpace(text) == "" {
		return l, nil
	}
	given := map[string]bool{}
	for _, part := range strings.Split(text, ",") {
		words := strings.Fields(equals.ReplaceAllString(part, "="))
		if len(words) == 0 {
			return l, fmt.Errorf("%q has an empty entry beside a comma: want name=value, with one comma between two", text)
		}
		for _, word := range words {
			name, value, _ := strings.Cut(word, "=")
			if err := l.read(name, value); err != nil {
				return l, err
			}
			if given[name] {
				return l, fmt.Errorf("limit %s is given twice in %q: give it once", name, text)
			}
			given[name] = true
		}
	}
	return l, l.Check()
}

// read sets the limit of a name to what a text says.
func (l *Limits) read(name, value string) error {
	for _, f := range fields {
		if f.key != name {
			continue
		}
		to := f.at(l)
		if value == "" {
			return fmt.Errorf("limit %s has no value: give one, as in %s=%s", name, name, kindOf(to).example)
		}
		if err := set(to, value); errors.Is(err, strconv.ErrRange) {
			return fmt.Errorf("limit %s: %q is too large", name, value)
		} else if err != nil {
			return fmt.Errorf("limit %s: %q is not %s", name, value, kindOf(to).what)
		}
		return nil
	}
	if name == "" {
		return fmt.Errorf("the name of a limit is missing before =: the limits are %s", names())
	}
	return fmt.Errorf("there is no limit %q: the limits are %s", name, names())
}

// kind says for messages what the value of a limit is.
type kind struct{ what, example string }

func kindOf(to any) kind {
	switch to.(type) {
	case *int64:
		return kind{"a number of bytes, such as 1073741824 or 1GiB", "1GiB"}
	case *time.Duration:
		return kind{"a time, such as 10s", "10s"}
	}
	return kind{"a number", "1000"}
}

func set(to any, value string) (err error) {
	switch to := to.(type) {
	case *int:
		*to, err = strconv.Atoi(value)
	case *int64:
		*to, err = Bytes(value)
	case *time.Duration:
		*to, err = time.ParseDuration(value)
	}
	return err
}

// Bytes reads a number of bytes, which may end in KiB, MiB or GiB.
func Bytes(text string) (int64, error) {
	shift := 0
	for i, unit := range []string{"KiB", "MiB", "GiB"} {
		if head, ok := strings.CutSuffix(text, unit); ok {
			text, shift = head, 10*(i+1)
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if most := int64(math.MaxInt64) >> shift; err == nil && (n > most || n < -most) {
		err = strconv.ErrRange
	}
	return n << shift, err
}

func names() string {
	var all []string
	for _, f := range fields {
		all = append(all, f.key)
	}
	return strings.Join(all, ", ")
}

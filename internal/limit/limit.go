// Package limit bounds work that a small input can make large: compiling a kernel, and running it on the CPU. The values
// belong to whoever opens a device; there is one struct of them, which cutile.Limits documents for users.
package limit

import (
	"fmt"
	"math"
	"os"
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
	Run           time.Duration
	Close         time.Duration
}

// Default is what a field that is 0 stands for. Run has no bound unless somebody asks for one.
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
	l.BlockMemory, l.Print, l.Run, l.Close = Default.BlockMemory, Default.Print, Default.Run, Default.Close
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

// Parse reads "name=value" with commas or blanks between; no text says nothing. A number of bytes may end in KiB, MiB or
// GiB; a time is such as 10s.
func Parse(text string) (l Limits, err error) {
	if strings.TrimSpace(text) == "" {
		return l, nil
	}
	for _, part := range strings.Split(text, ",") {
		words := strings.Fields(part)
		if len(words) == 0 {
			return l, fmt.Errorf("%q has an empty entry beside a comma: want name=value, with one comma between two", text)
		}
		for _, word := range words {
			if err := l.read(word); err != nil {
				return l, err
			}
		}
	}
	return l, l.Check()
}

// read sets the limit of "name=value".
func (l *Limits) read(word string) error {
	name, value, _ := strings.Cut(word, "=")
	for _, f := range fields {
		if f.key != name {
			continue
		}
		if err := set(f.at(l), value); err != nil {
			return fmt.Errorf("limit %s: %q %w", name, value, err)
		}
		return nil
	}
	return fmt.Errorf("there is no limit %q: there are %s", name, names())
}

func set(to any, value string) (err error) {
	switch to := to.(type) {
	case *int:
		if *to, err = strconv.Atoi(value); err != nil {
			return fmt.Errorf("is not a number")
		}
	case *int64:
		if *to, err = parseBytes(value); err != nil {
			return fmt.Errorf("is not a number of bytes, such as 1073741824 or 1GiB")
		}
	case *time.Duration:
		if *to, err = time.ParseDuration(value); err != nil {
			return fmt.Errorf("is not a time, such as 10s")
		}
	}
	return nil
}

func parseBytes(text string) (int64, error) {
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

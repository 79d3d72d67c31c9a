package run

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cutile-go/cutile/internal/simt"
)

// Options are the choices for a compilation; the zero value is the usual one.
type Options struct {
	Opt        Opt    // how much is done to make code shorter
	Assertions bool   // keep the assertions of kernels
	Straight   bool   // no dynamic control flow
	Arch       string // such as "sm_90a"; "" is the device's
	DryRun     bool   // stop after the module is made
	NoRun      bool   // compile, and run nothing
	NoCache    bool   // neither look for what was made before, nor keep what is made
	PrintIR    bool   // print the module
	Dump       string // the folder to write the module, PTX and machine code to
	KeepPTX    bool   // make PTX where the device does not need it, too
	KeepCubin  bool   // make machine code by ptxas where the device does not need it, too
	Log        bool   // say on Output what is done
	Time       bool   // say on Output how long each stage takes
	Strict     bool   // warnings are mistakes
	Attrs      string // of the GPU module: "name=value" with ; between
	Pipeline   string // the stages, see [ParsePipeline]; "" for the usual ones

	Output io.Writer // where compiling prints: nil for the standard output
}

// Opt is a level of optimisation.
type Opt uint8

// The levels of optimisation. The zero Opt is O3.
const (
	DefaultOpt Opt = iota
	O0
	O1
	O2
	O3
)

// Level is the level as a number, 0 to 3.
func (o Opt) Level() int {
	if o == DefaultOpt {
		o = O3
	}
	return int(o - O0)
}

// option is a row of the table of options.
type option struct {
	name    string
	logging bool // has no influence on the program
	get     func(o *Options) any
}

// options is every option by the name that it has in text.
var options = []option{
	{"opt-level", false, func(o *Options) any { return &o.Opt }},
	{"arch", false, func(o *Options) any { return &o.Arch }},
	{"assertions", false, func(o *Options) any { return &o.Assertions }},
	{"attrs", false, func(o *Options) any { return &o.Attrs }},
	{"compile-only", false, func(o *Options) any { return &o.NoRun }},
	{"dry-run", false, func(o *Options) any { return &o.DryRun }},
	{"dump", true, func(o *Options) any { return &o.Dump }},
	{"keep-cubin", false, func(o *Options) any { return &o.KeepCubin }},
	{"keep-ptx", false, func(o *Options) any { return &o.KeepPTX }},
	{"log", true, func(o *Options) any { return &o.Log }},
	{"no-cache", false, func(o *Options) any { return &o.NoCache }},
	{"pipeline", false, func(o *Options) any { return &o.Pipeline }},
	{"print-ir", true, func(o *Options) any { return &o.PrintIR }},
	{"straight", false, func(o *Options) any { return &o.Straight }},
	{"time", true, func(o *Options) any { return &o.Time }},
	{"warnings-as-errors", false, func(o *Options) any { return &o.Strict }},
}

// ParseOptions reads "opt-level=2 assertions dump=folder": names, with a value after = where they have one, and blanks
// between. A truth value may be given as well: assertions=false. A value with blanks stands in quotation marks.
func ParseOptions(text string) (o Options, err error) {
	words, err := splitWords(text)
	if err != nil {
		return o, err
	}
	for _, word := range words {
		name, value, given := strings.Cut(word, "=")
		i := slices.IndexFunc(options, func(p option) bool { return p.name == name })
		if i < 0 {
			return o, fmt.Errorf("there is no option %q: the options are %s", name, optionNames())
		}
		if err := setOption(options[i].get(&o), value, given); err != nil {
			return o, fmt.Errorf("option %s: %w", name, err)
		}
	}
	return o, o.Check()
}

// splitWords cuts a text at blanks, but not inside of Go's quotation marks, which it takes away.
func splitWords(text string) (words []string, err error) {
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		end := strings.IndexAny(text, " \t\n\"")
		word := text
		if end >= 0 {
			word = text[:end]
		}
		text = text[len(word):]
		if strings.HasPrefix(text, `"`) {
			quoted, err := strconv.QuotedPrefix(text)
			if err != nil {
				return nil, fmt.Errorf("the option %s%s does not end its quotation", word, text)
			}
			value, _ := strconv.Unquote(quoted)
			word, text = word+value, text[len(quoted):]
		}
		words = append(words, word)
	}
	return words, nil
}

func setOption(to any, value string, given bool) (err error) {
	switch to := to.(type) {
	case *bool:
		*to = true
		if given {
			if *to, err = strconv.ParseBool(value); err != nil {
				return fmt.Errorf("%q is not true or false", value)
			}
		}
	case *string:
		if value == "" {
			return errors.New("it needs a value")
		}
		*to = value
	case *Opt:
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > 3 {
			return fmt.Errorf("%q is not a level from 0 to 3", value)
		}
		*to = O0 + Opt(n)
	}
	return nil
}

func optionNames() string {
	var names []string
	for _, p := range options {
		names = append(names, p.name)
	}
	return strings.Join(names, ", ")
}

// String is the options as [ParseOptions] reads them: the same text for the same options.
func (o Options) String() string { return o.text(true) }

// text leaves out, on demand, what has no influence on the program.
func (o *Options) text(logging bool) string {
	var words []string
	for _, p := range options {
		if p.logging && !logging {
			continue
		}
		switch v := p.get(o).(type) {
		case *bool:
			if *v {
				words = append(words, p.name)
			}
		case *string:
			if *v != "" {
				words = append(words, p.name+"="+quoted(*v))
			}
		case *Opt:
			words = append(words, fmt.Sprintf("%s=%d", p.name, v.Level()))
		}
	}
	return strings.Join(words, " ")
}

// quoted is a value as splitWords reads it.
func quoted(s string) string {
	if strings.ContainsAny(s, " \t\n\"") {
		return strconv.Quote(s)
	}
	return s
}

// Check refuses values that mean nothing.
func (o Options) Check() error {
	if o.Opt > O3 {
		return fmt.Errorf("option opt-level: %d is not one of O0 to O3", o.Opt)
	}
	if o.Arch != "" {
		if _, err := simt.TargetOf(o.Arch); err != nil {
			return fmt.Errorf("option arch: %w", err)
		}
	}
	if _, err := ParsePipeline(o.Pipeline); err != nil {
		return fmt.Errorf("option pipeline: %w", err)
	}
	return nil
}

// Or adds what other says and o does not.
func (o Options) Or(other Options) Options {
	for _, p := range options {
		switch v, w := p.get(&o), p.get(&other); v := v.(type) {
		case *bool:
			*v = *v || *w.(*bool)
		case *string:
			if *v == "" {
				*v = *w.(*string)
			}
		case *Opt:
			if *v == DefaultOpt {
				*v = *w.(*Opt)
			}
		}
	}
	if o.Output == nil {
		o.Output = other.Output
	}
	return o
}

// OptionsEnv is the environment variable with options for every compilation; those that a program gives come first.
const OptionsEnv = "CUTILE_CUTE_OPTIONS"

// withEnv adds the options of the environment.
func (o Options) withEnv() (Options, error) {
	if _, ok := o.Output.(*printer); !ok {
		o.Output = &printer{w: o.Output}
	}
	text := os.Getenv(OptionsEnv)
	if text == "" {
		return o, o.Check()
	}
	env, err := ParseOptions(text)
	if err != nil {
		return o, fmt.Errorf("%s: %w", OptionsEnv, err)
	}
	return o.Or(env), o.Check()
}

// attrs are the attributes of the GPU module.
func (o *Options) attrs() (out []simt.Attr) {
	for _, a := range strings.Split(o.Attrs, ";") {
		if name, value, _ := strings.Cut(a, "="); name != "" {
			out = append(out, simt.Attr{Name: name, Value: value})
		}
	}
	return out
}

// timed says how long something took that began at start, where that is asked for.
func (o *Options) timed(start time.Time, name, what string) {
	if o.Time {
		fmt.Fprintf(o.Output, "cute: %s: %s took %v\n", name, what, time.Since(start).Round(time.Microsecond))
	}
}

// log says what is done, where that is asked for.
func (o *Options) log(format string, args ...any) {
	if o.Log {
		fmt.Fprintf(o.Output, "cute: "+format+"\n", args...)
	}
}

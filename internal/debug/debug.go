// Package debug reads the switches that help to find a fault: CUTILE_DEBUG is a list such as
// backtrace,bundle=/tmp/bundles.
package debug

import (
	"fmt"
	"os"
	"strings"
)

// Env is the variable.
const Env = "CUTILE_DEBUG"

// The switches.
const (
	Backtrace = "backtrace" // messages about bugs show the stack
	Bundle    = "bundle"    // the folder for the files that reproduce a failed assembly
	Variables = "variables" // debuggers see the variables and calls of kernels of package cute, and of those of package tile that our own compiler takes
	PerfMap   = "perfmap"   // perf finds generated functions by name, in /tmp/perf-PID.map
)

// switches has what each one takes after "=", or nothing.
var switches = []struct{ name, takes string }{{Backtrace, ""}, {Bundle, "FOLDER"}, {PerfMap, ""}, {Variables, ""}}

// On reports whether a switch is in the list.
func On(name string) bool {
	_, on := find(name)
	return on
}

// Check refuses a list that would not do what it seems to say: empty entries, unknown names, a name given twice, a folder
// that is missing, a value for what has none.
func Check() error {
	text := os.Getenv(Env)
	if strings.TrimSpace(text) == "" {
		return nil
	}
	given := map[string]bool{}
	for item := range strings.SplitSeq(text, ",") {
		key, value, valued := cut(item)
		if err := checkSwitch(key, value, valued); err != nil {
			return fmt.Errorf("%s=%q %w", Env, text, err)
		}
		if given[key] {
			return fmt.Errorf("%s=%q has the switch %s twice: give it once", Env, text, key)
		}
		given[key] = true
	}
	return nil
}

func checkSwitch(key, value string, valued bool) error {
	if key == "" {
		return fmt.Errorf("has an empty entry: want a list such as backtrace,bundle=FOLDER")
	}
	for _, s := range switches {
		switch {
		case s.name != key:
		case s.takes != "" && value == "":
			return fmt.Errorf("has %s without a %s: want %[1]s=%[3]s", key, strings.ToLower(s.takes), s.takes)
		case s.takes == "" && valued:
			return fmt.Errorf("has a value for %s, which takes none: leave %[1]s out to switch it off", key)
		default:
			return nil
		}
	}
	return fmt.Errorf("has %q, which is not a switch: the switches are %s", key, list())
}

// list is the switches, as they are written.
func list() string {
	words := make([]string, len(switches))
	for i, s := range switches {
		words[i] = s.name
		if s.takes != "" {
			words[i] += "=" + s.takes
		}
	}
	return strings.Join(words, ", ")
}

// cut gives a switch and what follows its =, without the blanks around either.
func cut(item string) (key, value string, valued bool) {
	key, value, valued = strings.Cut(item, "=")
	return strings.TrimSpace(key), strings.TrimSpace(value), valued
}

// Value is what follows a switch and "="; empty where it is not in the list.
func Value(name string) string {
	value, _ := find(name)
	return value
}

func find(name string) (value string, on bool) {
	for item := range strings.SplitSeq(os.Getenv(Env), ",") {
		key, v, _ := cut(item)
		if key == name {
			value, on = v, true
		}
	}
	return value, on
}

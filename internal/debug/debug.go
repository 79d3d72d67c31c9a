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
)

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
	switch {
	case key == "":
		return fmt.Errorf("has an empty entry: want a list such as backtrace,bundle=FOLDER")
	case key != Backtrace && key != Bundle:
		return fmt.Errorf("has %q, which is not a switch: the switches are %s and %s=FOLDER", key, Backtrace, Bundle)
	case key == Bundle && value == "":
		return fmt.Errorf("has %s without a folder: want %[1]s=FOLDER", key)
	case key == Backtrace && valued:
		return fmt.Errorf("has a value for %s, which takes none: leave %[1]s out to switch it off", key)
	}
	return nil
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

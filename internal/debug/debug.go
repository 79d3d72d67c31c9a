// Package debug reads the switches for those who look for a fault: CUTILE_DEBUG is a list such as
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
	Bundle    = "bundle"    // the folder for what a failed assembly needs to be repeated
)

// On reports whether a switch is in the list.
func On(name string) bool {
	_, on := find(name)
	return on
}

// Check refuses a list with what is no switch: empty entries and unknown names, which would switch nothing on.
func Check() error {
	text := os.Getenv(Env)
	if strings.TrimSpace(text) == "" {
		return nil
	}
	for item := range strings.SplitSeq(text, ",") {
		switch key, _, _ := strings.Cut(strings.TrimSpace(item), "="); key {
		case Backtrace, Bundle:
		case "":
			return fmt.Errorf("%s=%q has an empty entry: want a list such as backtrace,bundle=FOLDER", Env, text)
		default:
			return fmt.Errorf("%s=%q: there is no switch %q: there are %s and %s=FOLDER", Env, text, key, Backtrace, Bundle)
		}
	}
	return nil
}

// Value is what follows a switch and "="; empty where it is not in the list.
func Value(name string) string {
	value, _ := find(name)
	return value
}

func find(name string) (value string, on bool) {
	for item := range strings.SplitSeq(os.Getenv(Env), ",") {
		key, v, _ := strings.Cut(strings.TrimSpace(item), "=")
		if key == name {
			value, on = v, true
		}
	}
	return value, on
}

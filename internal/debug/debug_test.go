package debug_test

import (
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/debug"
)

func TestSwitches(t *testing.T) {
	for list, want := range map[string]struct {
		backtrace bool
		bundle    string
	}{
		"": {}, "backtrace": {true, ""}, "bundle=/tmp/backtrace": {false, "/tmp/backtrace"}, "backtrace, bundle=/a=b": {true, "/a=b"},
		"bundle": {}, "other,bundle=x,bundle=y": {false, "y"},
	} {
		t.Setenv(debug.Env, list)
		if on, dir := debug.On(debug.Backtrace), debug.Value(debug.Bundle); on != want.backtrace || dir != want.bundle {
			t.Errorf("%q: %v, %q, want %+v", list, on, dir, want)
		}
	}
}

// TestCheck: what is no switch is a mistake that names it.
func TestCheck(t *testing.T) {
	for list, want := range map[string]string{
		"": "", " ": "", "backtrace, bundle=/a=b": "", ",": "an empty entry", "backtrace,": "an empty entry", "=x": "an empty entry",
		"backtrac": `CUTILE_DEBUG="backtrac" has "backtrac", which is not a switch: the switches are backtrace, bundle=FOLDER, perfmap, variables`,
		"bundle":   "has bundle without a folder: want bundle=FOLDER", "bundle = ": "without a folder", " bundle = /a ,backtrace ": "",
		"bundle=x,bundle=y": "has the switch bundle twice", "perfmap": "", "perfmap=x": "has a value for perfmap",
		"backtrace=off": "has a value for backtrace, which takes none: leave backtrace out",
	} {
		t.Setenv(debug.Env, list)
		if err := debug.Check(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", list, err, want)
		}
	}
}

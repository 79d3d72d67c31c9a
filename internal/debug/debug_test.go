package debug_test

import (
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

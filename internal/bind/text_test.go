package bind_test

import (
	"testing"

	"github.com/cutile-go/cutile/internal/bind"
)

// TestDescribed: a value has one article, whatever it is.
func TestDescribed(t *testing.T) {
	type framework struct{}
	for want, value := range map[string]any{
		"nil": nil, "an int32": int32(1), "a float64": 1.5, "a bind_test.framework": framework{},
		"a nil *bind_test.framework": (*framework)(nil), "a *bind_test.framework": &framework{}, "a nil func()": (func())(nil),
	} {
		if got := bind.Described(value); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

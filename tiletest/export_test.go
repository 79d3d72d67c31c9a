package tiletest

import "testing"

// SetUpdate sets the flag for a test.
func SetUpdate(t testing.TB, on bool) { *update = on }

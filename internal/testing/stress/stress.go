// Package stress says how long tests run that call machine code from many goroutines.
package stress

import (
	"os"
	"testing"
	"time"
)

// Env is how long these tests run, such as 10m, with 64 goroutines in place of 8.
const Env = "CUTILE_NATIVE_STRESS"

// Length gives the time and the number of goroutines of a test.
func Length(t testing.TB) (length time.Duration, goroutines int) {
	t.Helper()
	text := os.Getenv(Env)
	if text == "" {
		return 400 * time.Millisecond, 8
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", Env, err)
	}
	return length, 64
}

package vectest

import (
	"os"
	"strconv"
	"testing"
)

// Count is how many random functions a test tries: usually n, or what the environment variable CUTILE_RANDOM says.
func Count(t testing.TB, n int) int {
	s := os.Getenv("CUTILE_RANDOM")
	if s == "" {
		return n
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		t.Fatalf("CUTILE_RANDOM=%s is not a positive number", s)
	}
	return n
}

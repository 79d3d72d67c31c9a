//go:build !linux && !darwin

package nativetest

import "testing"

// guard is skipped: it needs pages that nobody may touch.
func guard(t *testing.T, _ Backend) { t.Skip("there are no pages that nobody may touch") }

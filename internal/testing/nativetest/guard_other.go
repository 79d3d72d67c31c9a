//go:build !linux && !darwin

package nativetest

import "testing"

// Guard is skipped: it needs pages that nobody may touch.
func Guard(t *testing.T, b Backend) { t.Skip("there are no pages that nobody may touch") }

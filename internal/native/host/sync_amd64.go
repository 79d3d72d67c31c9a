//go:build unix

package host

// syncInstructions does nothing: an amd64 CPU sees what it wrote.
func syncInstructions([]byte) {}

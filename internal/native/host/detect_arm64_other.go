//go:build arm64 && !linux && !darwin

package host

// askSystem finds nothing more: these systems tell neither of bf16 nor of caches in a way that is tested.
func (c *CPU) askSystem() {}

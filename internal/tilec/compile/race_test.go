//go:build race

package compile_test

func init() { underRace = true }

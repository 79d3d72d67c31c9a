//go:build race

package testenv

func init() { race = true }

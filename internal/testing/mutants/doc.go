// Package mutants holds the test that breaks the examples of the SIMT level, and the PTX that is written for them, in
// many ways: each must be noticed by the emulator or by a wrong result.
package mutants

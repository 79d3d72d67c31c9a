// Package sourcefuzz holds tests that change kernels at random and compile what comes out.
//
// The kernels are those of the examples, of package kernels and of the tests. Each becomes a program of one file with
// what it reaches. Edits are chosen on its syntax tree, with the types that the checker found, so that many of them are
// still Go: operators, names, constants, extents, calls and their arguments are exchanged; statements are deleted, moved,
// repeated and wrapped; exits, assignments and closures are added. What the compiler does with a mutant must be one of
// two things: refuse it with mistakes that have a place in the user's source, or make a module that Verify, the bytecode
// and the CPU engine accept. Anything else is a finding.
//
// The usual test runs a few hundred mutants, and replays the programs in testdata, which were findings once. A long run
// starts one process after the other, as the compiler keeps what it has read:
//
//	CUTILE_SOURCEFUZZ=10m go test -run TestLong -timeout 0 -v ./internal/testing/sourcefuzz
//
// CUTILE_SOURCEFUZZ_SEED=n makes it start elsewhere than at 1, CUTILE_SOURCEFUZZ_OUT=folder says where findings go: each
// is made as small as possible, and can be put into testdata as it is.
package sourcefuzz

// Package numerics compares what the CPU engine computes with NumPy and ml_dtypes: every operation of Tile IR that
// computes, with every element type that it takes and every attribute that changes its numbers.
//
// Cases come from the table of operations: what [tileir.Verify] accepts is a case. Operands are the edge values of the
// type, each with each, 10,000 random bit patterns, and as many near ties and cancellations; types of 8 and 4 bits are
// covered exhaustively, operations with one operand of 16 bits too. The reference computes with unlimited integers and
// rounds once, or, for functions, in 64-bit precision. Results must have the same bits, functions stay within the
// bounds of the table in table_test.go.
//
// The tests need no Python: a digest of every exact result and samples of the others are stored in testdata. With
// CUTILE_ORACLE_PYTHON they run the reference itself, for one case of eight, or with -every for all; go test -update then stores
// its results.
package numerics

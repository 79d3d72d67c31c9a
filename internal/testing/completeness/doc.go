// Package completeness holds every operation of the table against every part of the project that must know it: builder,
// verifier, printer, parser, writer, reader and CPU engine. Each pair is a cell and names the test that proves it.
// Mutants, in which the part fails at that operation, show that the test does. The report is docs/completeness.md.
//
// It also holds every row of the table of element types against every part that must know it: the part does, or lists the
// type as lacking, with the reason.
package completeness

// Package nativefuzz makes random modules of Tile IR and runs them on the CPU engine's interpreter and as machine code of each
// level, with the same memory. What memory holds afterwards, and the errors, must be the same.
//
// [Generate] makes a [Program] from a seed: a module that [tileir.Verify] takes, with a grid and what memory holds; [GenerateProducts] makes
// one with loops of matrix products. A [Runner]
// runs it in all ways and compares. Numbers that are NaN may differ in their bits unless they were only moved. Tensors lie
// beside pages that fault. [Reduce] makes a program that fails smaller, and [Program.Text] writes it as a file for testdata,
// which every later test runs.
package nativefuzz

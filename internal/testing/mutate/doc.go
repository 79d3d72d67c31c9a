// Command mutate breaks the product in places that a seed chooses, and sees whether its tests notice.
//
//	go run ./internal/testing/mutate -n 200 -seed 1
//
// A mutant is one small change of one file: another comparison, a check that never holds, a call that is left out, an error
// that is not returned, another rounding, a shorter key. Each is compiled through an overlay, so that the tree stays as it
// is, and the short tests run that are meant to hold its package (tests.go says which), its own first, and at last its own
// in full. A mutant that does not compile does not count; one that the tests do not notice survives, and is printed with its place.
//
// A survivor that changes nothing that a test can see, such as a buffer that starts larger, is listed in explained.txt
// with the reason: file, function, the line as it was and as it became. It still counts as a survivor.
//
// Tests that notice a mutant are run once without it, and must pass.
//
// A panic whose text starts with BUG: is left as it is, and so is what a return gives beside an error or false. -list prints the places of the sample, -from and -to try a part of
// them, for runs that end before the whole sample does. A change of any file moves the sample: -again tries the survivors that
// a run printed, when there are new tests for them. Progress goes to the standard error. What the mutants' compilations
// leave behind is kept out of the go command's cache.
//
// The command fails where fewer than -least percent are noticed.
package main

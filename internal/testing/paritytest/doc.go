// Package paritytest holds docs/parity.md against the tree: every line of the lists of behaviour has one row, and a row
// says yes only where a test of that name exists. TestAdding holds docs/adding.md against the tree. The package also has
// the small tests of behaviour that no other package shows.
package paritytest

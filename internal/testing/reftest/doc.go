// Package reftest holds this module against kernels of cuTile Python: what it exports, what NVIDIA's disassembler
// prints for that, and what NumPy computes for the same inputs. [Check] compares bytes and texts, [Case.Run] the results
// of the CPU engine.
//
// A slice of the kernels' files is committed: ref.zip and refg.zip in tileir/testdata, cases.zip here. TestExport makes
// all of them anew with Python and compares all; with -update it writes the slice.
package reftest

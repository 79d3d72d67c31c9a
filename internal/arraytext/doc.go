// Package arraytext writes arrays as text in the layout of NumPy: brackets for the axes, columns of one width, lines of at
// most 75 characters, and, of large arrays, the corners only.
//
// [Shown] says which elements are shown, [Floats] and [Aligned] make the texts of elements, and [Layout] puts them between
// brackets. The rules are those of NumPy 2.4 (numpy/_core/arrayprint.py), and the tests compare with its output.
package arraytext

// Package cformat formats numbers as C's printf does. The driver formats what kernels print on a GPU by C's rules.
package cformat

// Package cformat writes numbers by the formats of C's printf: what kernels print on a GPU, the driver writes by C's rules.
package cformat

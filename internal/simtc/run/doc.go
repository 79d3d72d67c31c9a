// Package run is the runtime of package cute: it binds the arguments of a host function, makes a module of the function
// with the kernels that it launches, keeps what was made, and runs it on a device.
//
//	arguments ─ bind ─┬ key of what is static ─ found before? ─ program
//	                  │                         else: eval ─ module ─ hash ─ found before? else the stages
//	                  └ numbers of what is dynamic ─ host function ─ launches ─ device
//
// What is static decides the program; what is dynamic becomes its parameters. Package cute describes its values by [Look].
package run

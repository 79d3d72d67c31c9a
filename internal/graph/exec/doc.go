// Package exec compiles the kernels of a plan for a device, gives its arrays memory, and runs it. What depends on constants alone is
// computed once, when the program is compiled.
package exec

// Package ptx writes the programs of threads of package ir as the SIMT IR, which is PTX.
//
// [Write] is a walk. An element operation becomes the instructions that the table elems has for it; lanes of 8 bits lie in
// registers of 16, of which the upper half has no meaning. Variables are registers, and [Write] copies nothing where a value
// can be computed in the register of the variable that it is assigned to, or read there.
package ptx

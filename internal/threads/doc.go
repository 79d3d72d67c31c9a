// Package threads compiles entries of Tile IR to programs of the threads of GPUs, without a vendor's tools: [PTX] makes a module of
// the SIMT IR, which is PTX and which the emulator runs, and [SPIRV] a module for Vulkan.
//
// The work is divided among packages, each of which knows only those before it:
//
//   - linear has layouts: which register of which thread holds which element, as linear maps over GF(2);
//   - plan gives tiles their layouts, from facts of package access;
//   - ir is the program of one thread with structured control flow, with passes that place buffers in shared memory and barriers;
//   - emit writes it, with the element operations of the CPU's machine code;
//   - ptx makes PTX of it, and spirv SPIR-V.
package threads

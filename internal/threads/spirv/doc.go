// Package spirv writes the programs of threads of package ir as SPIR-V for Vulkan.
//
// [Write] is a walk, beside that of package ptx. An element operation becomes the instructions that the table elems has for it.
// Values are integers of their class's width, or truth values; operations on floats look at the bits. Variables are variables
// of the function, which drivers turn into registers.
//
// # Memory
//
// Global memory is reached by addresses of 64 bits. A guard is a branch around the access, since an address that is not the
// kernel's must not even be computed with by a load. Buffers of shared memory are arrays whose elements are as narrow as the
// narrowest access, and wider accesses take several: neighbours that share a word would race otherwise. SPIR-V has no generic
// addresses, and so a buffer whose address is taken ([ir.Window]) lies in the scratch memory of the block.
//
// # Integers of 64 bits
//
// Where the device has none, an integer of 64 bits is a pair: a vector of two words. The type code, by which the writer writes instructions,
// makes operations on words of those on pairs, by the table pairOps. Atomic operations of 64 bits are refused there.
//
// # Floats
//
// Results have the bits that package vec says. Each operation on floats has two forms in the table elems, which says why they are exact:
// instructions of the device, and integers of 64 bits, or pairs (soft.go and its neighbours), which are exact everywhere. Quotients, square roots
// and what rounds to integers is always computed in integers, as Vulkan promises too little, and so is all that the device has no type
// for or does wrong ([Target].Soft, which package probe finds out). The writer asks for all modes that the device has. GLSL's fma may
// round twice: the writer makes its own from float64, rounded to odd. It uses neither GLSL's minimum nor its maximum, which may lose NaN
// and the sign of zeros.
//
// # Ends
//
// Each loop looks at the word by which the program stops a kernel. What a kernel prints, and assertions that fail, are records in
// the stream's control block. The layout of push constants, control block and records is that of the type Code of package
// engine/vulkan.
package spirv

// Package spirv reads, writes, prints and checks modules of SPIR-V, the language of Vulkan's kernels, in pure Go.
//
// # Modules
//
// A [Module] is a list of instructions with their operands, as [Read] finds them in a file's words. Its String is what spirv-dis --raw-id
// prints. Which instructions, enumerants and operands there are is in Khronos's grammar, package internal/spirv/grammar; the constants
// of this package, such as [OpIAdd] and [DecorationBlock], are generated from it.
//
// # Building
//
// A [Builder] makes a module of compute kernels, as the example shows. Each instruction goes to its section. Types and constants are
// there once. Capabilities and extensions are declared as instructions, enumerants and types need them. Control flow is structured:
// [Builder.If] and [Builder.Loop] write merge instructions, and phis for the values that sides of a branch and runs of a loop pass on.
// What follows Break, Continue and Return cannot be reached and is not written. Device memory is reached by addresses of 64 bits or of
// two words, [Builder.LoadAt] and [Builder.StoreAt], or by pointers, [Builder.Element]. The same calls make the same bytes.
//
// # Checking
//
// [Verify] checks a module for Vulkan 1.3 with the scalar block layout, as spirv-val --target-env vulkan1.3 --scalar-block-layout does:
//
//   - sections and their order, that every ID is defined once and before its use, and that the bound is above all;
//   - that what instructions, enumerants and types need is declared, and that Vulkan has it;
//   - types, constants and variables, and the decorations and layouts of blocks;
//   - control flow: that it is structured, that definitions dominate uses, and that phis have a value for each way in;
//   - types of operands, by the table typing.txt and by code;
//   - memory: alignments, storage classes, scopes and semantics of atomic operations and barriers;
//   - entry points: their interfaces, sizes of workgroups and modes of floats.
//
// It knows compute kernels: other entry points are refused. Of instructions that kernels here do not use, such as those of images, it
// checks IDs, dominance and what they need, and not the types of their operands.
//
// The tests compare its verdict with spirv-val's on thousands of changed modules. CUTILE_REQUIRE=spirv-val makes them fail where
// Khronos's tools are missing; CUTILE_SPIRV_TOOLS names a folder that has them.
package spirv

// Package grammar is Khronos's machine-readable grammar of SPIR-V as a table: every instruction with its operands, every
// enumerant of every kind of operand with its parameters, and for each the version, capabilities and extensions that it needs.
//
// The table is grammar.txt, which internal/spirv/gen reduces from the JSON files of KhronosGroup/SPIRV-Headers; its first lines name
// the revision and the licence, which is in LICENSE.txt. A line is
//
//	op CODE NAME[/ALIAS...] CLASS OPERAND... | VERSION CAPABILITY... [EXTENSION...]
//	kind NAME CATEGORY [BASE...]
//	    VALUE NAME[/ALIAS...] PARAMETER... | VERSION CAPABILITY... [EXTENSION...]
//	set NAME
//	    CODE NAME OPERAND... | VERSION
//	tool NUMBER NAME
//
// An operand is a kind, with "?" after it where it may be missing and "*" where there may be any number. VERSION is the first version
// of SPIR-V that has the thing, "1.0-1.3" where a later one lost it, and "-" where only an extension or capability brings it. Any one of
// the capabilities is enough, and so is any one of the extensions.
package grammar

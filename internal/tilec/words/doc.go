// Package words implements the functions of the tile language whose declarations have a directive:
// //cutile:op emits an operation, and //cutile:intrinsic asks the compiler a question.
//
// The table of package tileir tells how to emit an operation (op.go). The operands are the
// parameters that the directive names. The attributes are evaluated by their codings (attr.go,
// predicate.go, literal.go), the types of views are completed from the arguments of a constructor
// (view.go), and a function among the arguments becomes a region (combiner.go). What the table
// demands of types and Go's types cannot express is checked here (relate.go, taken.go). No
// operation has a case of its own, so that a new operation needs a declaration and a row of the
// table only.
//
// # Values that belong to others
//
// A directive can give a result values that belong to it (attach in op.go), such as the token of
// the memory that a view shows. They are cells, so that branches and loops carry them like
// variables, and functions in Go read and set them with the intrinsics meta and set_meta. This
// package knows nothing of tokens but that.
//
// # What is done once
//
// An operation that is declared once, such as the question for the number of the block, is put into
// the prologue, in front of the kernel's code, if its operands are known there. The same question
// then gets the same answer everywhere.
//
// A word sees its arguments as values of package emit and the declaration of the function as a
// [Declared], but no syntax.
package words

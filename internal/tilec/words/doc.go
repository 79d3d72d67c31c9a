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
// A word sees its arguments as values of package emit and the declaration of the function as a
// [Declared], but no syntax.
package words

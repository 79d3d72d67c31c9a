// Package words does what the functions of the tile language do whose declarations have a directive: //cutile:op emits an operation,
// //cutile:intrinsic asks the compiler a question.
//
// An operation (op.go) is emitted by the table of package tileir: its operands are the parameters that the directive names, its
// attributes are evaluated by their codings (attr.go, predicate.go, literal.go), view types are completed from a constructor's
// arguments (view.go), and a function among the arguments becomes a region (relate.go). What the table says of types, and Go's
// types cannot, is checked here (relate.go, taken.go). No operation has a case of its own.
//
// A word sees its arguments as values of package emit and the declaration as a [Declared], and no syntax.
package words

// Package wire decodes the messages of ONNX files. The schema is onnx.proto of the ONNX project; the tables of this package have
// its field numbers. Package protowire decodes the fields. There is no generated code: its types are registered under the
// schema's names for the whole program, and a second package with the same schema would end the program at its start. Besides,
// the elements of tensors are not copied here: slices point into the file's bytes.
package wire

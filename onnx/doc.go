// Package onnx reads ONNX models and runs them on any device of package cutile.
package onnx

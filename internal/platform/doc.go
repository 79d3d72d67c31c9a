// Package platform refuses, at build time, systems on which programs of this module would fail: kernels compute with an int
// of 64 bits, and tensors lie in memory as a GPU has them, with the lowest byte first. Packages that users import come to
// it through langsrc or tileir, so that theirs is the only message.
package platform

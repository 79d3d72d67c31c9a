//go:build !nocuda && windows && amd64

package cudrv

var libraries = []string{"nvcuda.dll"}

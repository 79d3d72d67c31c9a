//go:build !nocuda && !((linux && (amd64 || arm64)) || (windows && amd64))

package cudrv

const tagged = false

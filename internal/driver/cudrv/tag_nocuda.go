//go:build nocuda

package cudrv

const tagged = true

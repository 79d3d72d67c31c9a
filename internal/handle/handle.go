// Package handle lets the levels of the language above root reach what stands behind root's types. Root fills it in.
package handle

import (
	"go/token"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/host"
	"github.com/cutile-go/cutile/internal/launch"
)

// What stands behind root's types: nil for other values.
var (
	Tensor func(x any) *launch.Tensor // *cutile.Tensor, or what stands for one
	Stream func(x any) *host.Stream   // *cutile.Stream
	Device func(x any) *host.Device   // *cutile.Device
)

// Explain turns an error of a function's way through a compiler and an engine into cutile.Error.
var Explain func(function string, err error) error

// Error makes a cutile.Error of its parts. A nil cause means that arguments do not fit the function; text is all of it.
var Error func(stage, function string, pos token.Position, message, text string, cause error) error

// Open makes a *cutile.Device of an engine's, for tests of packages above root.
var Open func(eng engine.Device) (any, error)

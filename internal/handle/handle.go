// Package handle lets the levels of the language above root reach what stands behind root's types. Root fills it in.
package handle

import (
	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine"
)

// What stands behind root's types: nil for other values.
var (
	Tensor func(x any) *bind.Tensor   // *cutile.Tensor, or what stands for one
	Stream func(x any) *device.Stream // *cutile.Stream
	Device func(x any) *device.Device // *cutile.Device
)

// Open makes a *cutile.Device of an engine's, for tests of packages above root.
var Open func(eng engine.Device) (any, error)

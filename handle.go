package cutile

import (
	"github.com/cutile-go/cutile/internal/bind"
	"github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/handle"
	"github.com/cutile-go/cutile/internal/limit"
)

// Package cute reaches what stands behind the types of this package.
func init() {
	handle.Tensor = func(x any) *bind.Tensor {
		if t, ok := x.(interface{ own() *bind.Tensor }); ok {
			return t.own()
		}
		for _, as := range tensorOf {
			if t := as(x); t != nil {
				return t
			}
		}
		return nil
	}
	handle.Stream = func(x any) *device.Stream {
		if s, ok := x.(*Stream); ok && s != nil {
			return s.host
		}
		return nil
	}
	handle.Device = func(x any) *device.Device {
		if d, ok := x.(*Device); ok && d != nil {
			return d.host
		}
		return nil
	}
	handle.Open = func(eng engine.Device) (any, error) { return newDevice(eng, &options{}, limit.Default) }
}

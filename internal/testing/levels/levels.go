// Package levels makes every launch of a test run at each level of machine code that the machine has, and interpreted, beside how
// it runs anyway. A test that imports the package fails where results differ by a bit, or where machine code touches a byte outside
// of the memory that it was given, which lies beside pages that cannot be touched.
//
// Tests of kernels import it. They run on devices with checks, which interpret nearly everything.
package levels

import (
	"sync/atomic"

	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/testing/guard"
)

func init() { cpu.Adjust = adjust }

func adjust(o *cpu.Options) { o.Twins, o.Memory = true, memory }

// New makes a device for a test that opens none by name.
func New(o cpu.Options) *cpu.Device {
	adjust(&o)
	return cpu.New(o)
}

// Alone makes a device without the other runs, for a test that compares levels itself. Its memory lies as that of [New].
func Alone(o cpu.Options) *cpu.Device {
	o.Memory = memory
	return cpu.New(o)
}

var count atomic.Int64

// memory is at the beginning of its pages or at their end, in turn.
func memory(bytes int) ([]byte, func() error, error) {
	m, err := guard.New(bytes, count.Add(1)%2 == 0)
	if err != nil {
		return nil, nil, err
	}
	return m.Bytes, func() error {
		wrong := m.Check()
		if err := m.Free(); err != nil {
			return err
		}
		return wrong
	}, nil
}

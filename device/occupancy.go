package device

import (
	"github.com/cutile-go/cutile/internal/engine"
)

// Occupancy is what a kernel takes of a device, and how many of its blocks the device runs at once.
type Occupancy struct {
	Blocks          int // that a multiprocessor, or a worker of the CPU engine, runs at once
	Multiprocessors int // or workers of the CPU engine
	Threads         int // of a block; 1 for a kernel of tiles on the CPU
	Registers       int // of 32 bits, of a thread; 0 on the CPU
	Local           int // bytes of local memory of a thread: spilled registers and arrays
	Shared          int // bytes of shared memory of a block
}

// Resident returns how many blocks the device runs at once.
func (o Occupancy) Resident() int { return o.Blocks * o.Multiprocessors }

// OccupancyOf asks a device about launches like l of a kernel that is loaded on it. It is meant for the packages of this module.
func OccupancyOf(d *Device, k engine.Kernel, l engine.SIMTLaunch) (Occupancy, error) {
	o, err := d.core.Occupancy(k, l)
	return Occupancy(o), d.named(err)
}

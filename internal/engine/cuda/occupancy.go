package cuda

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/engine"
)

// Occupancy implements [engine.Occupier]: the driver knows.
func (d *Device) Occupancy(k engine.Kernel, l engine.SIMTLaunch) (o engine.Occupancy, err error) {
	own, ok := k.(*Kernel)
	if !ok || own.d != d {
		return o, fmt.Errorf("%s: occupancy: the kernel was compiled for another device", d.Name())
	}
	if err := own.allow(l.Shared); err != nil {
		return o, err
	}
	if err := own.enter(); err != nil {
		return o, err
	}
	defer own.leave()
	block := own.block
	if l.Block != [3]uint32{} {
		block = l.Block
	}
	o, err = own.occupancy(block, l.Shared+own.dynamic)
	return o, d.fault(err)
}

// occupancy asks the driver. The code of tileiras chooses its number of threads itself, which is then the most that it takes.
func (k *Kernel) occupancy(block [3]uint32, dynamic uint32) (o engine.Occupancy, err error) {
	most := 0
	for _, a := range []struct {
		attr cudrv.FuncAttribute
		to   *int
	}{
		{cudrv.FuncRegisters, &o.Registers}, {cudrv.FuncLocalBytes, &o.Local}, {cudrv.FuncSharedBytes, &o.Shared}, {cudrv.FuncMaxThreads, &most},
	} {
		if *a.to, err = k.d.drv.FuncGetAttribute(k.fn, a.attr); err != nil {
			return o, err
		}
	}
	o.Shared += int(dynamic)
	o.Multiprocessors = k.d.info.Multiprocessors
	if o.Threads = int(block[0] * block[1] * block[2]); o.Threads == 1 && !k.inModule {
		o.Threads = most
	}
	o.Blocks, err = k.d.drv.OccupancyMaxActiveBlocks(k.fn, o.Threads, dynamic)
	return o, err
}

// tooLarge says how many blocks there may be in a cooperative launch that had too many.
func (k *Kernel) tooLarge(block [3]uint32, dynamic uint32, err error) error {
	o, oerr := k.occupancy(block, dynamic)
	if oerr != nil {
		return err // the driver's own words are all that is known
	}
	return fmt.Errorf("all blocks of a cooperative launch run at once, and the GPU runs %d of them, %d on each of %d multiprocessors: launch no more: %w",
		o.Blocks*o.Multiprocessors, o.Blocks, o.Multiprocessors, err)
}

package vulkan

import (
	"encoding/binary"
	"fmt"

	"github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/engine"
)

// Launch queues a kernel. A grid that is larger than the device's becomes several dispatches. It does not allocate, but for
// kernels of more than [InlineParams] parameters.
func (s *Stream) Launch(k engine.Kernel, grid [3]uint32, args []uint64) error {
	own, ok := k.(*Kernel)
	if !ok || own.d != s.d {
		return fmt.Errorf("%s: launch: the kernel was compiled for another device", s.d.Name())
	}
	if err := s.checkLaunch(own, grid, args); err != nil {
		return err
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if !own.life.Use() {
		return s.d.closedError("kernel")
	}
	defer own.life.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.launch(own, grid, args); err != nil {
		if s.d.lost.Load() != nil {
			return err
		}
		return fmt.Errorf("%s: kernel %s, grid (%d, %d, %d): %w", s.d.Name(), own.name, grid[0], grid[1], grid[2], err)
	}
	return nil
}

// maxDispatches bounds the dispatches of a launch: recording takes about a microsecond for each.
const maxDispatches = 1 << 16

func (s *Stream) checkLaunch(k *Kernel, grid [3]uint32, args []uint64) error {
	if len(args) != k.code.Params {
		return fmt.Errorf("%s: kernel %s takes %d parameters, but got %d", s.d.Name(), k.name, k.code.Params, len(args))
	}
	for i, g := range grid {
		if g == 0 {
			return fmt.Errorf("%s: kernel %s: grid (%d, %d, %d): axis %d must be 1 or more", s.d.Name(), k.name, grid[0], grid[1], grid[2], i)
		}
	}
	if dispatches(grid, s.d.piece(k, grid)) > maxDispatches {
		return fmt.Errorf("%s: kernel %s: grid (%d, %d, %d) takes more than %d dispatches: launch parts of it", s.d.Name(), k.name,
			grid[0], grid[1], grid[2], maxDispatches)
	}
	return nil
}

// dispatches is how many pieces a grid has; any number above maxDispatches stands for all of those.
func dispatches(grid, piece [3]uint32) int {
	n := uint64(1)
	for i := range grid {
		n = min(n, maxDispatches+1) * (uint64(grid[i]-1)/uint64(piece[i]) + 1)
	}
	return int(min(n, maxDispatches+1))
}

// maxScratch bounds the scratch memory of a stream.
const maxScratch = 256 << 20

// piece is the greatest part of a grid that one dispatch takes: the device's limit, and blocks whose scratch memory fits.
func (d *Device) piece(k *Kernel, grid [3]uint32) [3]uint32 {
	p := grid
	for i, most := range d.info.Device.Limits.Grid {
		p[i] = min(p[i], most)
	}
	if k.code.Scratch > 0 {
		left := uint64(maxScratch / k.code.Scratch) // at least 1
		for i := range p {
			p[i] = uint32(min(uint64(p[i]), left))
			left = max(1, left/uint64(p[i]))
		}
	}
	return p
}

// launch records and queues the dispatches.
func (s *Stream) launch(k *Kernel, grid [3]uint32, args []uint64) error {
	piece := s.d.piece(k, grid)
	if err := s.roomFor(k, piece); err != nil {
		return s.d.fault(err)
	}
	sl, err := s.freeSlot()
	if err != nil {
		return err
	}
	push, err := s.pushConstants(sl, k, grid, args)
	if err != nil {
		return s.d.fault(err)
	}
	if err := s.begin(sl); err != nil {
		return err
	}
	drv, c := s.d.drv, sl.commands
	drv.CmdBindPipeline(c, k.pipe.handle)
	for n := range dispatches(grid, piece) {
		if n > 0 && k.code.Scratch > 0 {
			drv.CmdBarrier(c) // the blocks before have used the same memory
		}
		var part [3]uint32
		for i, rest := 0, uint32(n); i < 3; i++ {
			pieces := (grid[i]-1)/piece[i] + 1
			base := rest % pieces * piece[i]
			rest /= pieces
			part[i] = min(piece[i], grid[i]-base)
			binary.LittleEndian.PutUint32(push[pushBase+4*i:], base)
		}
		drv.CmdPushConstants(c, s.d.layout, push)
		drv.CmdDispatch(c, part[0], part[1], part[2])
	}
	if err := s.end(sl, vulkan.Point{}); err != nil {
		return err
	}
	s.recentMu.Lock()
	s.recent[k.id] = k
	s.recentMu.Unlock()
	return nil
}

// roomFor makes scratch memory for a dispatch.
func (s *Stream) roomFor(k *Kernel, piece [3]uint32) error {
	need := uint64(k.code.Scratch) * uint64(piece[0]) * uint64(piece[1]) * uint64(piece[2])
	if need == 0 || s.scratch != nil && s.scratch.size >= need {
		return nil
	}
	b, err := s.d.newBlock(need, deviceMemory(&s.d.info.Device))
	if err != nil {
		return err
	}
	if old := s.scratch; old != nil {
		s.d.later(&buffer{d: s.d, block: old}) // what is queued uses it
	}
	s.scratch = b
	return nil
}

// pushConstants fills those of a launch, but for the base.
func (s *Stream) pushConstants(sl *slot, k *Kernel, grid [3]uint32, args []uint64) ([]byte, error) {
	le, push := binary.LittleEndian, sl.push
	le.PutUint32(push[pushKernel:], k.id)
	for i, g := range grid {
		le.PutUint32(push[pushGrid+4*i:], g)
	}
	le.PutUint32(push[pushGrid+12:], 0)
	le.PutUint64(push[pushControl:], s.control.address)
	scratch := uint64(0)
	if k.code.Scratch > 0 {
		scratch = s.scratch.address
	}
	le.PutUint64(push[pushScratch:], scratch)
	n := len(args)
	if k.data != nil {
		n++
	}
	to := push[pushParams:]
	if n <= InlineParams {
		k.arguments(to, args)
		return push[:pushParams+8*n], nil
	}
	b, err := s.d.host.get(s.d, 8*uint64(n))
	if err != nil {
		return nil, err
	}
	sl.holds = append(sl.holds, b)
	k.arguments(b.bytes, args)
	le.PutUint64(push[pushParams:], b.address)
	return push[:pushParams+8], nil
}

// arguments writes the parameters, with the address of the variables behind them.
func (k *Kernel) arguments(to []byte, args []uint64) {
	for i, a := range args {
		binary.LittleEndian.PutUint64(to[8*i:], a)
	}
	if k.data != nil {
		binary.LittleEndian.PutUint64(to[8*len(args):], k.data.address)
	}
}

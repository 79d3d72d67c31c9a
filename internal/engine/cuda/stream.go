package cuda

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/engine"
)

// Stream implements [engine.Stream]. Several goroutines may use it.
type Stream struct {
	d    *Device
	h    cudrv.Stream
	life engine.Life

	mu     sync.Mutex // guards what follows
	err    error      // first error of queued work
	words  []uint64   // parameters of the launch that is being made
	params []unsafe.Pointer
	all    []unsafe.Pointer // those, and tensor maps
	recent [4]*Kernel       // launched since the last wait, each once
	more   bool             // and others

	launched []*Kernel // of a stream that captures, each once; nil for other streams
}

// NewStream makes a stream.
func (d *Device) NewStream() (engine.Stream, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	h, err := d.drv.StreamCreate()
	if err != nil {
		return nil, d.fault(err)
	}
	s := &Stream{d: d, h: h}
	d.track(s)
	return s, nil
}

func (s *Stream) order() int     { return orderStream }
func (s *Stream) destroy() error { return s.d.drv.StreamDestroy(s.h) }

// enter is for calls on the stream; each needs a leave.
func (s *Stream) enter() error {
	if err := use(&s.life, s.d, "stream"); err != nil {
		return err
	}
	if err := s.d.enter(); err != nil {
		s.life.Done()
		return err
	}
	return nil
}

func (s *Stream) leave() {
	s.d.leave()
	s.life.Done()
}

// Launch queues a kernel with one thread block a tile block. It does not allocate.
func (s *Stream) Launch(k engine.Kernel, grid [3]uint32, args []uint64) error {
	own, ok := k.(*Kernel)
	if !ok || own.d != s.d {
		return fmt.Errorf("%s: launch: the kernel was compiled for another device", s.d.Name())
	}
	if own.tensors == nil {
		return s.LaunchBlock(own, grid, own.block, own.dynamic, args)
	}
	if maps, ok := own.tensors.of(s.d, args); ok {
		return s.launchBlock(own, grid, own.block, own.dynamic, args, extra{maps: maps, attrs: own.attrs})
	}
	own, err := own.tensors.withoutMaps()
	if err != nil {
		return err
	}
	return s.LaunchBlock(own, grid, own.block, own.dynamic, args)
}

// LaunchBlock queues a kernel with thread blocks of the given extents and sharedBytes of dynamic shared memory. args are as
// for Launch.
func (s *Stream) LaunchBlock(k *Kernel, grid, block [3]uint32, sharedBytes uint32, args []uint64) error {
	return s.launchBlock(k, grid, block, sharedBytes, args, extra{attrs: k.attrs})
}

// extra is what few launches have.
type extra struct {
	maps    [][128]byte             // tensor maps, behind the arguments
	bytes   map[int][]byte          // by parameter that is an array of bytes: in place of its word
	cluster [3]uint32               // zero for none
	attrs   []cudrv.LaunchAttribute // without that of a cluster; nil for none
}

// launchBlock is LaunchBlock with what few launches have.
func (s *Stream) launchBlock(k *Kernel, grid, block [3]uint32, sharedBytes uint32, args []uint64, more extra) error {
	if err := s.checkLaunch(k, grid, args); err != nil {
		return err
	}
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if err := use(&k.life, s.d, "kernel"); err != nil {
		return err
	}
	defer k.life.Done()
	if err := s.launch(k, grid, block, sharedBytes, args, more); err != nil {
		return s.launchError(k, grid, block, sharedBytes, err)
	}
	return nil
}

func (s *Stream) launch(k *Kernel, grid, block [3]uint32, sharedBytes uint32, args []uint64, more extra) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setParams(args)
	params := s.params[:len(args)]
	if len(more.maps)+len(more.bytes) > 0 {
		params = s.addParams(params, more)
	}
	attrs := more.attrs
	if more.cluster != [3]uint32{} {
		attr := cudrv.LaunchAttribute{ID: cudrv.ClusterDimension}
		copy(attr.Value[:], more.cluster[:])
		attrs = append(slices.Clone(attrs), attr)
	}
	if attrs != nil {
		err := s.d.drv.LaunchKernelEx(k.fn, grid, block, sharedBytes, s.h, attrs, params)
		if early := len(attrs) == 1 && attrs[0].ID == cudrv.ProgrammaticSerialization; !early || cudrv.Code(err) != cudrv.NotFound { // without it, the kernel starts later
			return s.noted(k, err)
		}
	}
	return s.noted(k, s.d.drv.LaunchKernel(k.fn, grid, block, sharedBytes, s.h, params))
}

// addParams gives the parameters with the arrays and tensor maps of a launch.
func (s *Stream) addParams(params []unsafe.Pointer, more extra) []unsafe.Pointer {
	s.all = append(s.all[:0], params...)
	for i, b := range more.bytes {
		s.all[i] = unsafe.Pointer(unsafe.SliceData(b))
	}
	for i := range more.maps {
		s.all = append(s.all, unsafe.Pointer(&more.maps[i]))
	}
	return s.all
}

// noted notes a kernel that was queued.
func (s *Stream) noted(k *Kernel, err error) error {
	if err == nil {
		s.note(k)
	}
	return err
}

func (s *Stream) checkLaunch(k *Kernel, grid [3]uint32, args []uint64) error {
	if len(args) != k.params {
		return fmt.Errorf("%s: kernel %s takes %d parameters, but got %d", s.d.Name(), k.name, k.params, len(args))
	}
	for i, g := range grid {
		if g == 0 || g > s.d.grid[i] {
			return fmt.Errorf("%s: kernel %s: grid (%d, %d, %d): axis %d must be 1 to %d", s.d.Name(), k.name, grid[0], grid[1], grid[2],
				i, s.d.grid[i])
		}
	}
	return nil
}

// setParams copies the arguments to where the driver reads them. It reads each parameter's own size from the front of
// its word, which is right on the little-endian machines that have the driver.
func (s *Stream) setParams(args []uint64) {
	if len(s.words) < len(args) {
		s.words = make([]uint64, max(len(args), 32))
		s.params = make([]unsafe.Pointer, len(s.words))
		for i := range s.words {
			s.params[i] = unsafe.Pointer(&s.words[i])
		}
	}
	copy(s.words, args)
}

func (s *Stream) launchError(k *Kernel, grid, block [3]uint32, shared uint32, err error) error {
	if _, sticky := cudrv.Code(err).Sticky(); sticky {
		return s.d.fault(err)
	}
	if cudrv.Code(err) == cudrv.CooperativeTooLarge {
		err = k.tooLarge(block, shared, err)
	}
	return fmt.Errorf("%s: kernel %s, grid (%d, %d, %d): %w", s.d.Name(), k.name, grid[0], grid[1], grid[2], err)
}

// note remembers a launch for the error of a later trap.
func (s *Stream) note(k *Kernel) {
	s.keeps(k)
	for i, r := range s.recent {
		if r == k {
			return
		}
		if r == nil {
			s.recent[i] = k
			return
		}
	}
	s.more = true
}

// Lost implements [engine.Losing].
func (s *Stream) Lost() bool {
	if err := s.enter(); err != nil {
		return s.d.lost.Load() != nil
	}
	defer s.leave()
	_, err := s.query()
	return s.d.fault(err) != nil
}

func (s *Stream) recentKernels() (kernels []*Kernel, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.recent {
		if k != nil {
			kernels = append(kernels, k)
		}
	}
	return kernels, s.more
}

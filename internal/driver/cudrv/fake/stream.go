package fake

import (
	"errors"
	"time"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
)

// stream is a queue with a goroutine that works it off. The driver's lock guards it.
type stream struct {
	d     *Driver
	id    cudrv.Stream
	ctx   *context
	queue []cmd
	head  int // first command that is not done
	spare [][]uint64
	now   Launch // what runs, while a kernel does
	dead  bool

	capture *graph // what is queued goes there; nil while nothing is captured
	after   []int  // the numbers of the work of the capture behind which the next comes
}

type cmdKind uint8

const (
	cmdWrite cmdKind = iota
	cmdRead
	cmdCopy
	cmdSet
	cmdFree
	cmdLaunch
	cmdRecord
	cmdWait
)

// cmd is one piece of work.
type cmd struct {
	kind     cmdKind
	dst, src cudrv.DevicePtr
	host     []byte
	n        int64
	value    byte
	launch   *function
	grid     [3]uint32
	block    [3]uint32
	shared   uint32
	coop     bool
	cluster  [3]uint32
	args     []uint64
	bytes    map[int][]byte
	event    *event
	gen      uint64
}

type event struct {
	ctx            *context
	recorded, done uint64 // records so far, and how many the streams have come to
	at             time.Time

	capture *graph // of the last record; nil if that was not captured
	after   []int  // what comes before it there
}

func (d *Driver) newStream(ctx *context, id cudrv.Stream) *stream {
	s := &stream{d: d, id: id, ctx: ctx}
	go s.work()
	return s
}

func (s *stream) push(c cmd) {
	if s.capture != nil {
		s.keep(c)
		return
	}
	s.queue = append(s.queue, c)
	s.d.changed.Broadcast()
}

func (s *stream) idle() bool { return s.head == len(s.queue) }

// work is the stream's goroutine.
func (s *stream) work() {
	d := s.d
	d.mu.Lock()
	defer d.mu.Unlock()
	for {
		for s.idle() && !s.dead {
			d.changed.Wait()
		}
		if s.idle() {
			return
		}
		c := &s.queue[s.head]
		if s.ctx.lost == cudrv.Success {
			if code := s.do(*c); code != cudrv.Success {
				s.ctx.lost = code
			}
		} else if c.kind == cmdRecord {
			c.event.done = max(c.event.done, c.gen)
		}
		c = &s.queue[s.head] // the queue may have grown
		if c.args != nil {
			s.spare = append(s.spare, c.args)
		}
		s.head++
		if s.idle() {
			s.queue, s.head = s.queue[:0], 0
		}
		d.changed.Broadcast()
	}
}

// do does one command under the lock, which it gives back while a kernel runs.
func (s *stream) do(c cmd) cudrv.Result {
	d := s.d
	switch c.kind {
	case cmdRecord:
		if c.gen > c.event.done {
			c.event.done, c.event.at = c.gen, time.Now()
		}
		return cudrv.Success
	case cmdWait:
		for c.event.done < c.gen && s.ctx.lost == cudrv.Success {
			d.changed.Wait()
		}
		return cudrv.Success
	case cmdLaunch:
		return s.run(c)
	case cmdFree:
		d.free(c.dst)
		return cudrv.Success
	}
	dst, ok := d.span(c.dst, c.n)
	src, ok2 := d.span(c.src, c.n)
	switch c.kind {
	case cmdWrite:
		src, ok2 = c.host, true
	case cmdRead:
		dst, ok = c.host, true
	case cmdSet:
		if ok {
			fill(dst, c.value)
		}
		src, ok2 = nil, true
	}
	if !ok || !ok2 {
		return cudrv.IllegalAddress
	}
	copy(dst, src)
	return cudrv.Success
}

// run calls the test's kernel.
func (s *stream) run(c cmd) cudrv.Result {
	d := s.d
	if d.opts.Run == nil {
		return cudrv.LaunchFailed
	}
	s.now = Launch{Device: s.ctx.device, Kernel: c.launch.entry.Name, Cubin: c.launch.cubin,
		Grid: c.grid, Block: c.block, Shared: c.shared, Cluster: c.cluster, Cooperative: c.coop, Stream: s.id, Args: c.args, Bytes: c.bytes, driver: d}
	d.mu.Unlock()
	err := d.opts.Run(&s.now)
	d.mu.Lock()
	if err == nil {
		return cudrv.Success
	}
	var e *cudrv.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return cudrv.LaunchFailed
}

// drain waits for all streams of a context.
func (d *Driver) drain(ctx *context) {
	busy := func() bool {
		if ctx.null != nil && !ctx.null.idle() {
			return true
		}
		for _, s := range d.streams {
			if s.ctx == ctx && !s.idle() {
				return true
			}
		}
		return false
	}
	for busy() {
		d.changed.Wait()
	}
}

// await waits for a stream and gives what its context says. A stream that captures cannot be waited for.
func (d *Driver) await(c *Call, s *stream) error {
	if s.capture != nil {
		return c.fail(cudrv.StreamCaptureUnsupported)
	}
	for !s.idle() {
		d.changed.Wait()
	}
	return c.lost(s.ctx)
}

// beginStream is begin for a call that names a stream; 0 is the context's default stream.
func (d *Driver) beginStream(name string, id cudrv.Stream, args ...any) (*Call, *stream, error) {
	c, ctx, err := d.beginCtx(name, args...)
	if err != nil {
		return c, nil, err
	}
	s, code := d.stream(ctx, id)
	if code != cudrv.Success {
		return c, nil, c.fail(code)
	}
	return c, s, nil
}

func (d *Driver) stream(ctx *context, id cudrv.Stream) (*stream, cudrv.Result) {
	if id == 0 {
		if ctx.null == nil {
			ctx.null = d.newStream(ctx, 0)
		}
		return ctx.null, cudrv.Success
	}
	s := d.streams[id]
	if s == nil {
		return nil, cudrv.InvalidHandle
	}
	if s.ctx != ctx {
		return nil, cudrv.InvalidContext
	}
	return s, cudrv.Success
}

// StreamCreate implements [cudrv.Driver].
func (d *Driver) StreamCreate() (cudrv.Stream, error) {
	c, ctx, err := d.beginCtx("cuStreamCreate")
	defer d.mu.Unlock()
	if err != nil {
		return 0, err
	}
	id := cudrv.Stream(d.newHandle())
	d.streams[id] = d.newStream(ctx, id)
	c.Out = id
	return id, nil
}

// StreamDestroy implements [cudrv.Driver]: queued work is still done.
func (d *Driver) StreamDestroy(id cudrv.Stream) error {
	c, s, err := d.beginStream("cuStreamDestroy", id, id)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	if id == 0 {
		return c.fail(cudrv.InvalidHandle)
	}
	s.dead = true
	delete(d.streams, id)
	d.changed.Broadcast()
	return nil
}

// StreamSynchronize implements [cudrv.Driver].
func (d *Driver) StreamSynchronize(id cudrv.Stream) error {
	c, s, err := d.beginStream("cuStreamSynchronize", id, id)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	return d.await(c, s)
}

// StreamQuery implements [cudrv.Driver].
func (d *Driver) StreamQuery(id cudrv.Stream) (bool, error) {
	c, s, err := d.beginStream("cuStreamQuery", id, id)
	defer d.mu.Unlock()
	if err != nil {
		return false, err
	}
	if s.capture != nil {
		return false, c.fail(cudrv.StreamCaptureUnsupported)
	}
	return s.idle(), nil
}

// StreamWaitEvent implements [cudrv.Driver]. It waits for the last record so far; without one it does nothing.
func (d *Driver) StreamWaitEvent(id cudrv.Stream, ev cudrv.Event) error {
	c, s, err := d.beginStream("cuStreamWaitEvent", id, id, ev)
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	e := d.events[ev]
	if e == nil {
		return c.fail(cudrv.InvalidHandle)
	}
	if s.capture != nil || e.capture != nil {
		if code := s.waitCaptured(e); code != cudrv.Success {
			return c.fail(code)
		}
		return nil
	}
	s.push(cmd{kind: cmdWait, event: e, gen: e.recorded})
	return nil
}

package device

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/trace"
)

// Use says how work uses a memory.
type Use struct {
	Memory *Memory
	Writes bool
	keeps  bool // of work that writes: what was there before is a part of what is there then
}

// Launch queues a kernel after all work, on any stream, whose memory it uses. It does not allocate as long as the
// memories stay with one stream.
func (s *Stream) Launch(k engine.Kernel, grid [3]uint32, args []uint64, uses []Use) error {
	return s.LaunchChecked(k, grid, args, uses, nil)
}

// LaunchChecked is Launch of a kernel that is watched as w says, where the engine can: nil for not at all.
func (s *Stream) LaunchChecked(k engine.Kernel, grid [3]uint32, args []uint64, uses []Use, w *engine.Watch) error {
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	if s.capture != nil {
		return s.capture.add(s.capture.branchOf(s), work{kernel: k, grid: grid, args: slices.Clone(args), watch: w}, uses)
	}
	if err := s.begin(uses); err != nil {
		return err
	}
	from := s.traceBegin()
	if err := s.launch(k, grid, args, w); err != nil {
		traceNone(from)
		return err
	}
	if from != nil {
		s.traceEnd(from, trace.Kernel, s.dev.kernelName(k), map[string]any{"grid": grid})
	}
	s.noteAll(uses)
	s.dev.counts.launches.Add(1)
	return nil
}

func (s *Stream) launch(k engine.Kernel, grid [3]uint32, args []uint64, w *engine.Watch) error {
	if p := s.dev.profiler; p != nil {
		defer p.Range("launch " + s.dev.kernelName(k))()
	}
	return launch(s.eng, k, grid, args, w)
}

func launch(on engine.Stream, k engine.Kernel, grid [3]uint32, args []uint64, w *engine.Watch) error {
	if w != nil {
		if c, ok := on.(engine.Checking); ok {
			return c.LaunchChecked(k, grid, args, w)
		}
	}
	return on.Launch(k, grid, args)
}

// LaunchSIMT queues a kernel of the SIMT level, in the same order. Its buffers are those of uses.
func (s *Stream) LaunchSIMT(k engine.Kernel, l engine.SIMTLaunch, uses []Use) error {
	eng, ok := s.eng.(engine.SIMTStream)
	if !ok {
		return fmt.Errorf("device %s does not run kernels of package cute", s.dev.eng.Name())
	}
	s.dev.mu.Lock()
	defer s.dev.mu.Unlock()
	l.Buffers = nil
	for i := range uses {
		l.Buffers = append(l.Buffers, uses[i].Memory.buf)
	}
	if s.capture != nil {
		l.Args, l.Bytes = slices.Clone(l.Args), engine.CloneBytes(l.Bytes)
		return s.capture.add(s.capture.branchOf(s), work{kernel: k, simt: &l}, uses)
	}
	if err := s.begin(uses); err != nil {
		return err
	}
	from := s.traceBegin()
	if err := s.launchSIMT(eng, k, l); err != nil {
		traceNone(from)
		return err
	}
	if from != nil {
		s.traceEnd(from, trace.Kernel, s.dev.kernelName(k), map[string]any{"grid": l.Grid})
	}
	s.noteAll(uses)
	s.dev.counts.launches.Add(1)
	return nil
}

func (s *Stream) launchSIMT(eng engine.SIMTStream, k engine.Kernel, l engine.SIMTLaunch) error {
	if p := s.dev.profiler; p != nil {
		defer p.Range("launch " + s.dev.kernelName(k))()
	}
	return eng.LaunchSIMT(k, l)
}

// begin makes the stream wait for the work that the next work conflicts with. dev.mu is held.
func (s *Stream) begin(uses []Use) error {
	if s.refuses() {
		return ErrClosed
	}
	for i := range uses {
		if err := usable(&uses[i]); err != nil {
			return err
		}
		if err := s.after(uses[i].Memory.memory, uses[i].Writes); err != nil {
			return err
		}
	}
	return nil
}

// noteAll records the uses of work that was queued. dev.mu is held.
func (s *Stream) noteAll(uses []Use) {
	for _, c := range s.dev.captures {
		c.others = true
	}
	for i := range uses {
		if uses[i].Writes {
			uses[i].Memory.besideCaptures()
		}
	}
	s.noteReplay(uses)
}

// noteReplay is noteAll for a graph, which other goroutines may replay while a stream captures. dev.mu is held.
func (s *Stream) noteReplay(uses []Use) {
	s.queued++
	s.gather(uses)
	s.follows()
	for i := range uses {
		uses[i].Memory.note(s, uses[i].Writes)
		if uses[i].Writes {
			s.gives(uses[i].Memory.memory)
		}
	}
}

// after makes work queued from now on wait for the work of other streams on a memory that it conflicts with: the last
// write, and for a write the reads since then. It refuses writes to frozen memory. dev.mu is held.
func (s *Stream) after(m *memory, writes bool) error {
	if writes && m.frozen.Load() {
		return ErrFrozen
	}
	if m.used {
		return errUsed
	}
	s.look()
	if err := s.afterPoint(m.written); err != nil || !writes {
		return err
	}
	for _, read := range m.read {
		if err := s.afterPoint(read); err != nil {
			return err
		}
	}
	return nil
}

func (s *Stream) afterPoint(p point) error {
	if p.passed() || p.stream == s {
		return nil
	}
	at := slices.IndexFunc(s.seen, func(q point) bool { return q.stream == p.stream })
	if at >= 0 && s.seen[at].number >= p.number {
		return nil
	}
	if err := p.stream.lead(s); err != nil {
		return err
	}
	s.saw(point{stream: p.stream, number: p.stream.queued})
	return nil
}

// lead makes another stream wait for everything queued on s.
func (s *Stream) lead(other *Stream) error {
	switch {
	case s.closing && s.end == nil:
		return fmt.Errorf("a stream that is being closed works on the same memory, and cannot be waited for: %w", s.endErr)
	case s.closing:
		return other.eng.WaitEvent(s.end)
	}
	e, err := s.eng.Record()
	if err != nil {
		return err
	}
	if err := other.eng.WaitEvent(e); err != nil {
		return err
	}
	return e.Close()
}

// saw notes that a point of another stream comes before what is queued from now on. Streams that have ended are
// forgotten.
func (s *Stream) saw(p point) {
	s.seen = slices.DeleteFunc(s.seen, func(q point) bool { return q.stream.ended.Load() })
	for i := range s.seen {
		if s.seen[i].stream == p.stream {
			s.seen[i].number = max(s.seen[i].number, p.number)
			return
		}
	}
	s.seen = append(s.seen, p)
}

// Occupancy says what a kernel takes of the device.
func (d *Device) Occupancy(k engine.Kernel, l engine.SIMTLaunch) (engine.Occupancy, error) {
	o, ok := d.eng.(engine.Occupier)
	if !ok {
		return engine.Occupancy{}, fmt.Errorf("the device does not tell what kernels take of it: %w", errors.ErrUnsupported)
	}
	return o.Occupancy(k, l)
}

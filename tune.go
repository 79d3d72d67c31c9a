package cutile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/cutile-go/cutile/device"
	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/tilec/cost"
	"github.com/cutile-go/cutile/internal/tools/override"
	"github.com/cutile-go/cutile/internal/tuning"
)

// Search says what [Tune] chooses from. C is a configuration: a number, or a struct of whatever the launch depends on, such as extents, the number
// of blocks or the choice of a kernel. Its JSON stands for it in records, so that fields have to be exported.
type Search[C any] struct {
	// Space lists the configurations. The first is the default: it has to work, and the results of the others are compared with its.
	Space []C

	// Launch gives the launch of a configuration, often of one kernel with other extents ([Sized]) or on another grid ([Device.Grid]).
	// All use the same device.
	Launch func(c C) Work

	// Outputs are the tensors that the work writes, one at least, which have to be contiguous. Before the first launch of a configuration they are filled
	// with bytes of ones (NaN, or -1), so that a kernel that writes too little is noticed.
	Outputs []Output

	// Reset, where not nil, does that instead: for work that reads what it writes, such as sums that go on.
	Reset func(ctx context.Context) error

	// Tolerance bounds the difference of floats from those of the default: to that part of their magnitude, and a hundredth of it times the
	// greatest finite magnitude in the output, for sums that cancel. 0 means the square root of the type's relative precision, 3e-4 for
	// float32. Integers have to be equal.
	Tolerance float64

	// Budget bounds the time after which no other configuration is tried, with compilations; 0 for no bound. The default, and the last
	// comparison of the fastest, take their time in any case.
	Budget time.Duration

	// Timeout bounds the time that a configuration may take until it has run once, with its compilation; 0 means a minute.
	Timeout time.Duration

	// Records, where not nil, keep what was found and what was tried in vain. A search that was interrupted goes on from there. One
	// that has ended is not made again, unless the Budget is 0 and Space has other configurations.
	Records *Records
}

// Output is a tensor of any element type.
type Output interface {
	Shape() []int
	IsContiguous() bool
	Err() error
	Untyped() *core.Tensor
}

// Work is a launch: what [Launch] takes. Or else it is whatever Run queues on the stream On, such as functions of package cute or several launches.
type Work struct {
	On     Target
	Kernel any
	Args   []any

	// Run queues the work, where Kernel is nil. It may compile when it is called first.
	Run func() error
	// Name names what Run does in records. Give it another one when that changes, as records do not notice by themselves.
	Name string
}

// Tuned is what a search has found.
type Tuned[C any] struct {
	Best   C
	Time   time.Duration // of a launch of it, on the device
	Trials []Trial[C]    // in the order in which they were made
}

// Trial is what a search knows of a configuration.
type Trial[C any] struct {
	Config C
	Time   time.Duration // of a launch, the least that was measured; 0 if it was not
	Err    error         // why it is none to choose: it does not compile or run, takes too long, or has other results
}

// Records are results of searches, by the model of the device, the default's Tile IR ([Prepared.Key]) and the shapes and strides of the arguments.
// Their methods may be called from several goroutines.
type Records struct{ records *tuning.Records }

// OpenRecords opens a file of records, in JSON. There may be no such file yet: searches write it, after each trial. Several processes may use it at
// once.
func OpenRecords(name string) (*Records, error) {
	r, err := tuning.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cutile: records: %w", err)
	}
	return &Records{r}, nil
}

// ReadRecords reads records that ship with a program, as embedded files. What searches add to them is forgotten with the process.
func ReadRecords(files fs.FS, name string) (*Records, error) {
	if files == nil {
		return nil, errors.New("cutile: records: the file system is nil")
	}
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, fmt.Errorf("cutile: records: %w", err)
	}
	r, err := tuning.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("cutile: records: %s: %w", name, err)
	}
	return &Records{r}, nil
}

// Tune chooses the fastest configuration for a launch, by trying those that a model of its memory accesses and operations prefers first. A
// configuration that does not compile or run, does not end, or has other results than the default is none to choose. The fastest are measured
// again in turn with the default, so that what is chosen is as fast as the default in the same run.
//
// A configuration that ends the process, as a crash of a driver may do, is remembered in Records, and passed over when the program runs again.
// On a GPU, a kernel that does not end makes the device useless: the error then says so, and the search goes on with another process.
func Tune[C any](ctx context.Context, s Search[C]) (*Tuned[C], error) {
	t, err := newTuner(ctx, &s)
	if err != nil {
		return nil, err
	}
	record, err := t.Run(ctx)
	found := &Tuned[C]{}
	for _, x := range record.Trials {
		trial := Trial[C]{Time: x.Time}
		if x.Error != "" {
			trial.Err = errors.New(x.Error)
		}
		if json.Unmarshal(x.Config, &trial.Config) == nil && !x.Tries {
			found.Trials = append(found.Trials, trial)
		}
		if err == nil && string(x.Config) == string(record.Best) {
			found.Best, found.Time = trial.Config, x.Time
		}
	}
	if err != nil {
		return found, fmt.Errorf("cutile: tuning %s: %w", t.Key.Kernel, err)
	}
	return found, nil
}

// Recall gives the configuration that Records have for a search, and the default where they have none. Nothing runs; the default is
// compiled to Tile IR.
func Recall[C any](ctx context.Context, s Search[C]) (C, error) {
	t, err := newTuner(ctx, &s)
	if err != nil {
		var none C
		return none, err
	}
	r, err := t.Records.Get(t.Key)
	if err != nil {
		return s.Space[0], fmt.Errorf("cutile: records: %w", err)
	}
	for i, c := range t.Candidates {
		if string(c.Config) == string(r.Best) {
			return s.Space[i], nil
		}
	}
	return s.Space[0], nil
}

// defaultTimeout is the default of Search.Timeout.
const defaultTimeout = time.Minute

// newTuner makes a search of package tuning.
func newTuner[C any](ctx context.Context, s *Search[C]) (*tuning.Search, error) {
	if err := device.CheckContext(ctx); err != nil {
		return nil, err
	}
	switch {
	case len(s.Space) == 0:
		return nil, errors.New("cutile: Tune needs a configuration in Space: the default")
	case s.Launch == nil:
		return nil, errors.New("cutile: Tune needs Launch, which gives the launch of a configuration")
	case len(s.Outputs) == 0:
		return nil, errors.New("cutile: Tune needs Outputs, the tensors that the work writes: without them nobody would notice wrong results")
	case s.Tolerance < 0 || s.Budget < 0 || s.Timeout < 0:
		return nil, errors.New("cutile: Tolerance, Budget and Timeout of a search cannot be negative")
	}
	t := &tuning.Search{Budget: s.Budget, Timeout: s.Timeout, Reset: s.Reset}
	if t.Timeout == 0 {
		t.Timeout = defaultTimeout
	}
	if s.Records != nil {
		t.Records = s.Records.records
	}
	w := s.Launch(s.Space[0])
	stream, _ := device.Place(w.On)
	if stream == nil {
		return nil, fmt.Errorf("cutile: the default's work is on a nil device or stream: %w", ErrMismatch)
	}
	dev := stream.Internal().Device()
	var err error
	if t.Key, err = w.key(ctx, dev, s.Outputs); err != nil {
		return nil, err
	}
	if err := results(t, s.Outputs, s.Tolerance, dev); err != nil {
		return nil, err
	}
	t.Time = func(ctx context.Context, launch func() error, n int) (time.Duration, error) {
		return timed(ctx, stream, launch, n)
	}
	t.Stop = func() error {
		if !stream.Internal().Stops() {
			return errors.New("the device cannot stop it")
		}
		stream.Internal().Finish() // whose error is that of the launch
		return nil
	}
	for i, c := range s.Space {
		config, err := json.Marshal(c)
		if err != nil {
			return nil, fmt.Errorf("cutile: configuration #%d cannot be recorded: %w", i, err)
		}
		for k := range i {
			if string(t.Candidates[k].Config) == string(config) {
				return nil, fmt.Errorf("cutile: configurations #%d and #%d are the same in JSON, %s: fields that matter have to be exported", k, i, config)
			}
		}
		t.Candidates = append(t.Candidates, tuning.Candidate{
			Config:   config,
			Estimate: func(ctx context.Context) float64 { return s.Launch(c).estimate(ctx) },
			Prepare:  func(ctx context.Context) (func() error, error) { return s.Launch(c).prepare(ctx, stream) },
		})
	}
	return t, nil
}

// results sets what fills, reads and compares the outputs.
func results(t *tuning.Search, outputs []Output, tolerance float64, dev *core.Device) error {
	var shapes []tuning.Output
	var tensors []*core.Tensor
	for i, o := range outputs {
		if o == nil || o.Err() != nil || o.Untyped().Memory == nil {
			return fmt.Errorf("cutile: output #%d of a search is no tensor with memory", i)
		}
		x := o.Untyped()
		if x.Memory.Device() != dev || !o.IsContiguous() {
			return fmt.Errorf("cutile: output #%d of a search has to be contiguous, and on the device of the launches", i)
		}
		shapes, tensors = append(shapes, tuning.Output{Elem: x.Elem, Shape: o.Shape()}), append(tensors, x)
	}
	if t.Reset == nil {
		t.Reset = func(context.Context) error { return fillOutputs(tensors) }
	}
	t.Result = func(ctx context.Context) ([][]byte, error) { return readOutputs(ctx, tensors) }
	t.Same = func(got, want [][]byte) error { return tuning.Same(shapes, tolerance, got, want) }
	return nil
}

// place is where the elements of a contiguous tensor are in its memory.
func place(x *core.Tensor) (offset, size int64) {
	size = int64(x.Elem.Size())
	for _, n := range x.View.Shape {
		size *= int64(n)
	}
	return int64(x.View.Offset) * int64(x.Elem.Size()), size
}

func fillOutputs(tensors []*core.Tensor) error {
	for _, x := range tensors {
		offset, size := place(x)
		ones := make([]byte, size)
		for i := range ones {
			ones[i] = 0xff
		}
		if err := x.Memory.Write(ones, offset); err != nil {
			return err
		}
	}
	return nil
}

func readOutputs(ctx context.Context, tensors []*core.Tensor) (all [][]byte, err error) {
	for _, x := range tensors {
		offset, size := place(x)
		data := make([]byte, size)
		if err := x.Memory.Read(ctx, data, offset); err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

// timed is the time that a device takes for n launches.
func timed(ctx context.Context, on *Stream, launch func() error, n int) (time.Duration, error) {
	start, err := on.Record()
	if err != nil {
		return 0, err
	}
	defer start.Close()
	for range n {
		if err := launch(); err != nil {
			return 0, err
		}
	}
	end, err := on.Record()
	if err != nil {
		return 0, err
	}
	defer end.Close()
	if err := on.Sync(ctx); err != nil {
		return 0, err
	}
	return end.Elapsed(start)
}

// prepare makes everything ready for launches on a stream.
func (w Work) prepare(ctx context.Context, on *Stream) (func() error, error) {
	if stream, _ := device.Place(w.On); stream == nil || stream.Internal() != on.Internal() {
		return nil, errors.New("it is on another stream than the default")
	}
	if w.Kernel == nil && w.Run != nil {
		return w.Run, nil
	}
	p, err := Prepare(ctx, w.On, w.Kernel, w.Args...)
	if err != nil {
		return nil, err
	}
	return func() error { return p.Launch(context.Background()) }, nil
}

// plan binds the work's arguments, and compiles its kernel to Tile IR.
func (w Work) plan(ctx context.Context) (*plan, error) {
	p, err := newPlan(w.On, w.Kernel)
	if err != nil {
		return nil, err
	}
	_, err = p.toTileIR(ctx, w.Args)
	return p, err
}

// key is what the work is in records.
func (w Work) key(ctx context.Context, dev *core.Device, outputs []Output) (k tuning.Key, err error) {
	k.Device = dev.Engine().Target() + ", " + dev.Engine().Description()
	if w.Kernel == nil && w.Run != nil {
		if k.Kernel = w.Name; w.Name == "" {
			return k, errors.New("cutile: work with Run needs a Name, by which records know it")
		}
		var shapes []string
		for _, o := range outputs {
			if o != nil && o.Err() == nil {
				shapes = append(shapes, fmt.Sprintf("%v%v", o.Untyped().Elem, o.Shape()))
			}
		}
		k.Arguments = "outputs " + strings.Join(shapes, ", ")
		return k, nil
	}
	p, err := w.plan(ctx)
	if err != nil {
		return k, err
	}
	k.Kernel = p.kernel.Name()
	k.Arguments = fmt.Sprintf("(%s) on a grid of %v", strings.Join(p.call.Describe(), ", "), p.grid)
	k.Code, err = override.Key(p.base.Module)
	return k, err
}

// estimate is how long the work may take: the greater one of the time for its bytes and that for its operations, in bytes. It is only compared
// with that of other work on the device. Work of which nothing is known comes last.
func (w Work) estimate(ctx context.Context) float64 {
	const unknown = 1e300
	if w.Kernel == nil {
		return unknown
	}
	p, err := w.plan(ctx)
	if err != nil {
		return unknown // which the trial says
	}
	bits, _, wrong := p.call.Pack(p.base.Writes)
	if wrong != nil {
		return unknown
	}
	report, err := cost.Count(p.base.Module.Entries[0], cost.Signed(bits), p.grid)
	if err != nil {
		return unknown
	}
	return report.Estimate()
}

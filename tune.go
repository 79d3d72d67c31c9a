package cutile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/cutile-go/cutile/device"
	core "github.com/cutile-go/cutile/internal/device"
	"github.com/cutile-go/cutile/internal/tuning"
)

// Search says what [Tune] chooses from. C is a configuration: a number, or a struct of whatever the launch depends on, such as extents, the number
// of blocks or the choice of a kernel. Its JSON stands for it in records, so that fields have to be exported.
type Search[C any] struct {
	// Space lists the configurations. The first is the default: it has to work, and the results of the others are compared with its.
	Space []C

	// Launch gives the launch of a configuration, often of one kernel with other extents ([Sized]) or on another grid ([Device.Grid]).
	// All use the same device. Where it panics for a configuration, or Run of its work does, that is the configuration's error.
	Launch func(c C) Work

	// Outputs are the tensors that the work writes, one at least, which have to be contiguous. Before the first launch of a configuration they are filled
	// with bytes of ones (NaN, or -1), so that a kernel that writes too little is noticed. The default has to write every element of them:
	// where it leaves some as they were, the search ends with an error. Work that writes parts of a tensor needs Reset.
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

	// Timeout bounds the time that a configuration may take until it has run once, with its compilation, and later each round of launches
	// that are measured together; 0 means a minute. Where NVIDIA's assembler takes longer or hangs, it is stopped, and the search goes on with the next
	// configuration. The bound is that of the default as well, without which there is no search: that is an error. It does not end functions of
	// the program, such as Run and Reset, that do not return.
	Timeout time.Duration

	// Records, where not nil, keep what was found and what was tried in vain. A search that was interrupted goes on from there. One
	// that has ended is not made again, unless the Budget is 0 and Space has other configurations, or a configuration stands for something else
	// than was tried: other code, also by CUTILE_OVERRIDE, other arguments, Outputs or Tolerance. A search that goes on measures again what
	// it may choose: records say which configurations to look at, and that those with an error are none.
	Records *Records
}

// Output is a tensor of any element type.
type Output interface {
	Shape() []int
	IsContiguous() bool
	Err() error
	Untyped() *core.Tensor
}

// Tuned is what a search has found.
type Tuned[C any] struct {
	Best   C             // the default if the search ended with an error
	Time   time.Duration // of a launch of it, on the device
	Trials []Trial[C]    // in the order in which they were made
}

// Trial is what a search knows of a configuration.
type Trial[C any] struct {
	Config C
	Time   time.Duration // of a launch, the least that was measured; 0 if it was not
	Err    error         // why it is none to choose: it does not compile or run, takes too long, or has other results
}

// Records are results of searches, by the model of the device, what makes its code ([WithAssembler]), the default's Tile IR ([Prepared.Key]) and the
// shapes and strides of the arguments. The version of the driver does not matter. Records of files of the first version do not say what was
// tried: they are not used, which the logger of the device is told. Their methods may be called from several goroutines.
type Records struct{ records *tuning.Records }

// OpenRecords opens a file of records, in JSON. There may be no such file yet: searches write it, after each trial. Several processes may use it at
// once. A symlink stays: searches write the file that it leads to. A file that no search writes, with a time below 0 or a best configuration without a time, is an error that names the record and the trial.
func OpenRecords(name string) (*Records, error) {
	r, err := tuning.Open(name)
	if err != nil {
		return nil, fmt.Errorf("cutile: records: %w", err)
	}
	return &Records{r}, nil
}

// ReadRecords reads records that ship with a program, as embedded files. An empty file and {} have none, so that a program can embed its file before
// the first search. What searches add to the records is forgotten with the process.
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
// again in turn with the default, so that what is chosen is as fast as the default in the same run. With an error it gives the trials that were
// made, and the default as the best; nil where the search could not begin.
//
// A configuration that ends the process, as a crash of a driver may do, is remembered in Records. It is tried once more when the program runs again,
// as somebody may have killed that, and then passed over. When ctx ends, Records keep what they had of the configuration that ran.
// In shadow mode ([WithShadow]) Tune gives what Records have, and an error where it would have to measure.
// On a GPU, a kernel that does not end makes the device useless: the error then says so, and the search goes on with another process. One that ends
// within twice the Timeout does not.
func Tune[C any](ctx context.Context, s Search[C]) (*Tuned[C], error) {
	t, err := newTuner(ctx, &s)
	if err != nil {
		return nil, err
	}
	record, err := t.Run(ctx)
	found := &Tuned[C]{Best: s.Space[0]}
	for _, x := range record.Trials {
		trial := Trial[C]{Time: x.Time}
		if x.Error != "" {
			trial.Err = errors.New(x.Error)
		}
		if json.Unmarshal(x.Config, &trial.Config) == nil && x.Tries == 0 {
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

// Recall gives the configuration that Records have for a search, and the default where they have none, or where it stands for something else
// than was tried. Nothing runs; the default and that configuration are compiled to Tile IR.
func Recall[C any](ctx context.Context, s Search[C]) (C, error) {
	t, err := newTuner(ctx, &s)
	if err != nil {
		var none C
		return none, err
	}
	i, err := t.Recall(ctx)
	if err != nil {
		return s.Space[0], fmt.Errorf("cutile: records: %w", err)
	}
	return s.Space[i], nil
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
	case !(s.Tolerance >= 0) || math.IsInf(s.Tolerance, 0):
		return nil, fmt.Errorf("cutile: Tolerance of a search is %v: expected 0 for the default, or a positive number", s.Tolerance)
	case s.Budget < 0 || s.Timeout < 0:
		return nil, errors.New("cutile: Budget and Timeout of a search cannot be negative")
	}
	t := &tuning.Search{Budget: s.Budget, Timeout: s.Timeout, Reset: s.Reset}
	if t.Timeout == 0 {
		t.Timeout = defaultTimeout
	}
	if s.Records != nil {
		t.Records = s.Records.records
	}
	w, err := s.launch(s.Space[0])
	if err != nil {
		return nil, fmt.Errorf("cutile: tuning: the default: %w", err)
	}
	stream, _ := device.Place(w.On)
	if stream == nil {
		return nil, fmt.Errorf("cutile: the default's work is on a nil device or stream: %w", ErrMismatch)
	}
	dev := stream.Internal().Device()
	if t.Key, err = w.key(ctx, dev, s.Outputs); err != nil {
		return nil, err
	}
	if n := t.Records.Old(); n > 0 {
		dev.OldRecords(ctx, n)
	}
	outputs, err := outputsOf(s.Outputs, dev)
	if err != nil {
		return nil, err
	}
	if t.Reset == nil {
		t.Reset = func(context.Context) error { return outputs.Fill() }
		t.Default = outputs.Written
	}
	t.Result = outputs.Read
	t.Same = func(got, want [][]byte) error { return outputs.Same(s.Tolerance, got, want) }
	t.Time = func(ctx context.Context, launch func() error, n int) (time.Duration, error) {
		return tuning.Timed(ctx, stream, launch, n, nil)
	}
	t.Stop = func(ctx context.Context) error { return stopped(ctx, stream) }
	t.Refuse = func() error {
		if !dev.Shadowed() {
			return nil
		}
		return fmt.Errorf("%s compares its launches with the CPU (WithShadow), which would be most of what is measured: %s for a search; in shadow mode, use its records",
			dev.Name(), core.WithoutShadow)
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
		t.Candidates = append(t.Candidates, s.candidate(c, config, stream))
	}
	return t, nil
}

// candidate is a configuration for package tuning. Where Launch refuses it, the trial says so.
func (s *Search[C]) candidate(c C, config []byte, stream *Stream) tuning.Candidate {
	return tuning.Candidate{
		Config: config,
		Key: func(ctx context.Context) (string, error) {
			w, err := s.launch(c)
			if err != nil {
				return "", nil
			}
			return w.trialKey(ctx, s.Outputs, s.Tolerance)
		},
		Estimate: func(ctx context.Context) float64 {
			w, err := s.launch(c)
			if err != nil {
				return unknownEstimate
			}
			return w.estimate(ctx)
		},
		Prepare: func(ctx context.Context) (func() error, error) {
			w, err := s.launch(c)
			if err != nil {
				return nil, err
			}
			launch, err := w.prepare(ctx, stream)
			return func() error { return caught("Run", launch) }, err
		},
	}
}

// stopped ends the work of a stream that was given up, or waits for it where the device cannot end it.
func stopped(ctx context.Context, stream *Stream) error {
	if stream.Internal().Stops() {
		stream.Internal().Finish() // whose error is that of the launch
		return nil
	}
	if err := stream.Sync(ctx); err != nil && ctx.Err() != nil {
		return errors.New("the device cannot stop it")
	}
	return nil // errors of the work are found by the next launch
}

// launch is the launch of a configuration, with a panic as an error.
func (s *Search[C]) launch(c C) (w Work, err error) {
	err = caught("Launch", func() error { w = s.Launch(c); return nil })
	return w, err
}

// caught calls a function of the program, and gives a panic as an error that says where it was.
func caught(name string, f func() error) (err error) {
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("%s panicked%s: %v", name, panickedAt(), why)
		}
	}()
	return f()
}

// panickedAt gives, in a deferred function, the place of the panic: the first function that called neither the runtime's panic nor is of it.
func panickedAt() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for panics := false; ; {
		f, more := frames.Next()
		of := strings.HasPrefix(f.Function, "runtime.")
		if panics && !of {
			return fmt.Sprintf(" at %s:%d", filepath.Base(f.File), f.Line)
		}
		if panics = panics || of; !more {
			return ""
		}
	}
}

// outputsOf are the outputs of a search on a device.
func outputsOf(outputs []Output, dev *core.Device) (*tuning.Outputs, error) {
	var tensors []*core.Tensor
	for _, o := range outputs {
		var t *core.Tensor
		if o != nil && o.Err() == nil {
			t = o.Untyped()
		}
		tensors = append(tensors, t)
	}
	all, err := tuning.NewOutputs(tensors, dev, "a search")
	if err != nil {
		return nil, fmt.Errorf("cutile: %w", err)
	}
	return all, nil
}

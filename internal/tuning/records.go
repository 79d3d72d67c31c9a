package tuning

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/cutile-go/cutile/internal/tools/store"
)

// Key is what a search is for. What was found for one says nothing about another.
type Key struct {
	Device    string `json:"device"`              // the model
	Assembler string `json:"assembler,omitempty"` // what makes code of Tile IR for the device, where there are several
	Kernel    string `json:"kernel"`              // the default's name
	Code      string `json:"code"`                // the key of its Tile IR, which changes with the source
	Arguments string `json:"arguments"`           // their types, shapes and strides, and the grid
}

// Record is what a search has found.
type Record struct {
	Key
	Best   json.RawMessage `json:"best,omitempty"` // the configuration; none until the search has ended
	Trials []Trial         `json:"trials"`         // in the order in which they were made
}

// Trial is what is known of a configuration.
type Trial struct {
	Config json.RawMessage `json:"config"`
	Key    string          `json:"key,omitempty"`   // of what was tried: a trial of something else says nothing about the configuration
	Time   time.Duration   `json:"ns,omitempty"`    // of a launch, the least that was measured
	Error  string          `json:"error,omitempty"` // why it is none to choose
	Tries  int             `json:"tries,omitempty"` // it is being tried that often, or was when its process ended
}

// find gives the trial of a configuration, nil if there is none.
func (r *Record) find(config json.RawMessage) *Trial {
	i := slices.IndexFunc(r.Trials, func(t Trial) bool { return bytes.Equal(t.Config, config) })
	if i < 0 {
		return nil
	}
	return &r.Trials[i]
}

// put sets the trial of a configuration. One without a time is none to choose.
func (r *Record) put(t Trial) {
	if t.Time == 0 && bytes.Equal(r.Best, t.Config) {
		r.Best = nil
	}
	if old := r.find(t.Config); old != nil {
		*old = t
		return
	}
	r.Trials = append(r.Trials, t)
}

// drop removes the trial of a configuration, and with it a choice of it.
func (r *Record) drop(config json.RawMessage) {
	r.Trials = slices.DeleteFunc(r.Trials, func(t Trial) bool { return bytes.Equal(t.Config, config) })
	if bytes.Equal(r.Best, config) {
		r.Best = nil
	}
}

// check finds what no search writes, as in a file that people or other programs have changed. A time that is possible may still be wrong: searches
// that go on measure it again, before they choose by it.
func (r *Record) check() error {
	for k, x := range r.Trials {
		where := fmt.Sprintf("trial #%d (of %s)", k, x.Config)
		says := 0
		for _, is := range []bool{x.Time != 0, x.Error != "", x.Tries != 0} {
			if is {
				says++
			}
		}
		switch {
		case len(x.Config) == 0 || string(x.Config) == "null":
			return fmt.Errorf("trial #%d has no config", k)
		case r.find(x.Config) != &r.Trials[k]:
			return fmt.Errorf("%s is there twice", where)
		case x.Time < 0:
			return fmt.Errorf("%s has %d ns: a time is 1 ns or more", where, int64(x.Time))
		case x.Tries < 0:
			return fmt.Errorf("%s has %d tries: it is tried once or more", where, x.Tries)
		case says != 1:
			return fmt.Errorf("%s has %d of ns, error and tries, where one is expected", where, says)
		}
	}
	if string(r.Best) == "null" {
		r.Best = nil
	}
	if r.Best == nil {
		return nil
	}
	switch x := r.find(r.Best); {
	case x == nil:
		return fmt.Errorf("best is %s, of which there is no trial", r.Best)
	case x.Time == 0:
		return fmt.Errorf("best is %s, whose trial has no ns", r.Best)
	}
	return nil
}

// Records are the records of searches, of which a file may have a copy.
type Records struct {
	mu   sync.Mutex
	file string // "" for none
	list []Record
	old  int // records of the first version, which are not used
}

// recordsVersion is the version of the files. Trials of the first version do not say what was tried, and devices have the version of their driver.
const recordsVersion = 2

type recordsFile struct {
	Version int      `json:"version"`
	Records []Record `json:"records"`
}

// Old gives, once, how many records of the first version there are, which are not used.
func (r *Records) Old() (n int) {
	if r == nil {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	n, r.old = r.old, 0
	return n
}

// parseOld reads a file of the first version, of which nothing can be used.
func parseOld(data []byte) (*Records, error) {
	var f struct {
		Records []struct {
			Key
			Trials []struct {
				Config json.RawMessage `json:"config"`
			} `json:"trials"`
		} `json:"records"`
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	return &Records{old: len(f.Records)}, nil
}

// Parse reads the content of a file. An empty file and an empty object have no records.
func Parse(data []byte) (*Records, error) {
	if text := string(compact(bytes.TrimSpace(data))); text == "" || text == "{}" {
		return &Records{}, nil // a program that embeds its records starts with one of these
	}
	var f recordsFile
	var of struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &of); err != nil {
		return nil, err
	}
	if of.Version == 1 {
		return parseOld(data)
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, err
	}
	if f.Version != recordsVersion {
		return nil, fmt.Errorf("records of version %d: this program reads version %d", f.Version, recordsVersion)
	}
	for i := range f.Records {
		r := &f.Records[i]
		r.Best = compact(r.Best)
		for k := range r.Trials {
			r.Trials[k].Config = compact(r.Trials[k].Config)
		}
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("record #%d (of %s%s): %w: correct or delete the record, and search again", i, r.Kernel, r.Arguments, err)
		}
		if k := slices.IndexFunc(f.Records[:i], func(x Record) bool { return x.Key == r.Key }); k >= 0 {
			return nil, fmt.Errorf("records #%d and #%d are both of %s%s: delete one of them", k, i, r.Kernel, r.Arguments)
		}
	}
	return &Records{list: f.Records}, nil
}

// compact drops the spaces of a file that people read, so that configurations can be compared.
func compact(config json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, config) != nil {
		return config
	}
	return b.Bytes()
}

// Open gives the records of a file, which searches add to. There may be no such file yet.
func Open(file string) (*Records, error) {
	if file == "" {
		return nil, errors.New("the file has no name")
	}
	r, err := read(file)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Dir(file)); err != nil { // a search would find out when it has measured something
		return nil, fmt.Errorf("%s cannot be made: %w", file, err)
	}
	r.file = file
	return r, nil
}

func read(file string) (*Records, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return &Records{}, nil
	}
	if err != nil {
		return nil, err
	}
	r, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// Get gives the record of a search, as the file has it now; one without trials if there is none.
func (r *Records) Get(k Key) (Record, error) {
	if r == nil {
		return Record{Key: k}, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file != "" {
		now, err := read(r.file)
		if err != nil {
			return Record{}, err
		}
		r.list = now.list
	}
	if i := r.index(k); i >= 0 {
		found := r.list[i]
		found.Trials = slices.Clone(found.Trials)
		return found, nil
	}
	return Record{Key: k}, nil
}

func (r *Records) index(k Key) int {
	return slices.IndexFunc(r.list, func(x Record) bool { return x.Key == k })
}

// lockWait is how long a process waits for another one that writes the same file.
const lockWait = time.Minute

// set keeps a record, and writes the file, with what other processes have found meanwhile.
func (r *Records) set(ctx context.Context, x Record) error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	x.Trials = slices.Clone(x.Trials)
	if r.file == "" {
		r.replace(x)
		return nil
	}
	file, err := store.Followed(r.file) // which has one lock, by whatever links it is found
	if err != nil {
		return err
	}
	l := flock.New(file + ".lock")
	if err := lock(ctx, l); err != nil {
		return fmt.Errorf("%s: waiting for another writer: %w", r.file, err)
	}
	defer l.Unlock()
	now, err := read(r.file)
	if err != nil {
		return err
	}
	r.list = now.list
	r.replace(x)
	text, err := json.MarshalIndent(recordsFile{recordsVersion, r.list}, "", "\t")
	if err != nil {
		return err
	}
	return store.WriteFile(file, append(text, '\n'))
}

// lock takes a lock, for which it waits until ctx ends. One that is free is taken even then.
func lock(ctx context.Context, l *flock.Flock) error {
	if ok, err := l.TryLock(); ok || err != nil {
		return err
	}
	wait, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	_, err := l.TryLockContext(wait, 5*time.Millisecond)
	return err
}

func (r *Records) replace(x Record) {
	if i := r.index(x.Key); i >= 0 {
		r.list[i] = x
		return
	}
	r.list = append(r.list, x)
}

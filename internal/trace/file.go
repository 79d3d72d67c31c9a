package trace

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gofrs/flock"
)

// Create makes the file of a process's trace: of the name, or one of its own beside it while another process writes there, or in it where the name is
// that of a folder. The name is free for other processes when the process has ended.
func Create(name string) (*os.File, error) {
	if st, err := os.Stat(name); err == nil && st.IsDir() {
		return os.CreateTemp(name, "trace-*.json")
	}
	whole, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	// The lock is not the file itself, which others could not read then on Windows, and not beside it, where it would stay.
	l := flock.New(filepath.Join(os.TempDir(), fmt.Sprintf("cutile-trace-%x.lock", sha256.Sum256([]byte(whole)))))
	free, err := l.TryLock()
	if !free && !errors.Is(err, errors.ErrUnsupported) {
		ext := filepath.Ext(whole)
		return os.CreateTemp(filepath.Dir(whole), strings.TrimSuffix(filepath.Base(whole), ext)+"-*"+ext)
	}
	f, err := os.Create(name)
	if err != nil {
		l.Unlock()
		return nil, err
	}
	locks.Lock()
	defer locks.Unlock()
	locks.held = append(locks.held, l)
	return f, nil
}

// locks keeps the locks, which end with the process, from the garbage collector.
var locks struct {
	sync.Mutex
	held []*flock.Flock
}

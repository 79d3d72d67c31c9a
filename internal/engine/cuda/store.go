package cuda

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/tools/store"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
)

// Kept keeps the results of tileiras, cubins or refusals, in a folder for all processes of the machine. The key is
// the bytecode, which is decided by the kernel's sources, its specialisation and the bytecode's version, the target, and
// the tool with its version and options.
type Kept struct {
	Tileiras *Tileiras
	Store    *store.Store
}

// CacheSizeEnv bounds what is kept on disk of both levels: a number of MiB, or with its unit, as 4GiB; 0 keeps nothing.
const CacheSizeEnv = "CUTILE_CACHE_SIZE"

const defaultCacheSize = 2048

// stores holds the stores that the process has used.
var stores sync.Map // of storeKey to *store.Store

type storeKey struct {
	level level
	dir   string
	size  int64
}

// level tells the counts of the two levels apart, which share a folder.
type level int

const (
	tileLevel level = iota
	simtLevel
)

// codeStore is the store of code for all processes of the machine; nil if nothing is to be kept.
func codeStore(l level) (*store.Store, error) {
	size := int64(defaultCacheSize)
	if text := os.Getenv(CacheSizeEnv); text != "" {
		n, err := strconv.ParseInt(text, 10, 40)
		if err != nil && strings.HasSuffix(text, "iB") {
			n, err = limit.Bytes(text)
			n = (n + 1<<20 - 1) >> 20
		}
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%s=%q: want a number of MiB, or one such as 4GiB; 0 to keep no code", CacheSizeEnv, text)
		}
		size = n
	}
	dir, err := toolchain.CacheDir()
	if err != nil || size == 0 {
		return nil, nil // without a cache folder everything works, more slowly
	}
	s, _ := stores.LoadOrStore(storeKey{l, dir, size}, store.New(filepath.Join(dir, "cubins"), size<<20))
	return s.(*store.Store), nil
}

// CacheStats counts what the process found in the folder of cubins and what it assembled.
func CacheStats() store.Stats {
	if s, err := codeStore(tileLevel); s != nil && err == nil {
		return s.Stats()
	}
	return store.Stats{}
}

// Versions implements [Assembler].
func (k *Kept) Versions(ctx context.Context) ([]tileir.Version, error) {
	return k.Tileiras.Versions(ctx)
}

// outcome is what is kept of an assembly.
type outcome struct {
	Cubin  []byte `json:",omitempty"`
	Reason string `json:",omitempty"`
	Advice string `json:",omitempty"`
	Output string `json:",omitempty"`
}

// key names what is kept of an assembly.
func (k *Kept) key(info toolchain.Info, job Job) store.Key {
	return store.KeyOf([]byte("tileiras "+info.Version), []byte(strings.Join(k.Tileiras.Options, "\x00")), []byte(job.Target), job.Bytecode)
}

// forgetter is an assembler that can forget what it keeps of a job.
type forgetter interface {
	forget(ctx context.Context, job Job) error
}

// forget drops a cubin that the driver refused, so that the next process makes it anew.
func (k *Kept) forget(ctx context.Context, job Job) error {
	info, err := k.Tileiras.Tool.Info(ctx)
	if err != nil {
		return err
	}
	return k.Store.Drop(k.key(info, job))
}

// Assemble implements [Assembler].
func (k *Kept) Assemble(ctx context.Context, job Job) ([]byte, error) {
	info, err := k.Tileiras.Tool.Info(ctx)
	if err != nil {
		return nil, err
	}
	var assembled atomic.Bool
	data, err := k.Store.Get(ctx, k.key(info, job), func(ctx context.Context) ([]byte, error) {
		assembled.Store(true)
		cubin, err := k.Tileiras.Assemble(ctx, job)
		var refused *AssemblyError
		if errors.As(err, &refused) && refused.again {
			return json.Marshal(outcome{Reason: refused.Reason, Advice: refused.Advice, Output: refused.Output})
		}
		if err != nil {
			return nil, err
		}
		return json.Marshal(outcome{Cubin: cubin})
	})
	if err != nil {
		return nil, err
	}
	if assembled.Load() {
		engine.Note(ctx, "code", "assembled")
	} else {
		engine.Note(ctx, "code", "found in the cache folder")
	}
	var o outcome
	if err := json.Unmarshal(data, &o); err != nil {
		return nil, fmt.Errorf("folder of cubins: %w", err)
	}
	if o.Reason != "" {
		return nil, &AssemblyError{Job: job, Tool: k.Tileiras.Tool, ToolVersion: info.Version, Reason: o.Reason, Advice: o.Advice, Output: o.Output,
			Options: k.Tileiras.Options, again: true}
	}
	return o.Cubin, nil
}

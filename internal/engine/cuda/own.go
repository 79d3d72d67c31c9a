package cuda

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/cutile-go/cutile/internal/debug"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/internal/tools/store"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
)

// ownCode is code of our own compiler, with how it is launched.
type ownCode struct {
	Image  []byte // PTX, or machine code that ptxas made of it
	Spills string `json:",omitempty"` // what a user should hear of ptxas
	file   string // of a folder of cubins, where the code is from one
	debug  bool   // PTX tells debuggers of variables
	OwnLaunch
}

// OwnLaunch is how code of our own compiler is launched, and by whom.
type OwnLaunch struct {
	Block  [3]uint32 `json:"block"`            // threads
	Shared uint32    `json:"shared,omitempty"` // bytes of dynamic shared memory

	PTX      int    `json:"ptx,omitempty"`      // the version of PTX that a driver must take: 84 for 8.4; 0 for machine code
	Compiler string `json:"compiler,omitempty"` // the [threads.Version] of exported code

	// Tensors are parameters behind those of the entry, which each launch makes. Of exported code, only files for devices of this package
	// have them; beside each is one for other programs, and for launches for which there are no such maps.
	Tensors []simt.TensorParam `json:"tensors,omitempty"`
}

// makePTX makes PTX of an entry, perhaps with tensor maps, for the first architecture whose version of PTX has all that the code uses, and
// says which one that is.
func makePTX(m *tileir.Module, entry string, archs []simt.Arch, tensors bool) (code ownCode, arch simt.Arch, err error) {
	var first error
	for _, arch := range archs {
		code, err := archPTX(m, entry, arch, tensors)
		var refused *threads.Error
		if err == nil || errors.As(err, &refused) {
			return code, arch, err
		}
		if first == nil {
			first = err
		}
	}
	return code, arch, first
}

// archPTX makes PTX of an entry for an architecture, with the lines of the source.
func archPTX(m *tileir.Module, entry string, arch simt.Arch, tensors bool) (code ownCode, err error) {
	made, code, err := translate(m, entry, arch, tensors)
	if err == nil {
		code.Image, err = ptx.WriteArch(made, arch, true)
	}
	return code, err
}

// translate compiles an entry for an architecture, and says how it is launched.
func translate(m *tileir.Module, entry string, arch simt.Arch, tensors bool) (made *simt.Module, code ownCode, err error) {
	made, err = threads.PTX(m, entry, arch.Name, threads.Options{Tensors: tensors, Debug: debug.On(debug.Variables)})
	if err != nil {
		return nil, code, err
	}
	k := made.Kernels[0]
	for i, n := range k.Block {
		code.Block[i] = uint32(n)
	}
	code.Shared, code.Tensors, code.debug = uint32(k.Shared), k.Tensors, made.Debug()
	return made, code, nil
}

// ownKey names what is kept of an entry: PTX, or machine code, which another release of ptxas, as tool says, makes anew.
func ownKey(data []byte, e *tileir.Entry, archs []simt.Arch, kind, tool string) store.Key {
	targets := []byte(kind)
	for _, a := range archs {
		targets = fmt.Appendf(targets, " %s %d", a.Name, a.PTX)
	}
	return store.KeyOf([]byte("own "+threads.Version), targets, []byte(tool), []byte(e.Name), debugKey(e), data)
}

// keptOwn gives code from the folder that all processes share, and makes it if the folder lacks it.
func keptOwn(ctx context.Context, key store.Key, make func(context.Context) (ownCode, error)) (code ownCode, err error) {
	s, err := codeStore(tileLevel)
	if err != nil {
		return code, err
	}
	if s == nil {
		return make(ctx)
	}
	var made atomic.Bool
	data, err := s.Get(ctx, key, func(ctx context.Context) ([]byte, error) {
		made.Store(true)
		code, err := make(ctx)
		if err != nil {
			return nil, err
		}
		return json.Marshal(code)
	})
	if err != nil {
		return code, err
	}
	if made.Load() {
		engine.Note(ctx, "code", "compiled to PTX")
	} else {
		engine.Note(ctx, "code", "found in the cache folder")
	}
	if err := json.Unmarshal(data, &code); err != nil {
		return code, fmt.Errorf("folder of code: %w", err)
	}
	return code, nil
}

// makeOwn gives code of our own compiler, perhaps with tensor maps: what a folder of code has, or else PTX. key names PTX that is kept.
func (d *Device) makeOwn(ctx context.Context, m *tileir.Module, e *tileir.Entry, tensors bool) (code ownCode, key store.Key, err error) {
	data, err := bytecode.Write(m, tileir.Newest, bytecode.Options{})
	if err != nil {
		return code, key, err
	}
	if d.opts.Cubins != nil {
		var name []byte
		if name, err = identity(m, tileir.Newest); err != nil {
			return code, key, err
		}
		folder := ownFolder{files: d.opts.Cubins, gpu: d.info}
		code, err = folder.find(name, e, tensors)
		if folder.passed != nil {
			passed := "of the folder of cubins, " + strings.Join(folder.passed, "; ")
			engine.Note(ctx, "passed", passed)
			defer func() {
				if err != nil {
					err = fmt.Errorf("%w; %s", err, passed)
				}
			}()
		}
		if err != nil {
			return code, key, err
		}
		if code.file != "" {
			engine.Note(ctx, "code", "found in the folder of cubins as "+code.file)
			return code, key, nil
		}
	}
	archs, err := d.info.OwnArchs()
	if err != nil {
		return code, key, err
	}
	key = ownKey(data, e, archs, fmt.Sprint(keptPTX, tensors), "")
	code, err = keptOwn(ctx, key, func(context.Context) (ownCode, error) {
		code, _, err := makePTX(m, e.Name, archs, tensors)
		return code, err
	})
	return code, key, err
}

// loadOwn loads code of our own compiler and makes it ready for launches. What the driver refuses is forgotten.
func (d *Device) loadOwn(code ownCode, key store.Key, e *tileir.Entry) (*Kernel, error) {
	k, _, err := d.Load(code.Image, e.Name, len(e.Params))
	if err != nil {
		if code.file != "" {
			return nil, fmt.Errorf("folder of cubins: %s: %w", code.file, err)
		}
		if s, e := codeStore(tileLevel); s != nil && e == nil {
			err = engine.Join(err, s.Drop(key))
		}
		return nil, err
	}
	k.loc, k.block, k.dynamic, k.shared = e.Loc, code.Block, code.Shared, portableShared
	if err := k.allow(code.Shared); err != nil {
		return nil, engine.Join(err, k.Close())
	}
	return k, nil
}

// refusal says that neither compiler took a module.
func refusal(first, own error) error {
	if first == nil {
		return own
	}
	return errors.Join(first, fmt.Errorf("our own compiler, which was tried next: %w", own))
}

package vulkan

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/internal/threads/probe"
	writer "github.com/cutile-go/cutile/internal/threads/spirv"
	"github.com/cutile-go/cutile/internal/tools/store"

	"github.com/cutile-go/cutile/internal/engine"
)

// probed keeps, for the process, what probes have found.
var probed = struct {
	sync.Mutex
	found map[store.Key][]finding
}{found: map[store.Key][]finding{}}

// probeLimit bounds how long the driver may take for a probe.
const probeLimit = 2 * time.Minute

// probe finds the operations on floats that the device gets wrong, and has kernels compute these in integers. A device that gets them
// wrong even so is refused.
func (d *Device) probe() error {
	if d.opts.Integers {
		d.caps.Soft = writer.Numerics()
	}
	wrong, err := d.probeOnce()
	if err == nil && len(wrong) > 0 && !d.opts.Integers {
		d.caps.Soft = append(d.caps.Soft, slices.SortedFunc(maps.Keys(wrong), compareNumerics)...)
		wrong, err = d.probeOnce()
	}
	if err != nil {
		return fmt.Errorf("testing how it computes: %w", err)
	}
	for _, n := range slices.SortedFunc(maps.Keys(wrong), compareNumerics) {
		return fmt.Errorf("%s cannot run kernels: it computes wrong, also in integers: %s; update its driver, or use another device", d.info.Device.Name, wrong[n])
	}
	return nil
}

func compareNumerics(a, b writer.Numeric) int { return strings.Compare(a.String(), b.String()) }

// finding is an operation, or a cooperative matrix by its number, that is computed wrong, with an example.
type finding struct {
	writer.Numeric
	Matrix  int `json:",omitempty"`
	Example string
}

// probeOnce gives the operations that kernels compute wrong with what is in caps, from what was found of the same device, driver and code
// before, if anything.
func (d *Device) probeOnce() (map[writer.Numeric]string, error) {
	v := d.caps.Threads()
	p, err := probe.New(v.Target)
	if err != nil {
		return nil, err
	}
	wrong := map[writer.Numeric]string{}
	list, err := d.test(p, &v.Target, &p.Kernel, p.Data(), func(data []byte) (list []finding) {
		for n, example := range p.Wrong(data) {
			list = append(list, finding{Numeric: n, Example: example})
		}
		return list
	})
	for _, f := range list {
		wrong[f.Numeric] = f.Example
	}
	return wrong, err
}

// probeMatrices drops the cooperative matrices that the device multiplies wrong by, and all of them where it cannot run the test.
func (d *Device) probeMatrices() {
	v := d.caps.Threads()
	t := &v.Target
	if len(t.Matrices) == 0 {
		return
	}
	p, err := probe.NewMatrices(*t)
	var list []finding
	if err == nil {
		list, err = d.test(p, &v.Target, &p.Kernel, p.Data(), func(data []byte) (list []finding) {
			for i, example := range p.Wrong(data) {
				if example != "" {
					list = append(list, finding{Matrix: i, Example: example})
				}
			}
			return list
		})
	}
	if err != nil {
		d.caps.NoMatrices = slices.Clone(t.Matrices)
	}
	for _, f := range list {
		d.caps.NoMatrices = append(d.caps.NoMatrices, t.Matrices[f.Matrix])
	}
}

// test runs a kernel of package probe, made for a target, on data, unless it is known what was found of the same device, driver and code.
func (d *Device) test(p any, t *writer.Target, k *probe.Kernel, data []byte, judge func(data []byte) []finding) ([]finding, error) {
	code := codeOf(&threads.Shader{Code: k.Code, Threads: k.Threads}, t, probe.Entry, 1)
	bytes, err := binary.Append(nil, binary.LittleEndian, code.Words)
	if err != nil {
		return nil, err
	}
	key := store.KeyOf([]byte("vulkan probe"), identity(&d.info.Device), bytes, data)
	return d.recall(key, func() ([]finding, error) {
		if err := d.runProbe(k, code, data); err != nil {
			return nil, err
		}
		if d.opts.spoil != nil {
			d.opts.spoil(p, data)
		}
		return judge(data), nil
	})
}

// recall looks for what the process or the disk has, or makes it.
func (d *Device) recall(key store.Key, find func() ([]finding, error)) (list []finding, err error) {
	if d.opts.spoil != nil {
		return find()
	}
	probed.Lock()
	defer probed.Unlock()
	if list, ok := probed.found[key]; ok {
		return list, nil
	}
	if d.opts.Store == nil {
		list, err = find()
	} else {
		var kept []byte
		kept, err = d.opts.Store.Get(context.Background(), key, func(context.Context) ([]byte, error) {
			list, err := find()
			if err != nil {
				return nil, err
			}
			return json.Marshal(list)
		})
		if err == nil && json.Unmarshal(kept, &list) != nil { // what a process that was killed has left
			d.opts.Store.Drop(key)
			list, err = find()
		}
	}
	if err == nil {
		probed.found[key] = list
	}
	return list, err
}

// runProbe runs the kernel on data.
func (d *Device) runProbe(p *probe.Kernel, code *Code, data []byte) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), probeLimit)
	defer cancel()
	k, err := d.Load(probe.Entry, code)
	if err != nil {
		return err
	}
	defer func() { err = engine.Join(err, k.Close()) }()
	b, err := d.Alloc(int64(len(data)))
	if err != nil {
		return err
	}
	defer func() { err = engine.Join(err, b.Free()) }()
	s, err := d.newStream()
	if err != nil {
		return err
	}
	defer func() { err = engine.Join(err, s.Close()) }()
	if err := s.Write(b, 0, data); err != nil {
		return err
	}
	if err := s.Launch(k, [3]uint32{uint32(p.Blocks), 1, 1}, []uint64{b.Address()}); err != nil {
		return err
	}
	return s.Read(ctx, data, b, 0)
}

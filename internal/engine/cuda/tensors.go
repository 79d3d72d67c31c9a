package cuda

import (
	"context"
	"slices"
	"sync"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/simt"
)

// tensorMaps are the parameters of a kernel of our own compiler that launches make, see [simt.TensorParam].
type tensorMaps struct {
	params []simt.TensorParam
	// plain makes the same kernel without them, for launches for which there are no such maps.
	plain func(context.Context) (*Kernel, error)

	mu     sync.Mutex
	want   []engine.TensorMap // of the launch that is being made
	recent [recentMaps]encodedMaps
	next   int
	made   *Kernel // by plain
}

// encodedMaps are maps as the driver has encoded them.
type encodedMaps struct {
	maps []engine.TensorMap
	data [][128]byte
}

// recentMaps is how many launches' maps a kernel keeps: programs launch it again and again with the same tensors.
const recentMaps = 8

// of gives the maps for the arguments of a launch; ok is false if there are none, or the driver does not make them.
func (t *tensorMaps) of(d *Device, args []uint64) (data [][128]byte, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.want = t.want[:0]
	for i := range t.params {
		m, ok := engine.TensorMapFor(&t.params[i], args)
		if !ok {
			return nil, false
		}
		t.want = append(t.want, m)
	}
	for i := range t.recent {
		if slices.Equal(t.recent[i].maps, t.want) {
			return t.recent[i].data, true
		}
	}
	e := encodedMaps{maps: slices.Clone(t.want)}
	for _, m := range t.want {
		b, err := d.TensorMap(m)
		if err != nil {
			return nil, false
		}
		e.data = append(e.data, [128]byte(b))
	}
	t.recent[t.next] = e
	t.next = (t.next + 1) % recentMaps
	return e.data, true
}

// withoutMaps gives the kernel that takes none.
func (t *tensorMaps) withoutMaps() (*Kernel, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.made != nil {
		return t.made, nil
	}
	var err error
	t.made, err = t.plain(context.Background())
	return t.made, err
}

// close unloads what was made.
func (t *tensorMaps) close() error {
	if t == nil || t.made == nil {
		return nil
	}
	return t.made.Close()
}

package interop

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/driver/shlib"
)

// exported is what a consumer holds: Go's memory, which does not move, kept until the deleter is called.
type exported struct {
	versioned dlVersioned
	old       dlManaged
	shape     []int64
	strides   []int64
	tensor    device.AnyTensor // keeps its memory
	release   func()
	pinned    runtime.Pinner
}

// held are the tensors that consumers have not deleted yet, by their addresses.
var held struct {
	sync.Mutex
	at map[uintptr]*exported
}

// Export waits for the work that is queued on a tensor and gives the address of a DLManagedTensorVersioned (DLPack 1.0) of it, for a consumer that
// calls its deleter in the end, from any thread. The elements are the tensor's own. It must not be closed before, and the tensor must not be used
// while the consumer writes. done, where not nil, is called in a goroutine of its own when the consumer has called the deleter.
//
// Elements of types that DLPack lacks (TensorFloat32, Float8E5M3FNU), and memory of devices that it does not know, are errors.
func Export(ctx context.Context, t device.AnyTensor, done func()) (managed uintptr, err error) {
	x, err := export(ctx, t, done)
	if err != nil {
		return 0, err
	}
	return x.keep(uintptr(unsafe.Pointer(&x.versioned))), nil
}

// ExportOld is [Export] for consumers that know DLPack before 1.0: it gives the address of a DLManagedTensor. A frozen tensor is an error, as the
// consumer could not be told that it must not write.
func ExportOld(ctx context.Context, t device.AnyTensor, done func()) (managed uintptr, err error) {
	x, err := export(ctx, t, done)
	if err != nil {
		return 0, err
	}
	if x.versioned.flags&dlReadOnly != 0 {
		return 0, fmt.Errorf("interop: the tensor is frozen, which DLPack before 1.0 cannot say: use Export")
	}
	return x.keep(uintptr(unsafe.Pointer(&x.old))), nil
}

func export(ctx context.Context, t device.AnyTensor, done func()) (*exported, error) {
	f, err := device.Share(ctx, t)
	if err != nil {
		return nil, err
	}
	kind, ok := types[f.Type]
	if !ok {
		return nil, fmt.Errorf("interop: DLPack has no elements of %v: convert them first", f.Type)
	}
	on, err := deviceOf(t.Device())
	if err != nil {
		return nil, err
	}
	x := &exported{tensor: t, release: done, shape: make([]int64, len(f.Shape)+1), strides: make([]int64, len(f.Shape)+1)} // one more: they have addresses
	for axis := range f.Shape {
		x.shape[axis], x.strides[axis] = int64(f.Shape[axis]), int64(f.Strides[axis])
	}
	tensor := dlTensor{data: f.Address, device: on, ndim: int32(len(f.Shape)), dtype: kind, shape: &x.shape[0], strides: &x.strides[0]}
	x.versioned = dlVersioned{major: dlMajor, minor: dlMinor, deleter: deleter(), tensor: tensor}
	x.old = dlManaged{tensor: tensor, deleter: deleter()}
	if f.ReadOnly {
		x.versioned.flags |= dlReadOnly
	}
	return x, nil
}

// keep keeps what is exported until its deleter is called with the address.
func (x *exported) keep(at uintptr) uintptr {
	for _, p := range []any{x, &x.shape[0], &x.strides[0]} {
		x.pinned.Pin(p)
	}
	held.Lock()
	defer held.Unlock()
	if held.at == nil {
		held.at = map[uintptr]*exported{}
	}
	held.at[at] = x
	return at
}

// deleter is the function for C that ends an export. There is one for all.
var deleter = sync.OnceValue(func() uintptr {
	return shlib.Callback(func(managed uintptr) uintptr {
		held.Lock()
		x := held.at[managed]
		delete(held.at, managed)
		held.Unlock()
		if x == nil {
			return 0 // a second call, which is the consumer's mistake
		}
		x.pinned.Unpin()
		if x.release != nil {
			go x.release()
		}
		return 0
	})
})

package spirv_test

import (
	"context"
	"testing"

	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/testing/vulkantest"
	"github.com/cutile-go/cutile/internal/threads/ir"
	writer "github.com/cutile-go/cutile/internal/threads/spirv"
)

// device opens the first device that has integers of 64 bits, without which no kernel is written.
func device(t testing.TB) *vulkan.Device {
	t.Helper()
	in, list := vulkantest.Instance(t)
	for i := range list {
		d, err := vulkan.Open(i, vulkan.Options{Instance: in, Compiler: vulkan.Threads})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		if d.Caps().Features.Int64 {
			return d
		}
	}
	testenv.Missing(t, "vulkan", context.Canceled)
	return nil
}

// Kernels have so many threads, each of which has its own bytes of data.
const (
	threads = 64
	stride  = 32
)

// runner runs kernels on a device, with as many blocks as there is data for, as subgroups or not.
func runner(d *vulkan.Device, s *vulkan.Stream, subgroups bool) threadtest.RunKernel {
	return func(t testing.TB, b *ir.Builder, data []byte) {
		t.Helper()
		b.Place()
		b.Synchronise()
		target := d.Caps().Threads().Target
		target.Subgroups = target.Subgroups && subgroups
		c, err := writer.Write(&b.Kernel, target, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := threadtest.Valid(c.Module); err != nil {
			t.Fatal(err)
		}
		code := &vulkan.Code{Words: c.Module.Words(), Entry: b.Name, Params: 1, Threads: b.Threads, Shared: c.Shared, Scratch: c.Scratch}
		if target.Subgroups {
			code.Subgroup, code.Full = uint32(target.Lanes), true
		}
		check := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%v\n%v", err, &b.Kernel)
			}
		}
		k, err := d.Load(b.Name, code)
		check(err)
		buf, err := d.Alloc(int64(len(data)))
		check(err)
		check(s.Write(buf, 0, data))
		check(s.Launch(k, [3]uint32{uint32(len(data) / (stride * threads)), 1, 1}, []uint64{buf.Address()}))
		check(s.Read(context.Background(), data, buf, 0))
		check(k.Close())
		check(buf.Free())
	}
}

// TestElements runs each element operation on a device.
func TestElements(t *testing.T) {
	d := device(t)
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	threadtest.Elements(t, nil, runner(d, s.(*vulkan.Stream), true))
}

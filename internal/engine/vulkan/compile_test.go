package vulkan_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	driver "github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/tools/store"
	"github.com/cutile-go/cutile/tileir"
)

// module has an entry add of four parameters, whose body the compilers of these tests do not look at.
func module(t testing.TB) *tileir.Module {
	t.Helper()
	b := tileir.NewBuilder()
	p := tileir.PointerTile(tileir.F32)
	b.Entry("add", []tileir.Type{p, p, p, tileir.Tile(tileir.I32)}, func([]*tileir.Value) {})
	m, err := b.Build(tileir.Newest)
	check(t, err)
	return m
}

func TestCompile(t *testing.T) {
	in, _ := instance(t)
	m := openOn(t, in, 0, vulkan.Options{})
	_, err := m.Compile(background, module(t), "add")
	var refused engine.CompileError
	if !errors.As(err, &refused) || refused.Why() != "vulkan:0 cannot run it: this program has no compiler from Tile IR to SPIR-V; use another device" {
		t.Errorf("error %v", err)
	}

	var asked vulkan.Caps
	add := code(t, "add")
	why := errors.New("a reason")
	with := openOn(t, in, 0, vulkan.Options{Compiler: func(_ context.Context, m *tileir.Module, entry string, c vulkan.Caps) (*vulkan.Code, error) {
		asked = c
		if len(m.Entries) != 1 || entry != "add" {
			t.Errorf("asked for %s of %v", entry, m.Entries)
		}
		return add, why
	}})
	if _, err := with.Compile(background, module(t), "add"); err != why {
		t.Errorf("error %v", err)
	}
	why = nil
	k, err := with.Compile(background, module(t), "add")
	check(t, err)
	s := newStream(t, with)
	x, z := alloc(t, with, s, 8, floats(8, func(i int) float32 { return float32(i) })...), alloc(t, with, s, 8)
	check(t, s.Launch(k, one, []uint64{x.Address(), x.Address(), z.Address(), 8}))
	if got := read(t, s, z, 8); !slices.Equal(got, floats(8, func(i int) float32 { return 2 * float32(i) })) {
		t.Errorf("got %v", got)
	}
	if asked.Invocations == 0 || asked.Shared == 0 || !asked.Features.BufferDeviceAddress || asked.Subgroup.Max == 0 {
		t.Errorf("the compiler was told of %+v", asked)
	}
	again, err := with.Compile(background, module(t), "add")
	check(t, err)
	if n := with.lib.Live()["VkPipeline"]; n != 1 {
		t.Errorf("%d pipelines of the same code", n)
	}
	check(t, k.Close())
	check(t, s.Launch(again, one, []uint64{x.Address(), x.Address(), z.Address(), 8}))
	check(t, s.Wait(background))
	add = code(t, "add")
	add.Threads = 1 << 20
	_, err = with.Compile(background, module(t), "add")
	if !errors.As(err, &refused) || !strings.HasPrefix(refused.Why(), "it needs 1048576 threads a block") || !refused.Where().IsZero() {
		t.Errorf("error %v", err)
	}
	add.Params = 3
	_, err = with.Compile(background, module(t), "add")
	wants(t, err, "BUG: the compiler made code of 3 parameters, but kernel add has 4")
	located := &vulkan.Refused{Entry: "add", Loc: tileir.Loc{File: "k.go", Line: 3, Col: 2}, Reason: "a reason"}
	if located.Error() != "k.go:3:2: a reason" {
		t.Errorf("got %v", located)
	}
	_, err = with.Compile(background, module(t), "sub")
	wants(t, err, `the module has no entry "sub"; it has add`)
}

// TestRefused loads what the device cannot run.
func TestRefused(t *testing.T) {
	in, _ := instance(t)
	m := openOn(t, in, 0, vulkan.Options{})
	full := openOn(t, in, 0, vulkan.Options{Adjust: func(i *driver.Info) { i.Features.FullSubgroups, i.Subgroup.CanAsk = false, false }})
	short := openOn(t, in, 0, vulkan.Options{Adjust: func(i *driver.Info) { i.Driver = "SwiftShader driver" }})
	for _, c := range []struct {
		on     machine
		change func(c *vulkan.Code)
		want   string
	}{
		{m, func(c *vulkan.Code) { c.Words = nil }, "kernel k: BUG: the compiler made no SPIR-V"},
		{m, func(c *vulkan.Code) { c.Threads = 4096 }, "kernel k: it needs 4096 threads a block, but the device has 1024 at most: use smaller tiles"},
		{m, func(c *vulkan.Code) { c.Shared = 1 << 20 }, "kernel k: it needs 1048576 bytes of shared memory a block, but the device has 32768: use smaller tiles"},
		{m, func(c *vulkan.Code) { c.Scratch = 1 << 30 }, "kernel k: it needs 1073741824 bytes of memory a block beyond shared memory, but 268435456 is the bound"},
		{m, func(c *vulkan.Code) { c.Subgroup = 64 }, "kernel k: it needs subgroups of 64, but the device has "},
		{full, func(c *vulkan.Code) { c.Subgroup = 8 }, "kernel k: it needs a size of subgroups, which the driver does not let one choose"},
		{short, func(c *vulkan.Code) { c.Length = 50001 }, "kernel k: it has 50001 instructions, but the driver ends the process with more than some 50000: use smaller tiles, fewer operations or another device"},
		{full, func(c *vulkan.Code) { c.Full = true }, "kernel k: it needs full subgroups, which the driver does not promise"},
	} {
		add := code(t, "add")
		c.change(add)
		_, err := c.on.Load("k", add)
		wants(t, err, c.want)
		var refused engine.CompileError
		if !errors.As(err, &refused) {
			t.Errorf("%v is no CompileError", err)
		}
	}
}

// TestDevices: hardware comes first, and what a device lacks is said.
func TestDevices(t *testing.T) {
	in, list := instance(t)
	infos, err := vulkan.Devices(vulkan.Options{Instance: in})
	check(t, err)
	if len(infos) != len(list) || infos[0].Name() != "vulkan:0" || len(infos[0].Lacks) > 0 || !strings.Contains(infos[0].String(), "Vulkan 1.") {
		t.Fatalf("got %v", infos)
	}
	last := infos[len(infos)-1].Device.Name
	infos, err = vulkan.Devices(vulkan.Options{Instance: in, Adjust: func(i *driver.Info) {
		if i.Name == last {
			discrete(i)
		}
	}})
	check(t, err)
	if infos[0].Device.Name != last {
		t.Errorf("%s comes before the hardware %s", infos[0].Device.Name, last)
	}
	for _, c := range []struct {
		adjust func(i *driver.Info)
		want   string
	}{
		{func(i *driver.Info) { i.Version = driver.V1_1 + 5 }, "it lacks Vulkan 1.2 (it has 1.1.5); update its driver, or use another device"},
		{func(i *driver.Info) { i.Features.BufferDeviceAddress = false }, "it lacks bufferDeviceAddress; "},
		{func(i *driver.Info) { i.Features.TimelineSemaphore = false; i.Families = nil }, "it lacks timelineSemaphore, a queue for compute; "},
		{func(i *driver.Info) { i.Limits.PushConstants = 64; i.Memory = nil }, "it lacks 128 bytes of push constants, memory that the program sees, memory of the device; "},
	} {
		_, err := vulkan.Open(0, vulkan.Options{Instance: in, Adjust: c.adjust})
		wants(t, err, c.want)
	}
	k := vulkan.Kind(vulkan.Options{Instance: in})
	names, err := k.List()
	check(t, err)
	if k.Name != "vulkan" || len(names) != len(list) || names[0] != "vulkan:0" {
		t.Errorf("lists %v", names)
	}
	t.Setenv("CUTILE_CACHE", t.TempDir())
	d, err := k.Open(0, engine.Options{})
	check(t, err)
	if !strings.HasPrefix(d.Target(), "vulkan-") {
		t.Errorf("target %s", d.Target())
	}
	check(t, d.Close())
}

// TestStore opens devices with a folder that has something else in place of a cache, and with what they kept themselves.
func TestStore(t *testing.T) {
	in, list := instance(t)
	for i := range list {
		dir := filepath.Join(t.TempDir(), "pipelines")
		for range 3 {
			m := openOn(t, in, i, vulkan.Options{Store: store.New(dir, 1<<20)})
			s, k := newStream(t, m), load(t, m, "copy")
			x, y := alloc(t, m, s, 3, ramp(3)...), alloc(t, m, s, 3)
			check(t, s.Launch(k, [3]uint32{3, 1, 1}, []uint64{x.Address(), y.Address()}))
			if got := read(t, s, y, 3); !slices.Equal(got, ramp(3)) {
				t.Errorf("got %v", got)
			}
			check(t, m.Close())
			check(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
				if err == nil && !e.IsDir() {
					err = os.WriteFile(path, []byte("something else"), 0o600)
				}
				if os.IsNotExist(err) { // this driver's caches are empty
					err = nil
				}
				return err
			}))
		}
	}
}

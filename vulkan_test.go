package cutile_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	driver "github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/internal/testing/vulkantest"
	"github.com/cutile-go/cutile/tile"
)

// onVulkan opens the machine's Vulkan device, if it has one.
func onVulkan(t *testing.T, opts ...cutile.Option) *cutile.Device {
	t.Helper()
	threadtest.NeedsVulkan(t)
	dev, err := cutile.Open("vulkan", opts...)
	must(t, err)
	t.Cleanup(func() { dev.Close() })
	return dev
}

// registered makes programs open devices with options.
func registered(t *testing.T, o vulkan.Options) {
	t.Helper()
	o.Compiler = vulkan.Usual().Compiler
	t.Cleanup(engine.Register(vulkan.Kind(o)))
}

// TestVulkanNames: Vulkan devices are opened by their names.
func TestVulkanNames(t *testing.T) {
	dev := onVulkan(t)
	software := strings.Contains(dev.Description(), "software on the CPU")
	names := cutile.Devices()
	at, cpu := slices.Index(names, "vulkan:0"), slices.Index(names, "cpu")
	if dev.Name() != "vulkan:0" || at < 0 || software != (at > cpu) {
		t.Errorf("opened %s of %v", dev.Name(), names)
	}
	if text := dev.Description(); !strings.Contains(text, "Vulkan 1.") {
		t.Errorf("it is described as %s", text)
	}
	_, err := cutile.Open("vulkan:99")
	fails(t, err, `cutile: no such device: "vulkan:99"; the devices are `, "vulkan:0")
	if !errors.Is(err, cutile.ErrNoDevice) {
		t.Errorf("%v is not ErrNoDevice", err)
	}
	t.Setenv("CUTILE_DEVICE", "vulkan:0")
	named, err := cutile.Open("")
	must(t, err)
	if named.Name() != "vulkan:0" {
		t.Errorf("CUTILE_DEVICE opened %s", named.Name())
	}
	must(t, named.Close())
}

// TestVulkanUnasked: a program that names no device gets one of CUDA, else hardware with Vulkan that can be opened, else the CPU.
func TestVulkanUnasked(t *testing.T) {
	threadtest.NeedsVulkan(t)
	t.Setenv("CUTILE_DEVICE", "")
	hardware := func(i *driver.Info) { i.Type = driver.Integrated }
	for _, c := range []struct {
		name   string
		adjust func(i *driver.Info)
		want   string
		log    string
	}{
		{"software", func(i *driver.Info) { i.Type = driver.CPU }, "cpu", ""},
		{"hardware", hardware, "vulkan:0", ""},
		{"hardware without integers of 64 bits", func(i *driver.Info) { hardware(i); i.Features.Int64 = false }, "vulkan:0", ""},
		{"hardware that does not open", func(i *driver.Info) { hardware(i); i.Features.CooperativeMatrix = true }, "cpu",
			`level=WARN msg="device is not used" device=vulkan:0 reason="cutile: device vulkan:0: vulkan:0: vkCreateDevice: VK_ERROR_FEATURE_NOT_PRESENT`},
	} {
		t.Run(c.name, func(t *testing.T) {
			registered(t, vulkan.Options{Adjust: c.adjust})
			var log strings.Builder
			dev, err := cutile.Open("", cutile.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
			must(t, err)
			defer dev.Close()
			if dev.Name() != c.want || !strings.Contains(log.String(), c.log) || c.log == "" && strings.Contains(log.String(), "WARN") {
				t.Errorf("opened %s, want %s; the log is\n%s", dev.Name(), c.want, &log)
			}
		})
	}
	registered(t, vulkan.Options{Adjust: hardware})
	fakeGPU(t, fake.Options{})
	dev, err := cutile.Open("")
	must(t, err)
	defer dev.Close()
	if dev.Name() != "cuda:0" {
		t.Errorf("opened %s beside a GPU of CUDA", dev.Name())
	}
}

// TestVulkanLacks: devices that lack something are told what it is, and others are counted before them.
func TestVulkanLacks(t *testing.T) {
	threadtest.NeedsVulkan(t)
	for _, c := range []struct {
		adjust func(i *driver.Info)
		want   string
	}{
		{func(i *driver.Info) { i.Features.TimelineSemaphore = false }, "cannot run kernels: it lacks timelineSemaphore; update its driver, or use another device"},
		{func(i *driver.Info) { i.Version = driver.V1_1 }, "cannot run kernels: it lacks Vulkan 1.2 (it has 1.1.0)"},
		{func(i *driver.Info) { i.Features.BufferDeviceAddress = false }, "it lacks bufferDeviceAddress"},
	} {
		registered(t, vulkan.Options{Adjust: c.adjust})
		_, err := cutile.Open("vulkan:0")
		fails(t, err, `cutile: no such device: "vulkan:0"; the devices are cpu; vulkan:0: `, c.want)
		if slices.Contains(cutile.Devices(), "vulkan:0") {
			t.Error("it is listed")
		}
	}
}

// TestNoVulkan: a machine without Vulkan's loader says so where a program asks for it, and has the CPU.
func TestNoVulkan(t *testing.T) {
	const child = "CUTILE_TEST_NO_VULKAN"
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("there are no processes")
	}
	if os.Getenv(child) == "" {
		for _, library := range []string{"/nowhere/libvulkan.so.1", os.Args[0]} {
			cmd := exec.Command(os.Args[0], "-test.run=^TestNoVulkan$")
			cmd.Env = append(os.Environ(), child+"=1", driver.LibraryEnv+"="+library)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", library, err, out)
			}
		}
		return
	}
	_, err := cutile.Open("vulkan")
	fails(t, err, `cutile: no such device: "vulkan"; the devices are cpu; no Vulkan driver`)
	_, err = cutile.Open("vulkan:0")
	if !errors.Is(err, cutile.ErrNoDevice) {
		t.Errorf("got %v", err)
	}
	dev, err := cutile.Open("")
	must(t, err)
	if dev.Name() != "cpu" {
		t.Errorf("opened %s", dev.Name())
	}
	must(t, dev.Close())
}

// TestVulkanRefuses: what a Vulkan device does not have is refused in words.
func TestVulkanRefuses(t *testing.T) {
	var out strings.Builder
	dev := onVulkan(t, cutile.WithOutput(&out))
	x := ramp(t, dev, 8)
	fails(t, cute.Jit(runAddOne)(cute.Of[float32](x)), "device vulkan:0", "does not run kernels of package cute")
	_, err := cutile.Wrap(dev, make([]float32, 8), 8)
	fails(t, err, "vulkan:0")
	_, err = cutile.NewTensor[float32](dev, 1<<41)
	fails(t, err, "vulkan:0", "VK_ERROR_OUT_OF_")
	square := zeros[float32](t, dev, 1024, 1024)
	err = cutile.Launch(t.Context(), dev, addMatrix[tile.D1024, tile.D1024], square, square, zeros[float32](t, dev, 1024, 1024))
	fails(t, err, "kernels_test.go:21:10: Load: a tile of 1048576 elements: a block of 256 threads holds at most 262144")

	must(t, cutile.Launch(t.Context(), dev.Grid(1<<14), many))
	must(t, dev.Sync(t.Context()))
	text := out.String()
	if lines := strings.Count(text, "block "); lines < 4000 || lines >= 1<<14 || !strings.Contains(text, "(more was printed than there is room for between two waits: ") {
		t.Errorf("printed %d lines, then %q", lines, text[max(0, len(text)-200):])
	}
}

// TestVulkanFault: an assertion that fails is told with its place, and the device goes on.
func TestVulkanFault(t *testing.T) {
	dev := onVulkan(t)
	x, z := ramp(t, dev, 8), zeros[float32](t, dev, 8)
	must(t, x.Write(t.Context(), []float32{1, 2, 3, 4, 5, -6, 7, 8}))
	must(t, cutile.Launch(t.Context(), dev, positive[tile.D4], x, z))
	err := dev.Sync(t.Context())
	fails(t, err, "kernels_test.go:80:", "kernel cutile_test.positive[D4], block (1, 0, 0): ", "x must not be negative")
	must(t, cutile.Launch(t.Context(), dev, scale[tile.D4], x, 2, z))
	holds(t, "scaled", z, "[2 4 6 8 10 -12 14 16]")
}

// TestVulkanLost: the driver loses the device under a program, which is told of it at every call, closes it and opens it again.
func TestVulkanLost(t *testing.T) {
	threadtest.NeedsVulkan(t)
	in, _ := vulkantest.Instance(t)
	registered(t, vulkan.Options{Instance: in})
	dev, err := cutile.Open("vulkan")
	must(t, err)
	x, z := ramp(t, dev, 8), zeros[float32](t, dev, 8)
	must(t, cutile.Launch(t.Context(), dev, scale[tile.D4], x, 2, z))
	must(t, dev.Sync(t.Context())) // a device that is lost runs nothing any more
	var lost atomic.Bool
	in.Library().Inject(func(call string) driver.Result {
		if call == "vkQueueSubmit" || lost.Load() {
			lost.Store(true)
			return driver.DeviceLost
		}
		return driver.Success
	})
	if err := cutile.Launch(t.Context(), dev, scale[tile.D4], x, 2, z); err == nil {
		t.Error("a launch on a lost device succeeds")
	}
	for range 2 {
		fails(t, dev.Sync(context.Background()), "the driver has lost the device (VK_ERROR_DEVICE_LOST)", "close the device and open it again")
	}
	fails(t, cutile.Launch(t.Context(), dev, scale[tile.D4], x, 2, z), "the driver has lost the device")
	dev.Close()
	in.Library().Inject(nil)
	again, err := cutile.Open("vulkan")
	must(t, err)
	x, z = ramp(t, again, 8), zeros[float32](t, again, 8)
	must(t, cutile.Launch(t.Context(), again, scale[tile.D4], x, 2, z))
	holds(t, "again", z, "[2 4 6 8 10 12 14 16]")
	must(t, again.Close())
}

package interop_test

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/device"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/limit"
	"github.com/cutile-go/cutile/internal/testing/threadtest"
	"github.com/cutile-go/cutile/interop"
	"github.com/cutile-go/cutile/tile"
)

// sharedSizes stores how much dynamic shared memory there is beside the kernel's own.
const sharedSizes = `.version 7.0
.target sm_75
.address_size 64
.extern .shared .align 4 .b8 dynamic[];
.visible .entry sizes(.param .u64 out)
{
	.shared .align 4 .b8 own[20];
	.reg .b32 v, at;
	.reg .b64 to;
	mov.u32 at, own;
	st.shared.u32 [at+16], 1;
	mov.u32 at, dynamic;
	st.shared.u32 [at+396], 2;
	ld.param.u64 to, [out];
	mov.u32 v, %dynamic_smem_size;
	st.global.u32 [to], v;
	ret;
}
`

// TestShared: dynamic shared memory is as large as the launch says, beside the variables of the kernel.
func TestShared(t *testing.T) {
	gpu, _ := onGPU(t)
	for _, dev := range []*cutile.Device{onCPU(t), gpu} {
		m, err := interop.LoadModule(t.Context(), dev, []byte(sharedSizes))
		need(t, err)
		out := empty[int32](t, dev, 1)
		k := kernel(t, m, "sizes")
		need(t, k.Launch(dev.Stream(), interop.Config{Grid: [3]int{1}, Block: [3]int{1}, Shared: 400}, out))
		if got := elements(t, out)[0]; got != 400 {
			t.Errorf("%s: %d bytes", dev.Name(), got)
		}
		need(t, k.Launch(dev.Stream(), interop.Config{Grid: [3]int{1}, Block: [3]int{1}, Shared: 396}, out))
		if err := dev.Sync(t.Context()); err == nil || !strings.Contains(err.Error(), "kernel sizes") {
			t.Errorf("%s: a store behind the end gives %v", dev.Name(), err)
		}
		if dev != gpu {
			need(t, m.Close())
		}
	}
}

// TestTrace: a trace names kernels of other compilers beside tile kernels.
func TestTrace(t *testing.T) {
	for _, open := range []func(...cutile.Option) *cutile.Device{
		func(o ...cutile.Option) *cutile.Device { return onCPU(t, o...) },
		func(o ...cutile.Option) *cutile.Device { dev, _ := onGPU(t, o...); return dev },
	} {
		var out strings.Builder
		dev := open(cutile.WithTrace(&out))
		m, err := interop.LoadModule(t.Context(), dev, file(t, "kernels.ptx"))
		need(t, err)
		x, y := vector(t, dev, 32), vector(t, dev, 32)
		need(t, cutile.Launch(t.Context(), dev, twice[tile.D16], x, y))
		need(t, kernel(t, m, "saxpy").Launch(dev.Stream(), interop.Config{Grid: [3]int{1}, Block: [3]int{32}}, y, x, float32(1), int32(32)))
		need(t, dev.Sync(t.Context()))
		need(t, dev.Close())
		var events []struct{ Name, Cat string }
		need(t, json.Unmarshal([]byte(strings.TrimSpace(out.String())+"]"), &events))
		var names []string
		for _, e := range events {
			if e.Cat == "kernel" {
				names = append(names, e.Name)
			}
		}
		if got := strings.Join(names, " "); got != "interop_test.twice[D16] saxpy" {
			t.Errorf("%s: the trace has the kernels %q", dev.Name(), got)
		}
	}
}

// TestOtherEngines: a device whose engine runs neither PTX nor cubins says so, as those of Vulkan do.
func TestOtherEngines(t *testing.T) {
	open := map[string]func(*testing.T) (*cutile.Device, error){
		"tiles only": func(t *testing.T) (*cutile.Device, error) {
			return device.New(struct{ engine.Device }{cpu.New(cpu.Options{})}, limit.Default)
		},
		"vulkan": func(t *testing.T) (*cutile.Device, error) {
			threadtest.NeedsVulkan(t)
			return cutile.Open("vulkan")
		},
	}
	for name, open := range open {
		t.Run(name, func(t *testing.T) {
			dev, err := open(t)
			need(t, err)
			defer dev.Close()
			for _, name := range []string{"kernels.ptx", "kernels.sm_80.cubin"} {
				_, err := interop.LoadModule(t.Context(), dev, file(t, name))
				want := "interop: module on " + dev.Name() + ": the device runs neither PTX nor machine code of NVIDIA: open a device cuda, or cpu for PTX"
				if err == nil || err.Error() != want {
					t.Errorf("%s: %v, want %s", name, err, want)
				}
			}
		})
	}
}

// TestShadow: launches of PTX are compared with the CPU, where it can run them.
func TestShadow(t *testing.T) {
	dev, _ := onGPU(t, cutile.WithShadow(cutile.Shadow{}), cutile.WithLogger(slog.New(slog.DiscardHandler)))
	config := interop.Config{Grid: [3]int{4}, Block: [3]int{64}, Shared: 256}
	for i, name := range []string{"kernels.sm_80.cubin", "softmax.ptx", "lines.ptx", "kernels.ptx"} {
		m, err := interop.LoadModule(t.Context(), dev, file(t, name))
		need(t, err)
		switch i {
		case 0, 3:
			total, x := empty[float32](t, dev, 1), vector(t, dev, 200)
			need(t, kernel(t, m, "sum").Launch(dev.Stream(), config, total, interop.In(x), int32(200)))
			if got := elements(t, total)[0]; got != 199*100 {
				t.Errorf("the sum is %v", got)
			}
		case 1:
			x, y := vector(t, dev, 256), empty[float32](t, dev, 256)
			need(t, kernel(t, m, "softmax").Launch(dev.Stream(), interop.Config{Grid: [3]int{1}, Shared: 16}, y, interop.In(x), int32(256), int32(256), uintptr(0), uintptr(0)))
		case 2:
			y := empty[int32](t, dev, 64)
			need(t, kernel(t, m, "fill").Launch(dev.Stream(), interop.Config{Grid: [3]int{1}, Block: [3]int{32}}, y, int32(64)))
		}
		need(t, dev.Sync(t.Context()))
		if n := dev.Stats(); int(n.Compared) != []int{0, 1, 2, 2}[i] || int(n.NotCompared) != []int{1, 1, 1, 2}[i] { // the last one has global variables
			t.Errorf("%s: %d compared, %d not", name, n.Compared, n.NotCompared)
		}
	}
}

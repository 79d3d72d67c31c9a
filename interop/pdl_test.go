package interop_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/testing/simttest"
	"github.com/cutile-go/cutile/interop"
)

// TestCooperativeOnGPU: the driver is asked for a cooperative launch, and a grid that is too large is an error that says how many blocks fit.
func TestCooperativeOnGPU(t *testing.T) {
	gpu, drv := onDriver(t, &simttest.GPU{Device: fake.Device{Major: 9, Memory: 1 << 30, Multiprocessors: 4}, CUDA: 13040})
	m, err := interop.LoadModule(t.Context(), gpu, file(t, "grid.ptx"))
	need(t, err)
	y := empty[int32](t, gpu, 64)
	need(t, kernel(t, m, "valid").Launch(gpu.Stream(), cooperative(1), y))
	if got := attributes(drv); fmt.Sprint(got) != fmt.Sprint([][]cudrv.LaunchAttribute{{{ID: cudrv.Cooperative, Value: [16]uint32{1}}}}) {
		t.Errorf("the launch had the attributes %v", got)
	}
	config := cooperative(129)
	err = kernel(t, m, "valid").Launch(gpu.Stream(), config, y)
	want := "all blocks of a cooperative launch run at once, and the GPU runs 128 of them, 32 on each of 4 multiprocessors: launch no more"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
	if cudrv.Code(err) != cudrv.CooperativeTooLarge {
		t.Errorf("code %v", cudrv.Code(err))
	}
}

// dependent is a kernel that waits for the one before it, and one that does not.
const dependent = `.version 8.6
.target sm_90
.address_size 64
.visible .entry waits(.param .u64 p)
{
	.reg .b64 x; .reg .b32 v;
	ld.param.u64 x, [p];
	griddepcontrol.launch_dependents;
	griddepcontrol.wait;
	ld.global.u32 v, [x];
	add.u32 v, v, 1;
	st.global.u32 [x], v;
	ret;
}
.visible .entry never(.param .u64 p)
{
	.reg .b64 x; .reg .b32 v;
	ld.param.u64 x, [p];
	griddepcontrol.launch_dependents;
	ld.global.u32 v, [x];
	mul.lo.u32 v, v, 2;
	st.global.u32 [x], v;
	ret;
}
`

// calling is a module in which a function waits, which kernels may call.
const calling = `.version 8.6
.target sm_90
.address_size 64
.func wait() { griddepcontrol.wait; ret; }
.visible .entry calls() { call wait; ret; }
`

// TestPDL: a kernel may start early if it waits by itself. One that never does, and one on the CPU, start later.
func TestPDL(t *testing.T) {
	gpu, drv := onDriver(t, &simttest.GPU{Device: fake.Device{Major: 9, Memory: 1 << 30, Multiprocessors: 4}, CUDA: 13040})
	config := interop.Config{Grid: [3]int{1}, Block: [3]int{1}, PDL: true}
	for _, dev := range []*cutile.Device{onCPU(t), gpu} {
		m, err := interop.LoadModule(t.Context(), dev, []byte(dependent))
		need(t, err)
		x := empty[int32](t, dev, 1)
		for _, name := range []string{"waits", "never", "waits"} {
			need(t, kernel(t, m, name).Launch(dev.Stream(), config, x))
		}
		if got := elements(t, x)[0]; got != 3 {
			t.Errorf("%s: the kernels make %d, want 3", dev.Name(), got)
		}
		need(t, m.Close())
		m, err = interop.LoadModule(t.Context(), dev, []byte(calling))
		need(t, err)
		need(t, kernel(t, m, "calls").Launch(dev.Stream(), config))
		need(t, m.Close())
	}
	early := cudrv.LaunchAttribute{ID: cudrv.ProgrammaticSerialization, Value: [16]uint32{1}}
	if got := attributes(drv); fmt.Sprint(got) != fmt.Sprint([][]cudrv.LaunchAttribute{{early}, nil, {early}, {early}}) {
		t.Errorf("the launches had the attributes %v", got)
	}
}

// TestPDLOnOldGPUs: an older GPU, and an older driver, start a kernel when the one before it has ended. Code that is made for older GPUs has no wait.
func TestPDLOnOldGPUs(t *testing.T) {
	config := interop.Config{Grid: [3]int{1}, Block: [3]int{1}, PDL: true}
	old, oldDriver := onDriver(t, &simttest.GPU{Device: fake.Device{Major: 8, Memory: 1 << 30}, CUDA: 13040})
	m, err := interop.LoadModule(t.Context(), old, file(t, "kernels.ptx"))
	need(t, err)
	n := empty[int32](t, old, 1)
	need(t, kernel(t, m, "count").Launch(old.Stream(), config, n))
	need(t, old.Sync(t.Context()))
	if got := attributes(oldDriver); len(got) != 1 || got[0] != nil {
		t.Errorf("the launches had the attributes %v", got)
	}
	dev, drv := onDriver(t, &simttest.GPU{Device: fake.Device{Major: 9, Memory: 1 << 30, Multiprocessors: 4}, CUDA: 13040})
	drv.Fail("cuLaunchKernelEx", 1, cudrv.NotFound)
	m, err = interop.LoadModule(t.Context(), dev, []byte(dependent))
	need(t, err)
	x := empty[int32](t, dev, 1)
	need(t, kernel(t, m, "waits").Launch(dev.Stream(), config, x))
	if got := elements(t, x)[0]; got != 1 {
		t.Errorf("the kernel makes %d, want 1", got)
	}
}

// attributes are those of each launch that a driver took.
func attributes(drv *fake.Driver) (all [][]cudrv.LaunchAttribute) {
	for _, c := range drv.Trace() {
		switch {
		case c.Code != cudrv.Success:
		case c.Name == "cuLaunchKernel":
			all = append(all, nil)
		case c.Name == "cuLaunchKernelEx":
			all = append(all, c.Args[len(c.Args)-1].([]cudrv.LaunchAttribute))
		}
	}
	return all
}

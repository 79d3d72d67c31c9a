package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	driver "github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
	"github.com/cutile-go/cutile/tileir"
)

// patient is a machine for doctor.
type patient struct {
	gpus       []cuda.Info
	gpuErr     error
	vulkan     []vulkan.Info
	vulkanErr  error
	missing    bool   // there are no tools
	env        string // CUTILE_ASSEMBLER
	device     string // CUTILE_DEVICE
	distrusted []error
	code       Code
	infos      map[string]toolchain.Info // what the tools say; none for a broken one
}

func (p patient) probes() probes {
	return probes{
		gpus: func() ([]cuda.Info, error) { return p.gpus, p.gpuErr },
		find: func(name string) (toolchain.Tool, error) {
			if p.missing {
				return toolchain.Tool{}, &toolchain.NotFoundError{Name: name, Looked: []string{"PATH"}}
			}
			return toolchain.Tool{Name: name, Path: "/tools/" + name, Where: "PATH"}, nil
		},
		distrusted: func() []error { return p.distrusted },
		ask: func(_ context.Context, t toolchain.Tool) (toolchain.Info, error) {
			if info, ok := p.infos[t.Name]; ok {
				return info, nil
			}
			return toolchain.Info{}, errors.New("exit status 127")
		},
		vulkan: func() ([]vulkan.Info, error) { return p.vulkan, p.vulkanErr },
		cpu:    func() string { return "an engine" }, code: func() Code { return p.code },
	}
}

func gpu(ordinal, major, minor, driver int) cuda.Info {
	return cuda.Info{Ordinal: ordinal, Model: "NVIDIA T", Major: major, Minor: minor, Memory: 3 << 29, Multiprocessors: 2, Driver: driver}
}

func tools(ptxas string, versions []tileir.Version, targets ...string) map[string]toolchain.Info {
	other := toolchain.Info{Version: "13.4.92"}
	return map[string]toolchain.Info{
		toolchain.Tileiras: {Version: "13.4.92", Bytecodes: versions, Targets: targets}, toolchain.Tileirdisasm: other,
		toolchain.Ptxas: {Version: ptxas, Targets: []string{"sm_75", "sm_90a"}}, toolchain.Nvdisasm: other, toolchain.Cuobjdump: other,
	}
}

var patients = []struct {
	name string
	patient
	runs []bool   // by GPU
	want []string // of the text
}{
	{"healthy", patient{gpus: []cuda.Info{gpu(0, 9, 0, 13040), gpu(1, 12, 0, 13040)}, infos: tools("13.4.92", tileir.Versions(), "sm_90", "sm_120")},
		[]bool{true, true}, []string{
			"cuda:0: NVIDIA T (sm_90, 2 multiprocessors, 1.5 GiB, driver for CUDA 13.4)\n  kernels run on it: yes, because tileiras 13.4.92 makes code for sm_90",
			"from bytecode 13.4, and the driver supports CUDA 13.4"}},
	{"old-gpu", patient{code: Code{Processor: "a CPU, L1d 48 KiB", Level: "avx2", Features: []string{"avx2", "fma"}}, gpus: []cuda.Info{gpu(0, 7, 5, 13000), gpu(1, 9, 0, 13000)}, infos: tools("13.4.92", tileir.Versions(), "sm_90")},
		[]bool{true, true}, []string{"kernels run on it: yes, because our own compiler makes PTX 8.4 for sm_75, as tileiras makes no code for sm_75\n"}},
	{"oldest-gpu", patient{gpus: []cuda.Info{gpu(0, 7, 0, 13000)}, infos: tools("13.4.92", tileir.Versions(), "sm_90")},
		[]bool{false}, []string{"NO, because our own compiler makes no code for sm_70: the oldest GPUs that it knows are of sm_75 (Turing)\n  what to do: use the device \"cpu\""}},
	{"oldest-driver", patient{gpus: []cuda.Info{gpu(0, 7, 5, 11030)}, infos: tools("13.4.92", tileir.Versions(), "sm_90")},
		[]bool{false}, []string{"NO, because the NVIDIA driver supports CUDA 11.3, but kernels need 11.4 (release R470) or later\n  what to do: update the NVIDIA driver"}},
	{"chosen", patient{env: "tileiras", gpus: []cuda.Info{gpu(0, 9, 0, 12080), gpu(1, 9, 0, 13000)}, infos: tools("13.4.92", tileir.Versions(), "sm_90")},
		[]bool{false, true}, []string{"NO, because the NVIDIA driver supports CUDA 12.8, but kernels need 13.0 (release R580) or later\n  what to do: update the NVIDIA driver"}},
	{"chosen-missing", patient{env: "tileiras", gpus: []cuda.Info{gpu(0, 9, 0, 13000)}, missing: true},
		[]bool{false}, []string{"NO, because tileiras, which compiles kernels for it, is not installed"}},
	{"chosen-own", patient{env: "own", gpus: []cuda.Info{gpu(0, 9, 0, 13000)}, infos: tools("13.4.92", tileir.Versions(), "sm_90")},
		[]bool{true}, []string{"yes, because our own compiler makes PTX 8.4 for sm_90a, as it was chosen\n"}},
	{"chosen-wrong", patient{env: "nvcc", gpus: []cuda.Info{gpu(0, 9, 0, 13000)}, infos: tools("13.4.92", tileir.Versions(), "sm_90")},
		[]bool{false}, []string{"NO, because CUTILE_ASSEMBLER is \"nvcc\": expected own or tileiras\n  what to do: set CUTILE_ASSEMBLER to one of these, or to nothing"}},
	{"old-driver", patient{gpus: []cuda.Info{gpu(0, 9, 0, 12080)}, infos: tools("13.4.92", tileir.Versions(), "sm_90")},
		[]bool{true}, []string{"yes, because our own compiler makes PTX 8.4 for sm_90a, as code of tileiras needs a driver for CUDA 13.0 (release R580) or later\n"}},
	{"no-tools", patient{gpus: []cuda.Info{gpu(0, 9, 0, 13000)}, missing: true},
		[]bool{true}, []string{"yes, because our own compiler makes PTX 8.4 for sm_90a, as tileiras is not installed\n", "missing (looked in PATH); run `cutile toolchain install`", "ptxas         missing, too"}},
	{"broken-tools", patient{gpus: []cuda.Info{gpu(0, 9, 0, 13000)}},
		[]bool{true}, []string{"yes, because our own compiler makes PTX 8.4 for sm_90a, as tileiras does not work: exit status 127", "does not work: exit status 127 (PATH)"}},
	{"no-bytecode", patient{gpus: []cuda.Info{gpu(0, 9, 0, 13000)}, infos: tools("13.4.92", nil, "sm_90")},
		[]bool{true}, []string{"yes, because our own compiler makes PTX 8.4 for sm_90a, as tileiras 13.4.92 reads none of the bytecode versions that this program writes"}},
	{"mixed", patient{infos: tools("12.8.61", tileir.Versions(), "sm_90")},
		nil, []string{"note: tileiras 13.4.92 and ptxas 12.8.61 are of different releases", "found, but it lists no GPU: check nvidia-smi"}},
	{"vulkan", patient{vulkan: []vulkan.Info{
		{Device: driver.Info{Name: "A GPU", Type: driver.Integrated, Version: driver.V1_3 + 7, Driver: "drv, 1.2", Features: driver.Features{Int64: true}}},
		{Ordinal: 1, Device: driver.Info{Name: "An old GPU", Type: driver.Discrete, Version: driver.V1_1}, Lacks: []string{"Vulkan 1.2 (it has 1.1.0)"}},
	}}, nil, []string{
		"vulkan        found, 2 devices\n              vulkan:0: A GPU, integrated GPU, Vulkan 1.3.7, driver drv, 1.2\n" +
			"                does not have shaderFloat64, shaderInt16, ",
		"vulkan:0: A GPU (integrated GPU, Vulkan 1.3.7, 0 bytes, drv, 1.2)\n  kernels run on it: yes, because our own compiler makes SPIR-V for it; how it computes with floats is tested when it is opened\n",
		"vulkan:1: An old GPU (discrete GPU, Vulkan 1.1.0, 0 bytes)\n  kernels run on it: NO, because it lacks Vulkan 1.2 (it has 1.1.0)\n  what to do: update its driver",
		"\ncutile.Open(\"\") opens vulkan:0, as there is no GPU by CUDA\n"}},
	{"vulkan-software", patient{vulkan: []vulkan.Info{{Device: driver.Info{Name: "A CPU", Type: driver.CPU, Version: driver.V1_3}}}}, nil, []string{
		"yes, because our own compiler makes SPIR-V for it; how it computes with floats is tested when it is opened; pairs of words take the place of integers of 64 bits, ",
		"it computes on the CPU, where the device \"cpu\" is faster, and is used only by its name\n",
		"\ncutile.Open(\"\") opens cpu, as there is no GPU by CUDA, and no hardware by Vulkan that can run kernels\n"}},
	{"both", patient{gpus: []cuda.Info{gpu(0, 9, 0, 13000)}, infos: tools("13.4.92", tileir.Versions(), "sm_90"), vulkan: []vulkan.Info{
		{Device: driver.Info{Name: "A GPU", Type: driver.Discrete, Version: driver.V1_3}},
	}}, []bool{true}, []string{"\ncutile.Open(\"\") opens cuda:0, as GPUs by CUDA come first\n"}},
	{"named", patient{device: "cuda", gpus: []cuda.Info{gpu(0, 9, 0, 13000)}, missing: true}, []bool{true}, []string{"\ncutile.Open(\"\") opens cuda, as CUTILE_DEVICE says so\n"}},
	{"named-missing", patient{device: "vulkan:1", missing: true}, nil, []string{
		"\ngpu code      our own compiler makes PTX for sm_75 and later, and SPIR-V for Vulkan; it needs none",
		"\ncutile.Open(\"\") opens vulkan:1, as CUTILE_DEVICE says so; it is none of the devices above, so that only programs open it that register such a device\n"}},
	{"no-vulkan", patient{vulkanErr: vulkan.ErrNoDriver}, nil, []string{"vulkan        not found: no usable Vulkan driver\n"}},
	{"no-driver", patient{gpuErr: fmt.Errorf("%w: it hides", cuda.ErrNoDriver), infos: tools("13.4.92", tileir.Versions(), "sm_90")},
		nil, []string{"not found: " + cuda.ErrNoDriver.Error() + ": it hides", "cpu: an engine\n  kernels run on it: yes, because it needs neither a driver nor tools"}},
	{"no-code", patient{code: Code{Processor: "a CPU", Level: "interpreter", Error: "the system refuses executable memory: no"}},
		nil, []string{"processor     a CPU\nmachine code  cannot run, so that kernels are interpreted: the system refuses executable memory: no\ngpu code"}},
	{"bad-driver", patient{gpuErr: errors.New("cuInit: 999"), infos: tools("13.4.92", tileir.Versions(), "sm_90")},
		nil, []string{"found, but cuInit: 999"}},
}

func TestDoctor(t *testing.T) {
	for _, p := range patients {
		t.Run(p.name, func(t *testing.T) {
			t.Setenv(cuda.AssemblerEnv, p.env)
			t.Setenv(deviceEnv, p.device)
			sick := false
			for _, runs := range p.runs {
				sick = sick || !runs
			}
			var text, object bytes.Buffer
			found := examine(t.Context(), "v1", p.probes())
			found.Print(&text)
			if err := found.Sick(); (err != nil) != sick {
				t.Errorf("error %v", err)
			}
			if err := json.NewEncoder(&object).Encode(found); err != nil {
				t.Fatal(err)
			}
			for _, want := range p.want {
				if !strings.Contains(text.String(), want) {
					t.Errorf("%q is missing in\n%s", want, text.String())
				}
			}
			var r Report
			if err := json.Unmarshal(object.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			if len(r.Devices) != 1+len(p.runs)+len(p.vulkan) || !r.Devices[0].Runs || len(r.Tools) != len(toolchain.Names()) {
				t.Fatalf("got %+v", r)
			}
			for i, runs := range p.runs {
				if v := r.Devices[i+1]; v.Runs != runs || v.Device != p.gpus[i].Name() || (v.Do == "") != runs {
					t.Errorf("got %+v", v)
				}
			}
		})
	}
}

var update = flag.Bool("update", false, "write the golden file")

var ours = regexp.MustCompile(`(?m)^(cutile|go) .*$`)

// TestDoctorGolden fixes the whole text of one machine.
func TestDoctorGolden(t *testing.T) {
	t.Setenv(deviceEnv, "")
	r := examine(t.Context(), "v1", patients[1].probes())
	if err := r.Sick(); err != nil {
		t.Error(err)
	}
	var out bytes.Buffer
	r.Print(&out)
	file := filepath.Join("testdata", "doctor.txt")
	got := ours.ReplaceAllString(out.String(), "$1 …")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant, as %s has it,\n%s", got, file, want)
	}
}

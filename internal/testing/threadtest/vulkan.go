package threadtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	driver "github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/vulkan"
	"github.com/cutile-go/cutile/internal/spirv"
	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/tileir"
)

// NeedsVulkan skips a test, or fails it where CUTILE_REQUIRE has vulkan, unless the machine has a Vulkan device that runs kernels: "vulkan:0".
func NeedsVulkan(t testing.TB) vulkan.Info {
	t.Helper()
	infos, err := vulkan.Devices(vulkan.Usual())
	if err == nil && (len(infos) == 0 || len(infos[0].Lacks) > 0) {
		err = errors.New("no device can run kernels")
	}
	if err != nil {
		testenv.Missing(t, "vulkan", err)
	}
	return infos[0]
}

// Pairs are the features that a device without integers of 64 bits lacks.
var Pairs = []string{"shaderInt64", "shaderBufferInt64Atomics", "shaderSharedInt64Atomics"}

// Lacking gives programs of the test Vulkan devices that lack features, by Vulkan's names, as if their drivers had said so.
func Lacking(t testing.TB, features ...string) {
	t.Helper()
	t.Cleanup(engine.Register(vulkan.Kind(vulkan.Options{Adjust: func(i *driver.Info) {
		for _, name := range features {
			if !i.Features.Hide(name) {
				t.Errorf("there is no feature %s", name)
			}
		}
	}})))
}

// reasons are those for which a device refuses kernels that lacks a feature.
var reasons = map[string]string{
	"the device has no integers of 8 bits": "shaderInt8", "the device has no integers of 16 bits": "shaderInt16",
	"the device has no memory of 8 bits": "storageBuffer8BitAccess", "the device has no memory of 16 bits": "storageBuffer16BitAccess",
	"the device has no atomic operations of 64 bits": "shaderBufferInt64Atomics",
}

// Refuses says what a device lacks, where it has to refuse a kernel for a reason: a feature, or room for long kernels. It is "" for other
// reasons.
func Refuses(c vulkan.Caps, why string) string {
	feature := reasons[why]
	switch {
	case slices.Contains(c.Features.Missing(), feature):
		return feature
	case c.Longest > 0 && strings.Contains(why, " instructions, but the driver ends the process "):
		return "long kernels"
	}
	return ""
}

// All reports whether CUTILE_OWN asks for all cases of tests of our own compiler, where these run some otherwise.
func All() bool { return os.Getenv("CUTILE_OWN") == "all" }

// Checked is [vulkan.Threads], whose modules our verifier and, where it is installed, Khronos's must accept.
func Checked(ctx context.Context, m *tileir.Module, entry string, c vulkan.Caps) (*vulkan.Code, error) {
	code, err := vulkan.Threads(ctx, m, entry, c)
	if err != nil {
		return nil, err
	}
	module, err := spirv.ReadWords(code.Words)
	if err == nil {
		err = Valid(module)
	}
	return code, err
}

// Valid checks a module by our verifier and by spirv-val, which may be missing only if CUTILE_REQUIRE does not name it.
func Valid(m *spirv.Module) error {
	if err := spirv.Verify(m); err != nil {
		return fmt.Errorf("SPIR-V that is not valid: %w\n%v", err, m)
	}
	tool, err := exec.LookPath(filepath.Join(os.Getenv("CUTILE_SPIRV_TOOLS"), "spirv-val"))
	switch {
	case err != nil && testenv.Required("spirv-val"):
		return err
	case err != nil:
		return nil
	}
	cmd := exec.Command(tool, "--target-env", "vulkan1.3", "--scalar-block-layout", "-")
	cmd.Stdin = bytes.NewReader(m.Bytes())
	out, err := cmd.CombinedOutput()
	if err != nil && !testenv.Required("spirv-val") && bytes.Contains(out, []byte("Invalid capability operand")) {
		return nil // it is older than what the module uses
	}
	if err != nil {
		return fmt.Errorf("spirv-val: %w: %s\n%v", err, out, m)
	}
	return nil
}

// Vulkan runs random programs on a device, whose kernels must have been compiled by the driver and have ended in three minutes.
func Vulkan(d *vulkan.Device) nativefuzz.Engine {
	return nativefuzz.Engine{Name: d.Name(), Run: func(p *nativefuzz.Program, data [][]byte) (refused, fault string, err error) {
		k, err := d.Compile(context.Background(), p.Module, p.Module.Entries[0].Name)
		var no engine.CompileError
		if errors.As(err, &no) {
			return no.Why(), "", nil
		} else if err != nil {
			return "", "", err
		}
		defer k.Close()
		s, err := d.NewStream()
		if err != nil {
			return "", "", err
		}
		defer s.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
		defer cancel()
		fault, err = onDevice(ctx, d, s, k, p, data)
		return "", fault, err
	}}
}

func onDevice(ctx context.Context, d engine.Device, s engine.Stream, k engine.Kernel, p *nativefuzz.Program, data [][]byte) (fault string, err error) {
	var args []uint64
	var buffers []engine.Buffer
	for _, q := range p.Params {
		if q.Elems < 0 {
			args = append(args, q.Bits)
			continue
		}
		bytes := data[len(buffers)]
		b, err := d.Alloc(int64(len(bytes)))
		if err != nil {
			return "", err
		}
		defer b.Free()
		if err := s.Write(b, 0, bytes); err != nil {
			return "", err
		}
		buffers, args = append(buffers, b), append(args, b.Address())
	}
	if err := s.Launch(k, p.Grid, args); err != nil {
		return "", err
	}
	if err := s.Wait(ctx); err != nil {
		return err.Error(), nil
	}
	for i, b := range buffers {
		if err := s.Read(ctx, data[i], b, 0); err != nil {
			return "", err
		}
	}
	return "", nil
}

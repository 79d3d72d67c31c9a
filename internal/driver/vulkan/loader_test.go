//go:build !novulkan && linux && (amd64 || arm64)

package vulkan_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// loader compiles testdata/loader.c with definitions such as LACKS="vkCreateInstance" in place of the usual ones.
func loader(t *testing.T, defines ...string) string {
	t.Helper()
	cc, out := testenv.CC(t), filepath.Join(t.TempDir(), "libvulkan.so.1")
	args := []string{"-shared", "-fPIC", "-O1", "-w", "-fvisibility=hidden", "-o", out, filepath.Join("testdata", "loader.c")}
	for _, d := range append([]string{"VERSION=0x403000", "CREATE=0", "DEVICES=0", "EXTENSIONS=0", `LACKS=""`, "LOOKUP=vkGetInstanceProcAddr"}, defines...) {
		name, _, _ := strings.Cut(d, "=")
		args = append(args, "-U"+name, "-D"+d)
	}
	if b, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cc, err, b)
	}
	return out
}

// TestLoaders opens what is not a loader that works.
func TestLoaders(t *testing.T) {
	for _, c := range []struct {
		define   string
		noDriver bool
		want     string
	}{
		{"LOOKUP=vkOther", true, "it has no function vkGetInstanceProcAddr; this is not Vulkan's loader: install "},
		{`LACKS="vkCreateInstance"`, true, "it has no function vkCreateInstance; update Vulkan's loader"},
		{`LACKS="vkEnumerateInstanceVersion"`, true, "the loader is of Vulkan 1.0.0, but 1.1 or later is needed; update Vulkan's loader and the driver"},
		{"VERSION=0x400123", true, "the loader is of Vulkan 1.0.291, but 1.1 or later is needed"},
		{"CREATE=-9", true, "vkCreateInstance: VK_ERROR_INCOMPATIBLE_DRIVER; no driver was found: install the one of the GPU, and see whether VK_DRIVER_FILES"},
		{"CREATE=-3", false, "vkCreateInstance: VK_ERROR_INITIALIZATION_FAILED (-3); see what vulkaninfo says"},
		{`LACKS="vkCreateDevice"`, true, "it has no function vkCreateDevice; update Vulkan's loader"},
		{"EXTENSIONS=0x7fffffff", false, "the driver says that it has 2147483647 of what there are some tens"},
		{"DEVICES=-1", false, "vkEnumeratePhysicalDevices: VK_ERROR_OUT_OF_HOST_MEMORY (-1)"},
		{"DEVICES=0", false, ""},
	} {
		l, err := vulkan.OpenLibrary(loader(t, c.define))
		var in *vulkan.Instance
		if err == nil {
			in, err = l.NewInstance()
		}
		if err == nil {
			var list []*vulkan.Physical
			if list, err = in.Devices(); len(list) > 0 {
				t.Errorf("%s: got %d devices", c.define, len(list))
			}
			in.Destroy()
		}
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: error %v, want %q", c.define, err, c.want)
		case errors.Is(err, vulkan.ErrNoDriver) != c.noDriver:
			t.Errorf("%s: %v is ErrNoDriver: %v", c.define, err, !c.noDriver)
		}
		if l != nil && len(l.Live()) > 0 {
			t.Errorf("%s: left %v", c.define, l.Live())
		}
	}
}

func TestNoLibrary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "libnone.so")
	l, err := vulkan.OpenLibrary(path)
	if l != nil || !errors.Is(err, vulkan.ErrNoDriver) || !strings.HasPrefix(err.Error(), "no Vulkan driver (tried "+path+"): ") ||
		!strings.Contains(err.Error(), "CUTILE_LIBVULKAN") {
		t.Errorf("got %v, %v", l, err)
	}
}

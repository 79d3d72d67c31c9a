// Package vulkantest gives tests a Vulkan device, where the machine has one, and kernels in SPIR-V, which its folder
// testdata has as text.
package vulkantest

import (
	"embed"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cutile-go/cutile/internal/driver/vulkan"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// Instance gives an instance of Vulkan that has at least one device, and the devices. The loader is opened anew, so that the
// test may make its calls fail and count its objects. scripts/vulkan.sh installs two software drivers in a folder.
func Instance(t testing.TB) (*vulkan.Instance, []*vulkan.Physical) {
	t.Helper()
	in, list, err := instance()
	if err != nil {
		testenv.Missing(t, "vulkan", err)
	}
	t.Cleanup(in.Destroy)
	return in, list
}

func instance() (*vulkan.Instance, []*vulkan.Physical, error) {
	usual, err := vulkan.Open()
	if err != nil {
		return nil, nil, err
	}
	l, err := vulkan.OpenLibrary(usual.Path())
	if err != nil {
		return nil, nil, err
	}
	in, err := l.NewInstance()
	if err != nil {
		return nil, nil, err
	}
	list, err := in.Devices()
	if err == nil && len(list) == 0 {
		err = errors.New("there is no device")
	}
	if err != nil {
		in.Destroy()
		return nil, nil, err
	}
	return in, list, nil
}

//go:embed testdata
var texts embed.FS

// SPIRV gives a kernel of testdata, such as "add", by spirv-as. spirv-val has checked it.
func SPIRV(t testing.TB, name string) []uint32 {
	t.Helper()
	for _, tool := range []string{"spirv-as", "spirv-val"} {
		if _, err := exec.LookPath(tool); err != nil {
			testenv.Missing(t, "spirv-as", err)
		}
	}
	text, err := texts.ReadFile("testdata/" + name + ".spvasm")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.spvasm"), filepath.Join(dir, "out.spv")
	if err := os.WriteFile(in, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*exec.Cmd{
		exec.Command("spirv-as", "--target-env", "spv1.5", "-o", out, in),
		exec.Command("spirv-val", "--target-env", "vulkan1.2", "--scalar-block-layout", out),
	} {
		if said, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %s: %v\n%s", name, c.Path, err, said)
		}
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	words := make([]uint32, len(b)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return words
}

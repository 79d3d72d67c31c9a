package vulkan_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/testing/vulkantest"
)

// complaint is a line of the validation layer; newer is one about a structure that this version of the layer does not know.
var complaint, newer = regexp.MustCompile(`Validation Error: .*`), regexp.MustCompile(`unknown VkStructureType \(\d+\)`)

// TestValidation runs tests of this package once more, in a process of their own, with the validation layer of Khronos, which
// finds calls that break the rules of Vulkan.
func TestValidation(t *testing.T) {
	testenv.Elsewhere(t)
	const variable, layer = "VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation"
	if os.Getenv(variable) != "" {
		t.Skip("layers are asked for already")
	}
	vulkantest.Instance(t)
	tests := "TestAdd|TestGrids|TestKernels|TestScratch|TestCopies|TestEvents|TestStop|TestFault|TestFreeWhileQueued|TestPipelineCache|TestConcurrent|TestCloseWhileUsed"
	cmd := exec.Command(os.Args[0], "-test.v", "-test.run", fmt.Sprintf("^(%s)$", tests))
	cmd.Env = append(os.Environ(), variable+"="+layer)
	out, err := cmd.CombinedOutput()
	if strings.Contains(string(out), "VK_ERROR_LAYER_NOT_PRESENT") {
		testenv.Missing(t, "vulkan", fmt.Errorf("the layer %s is not installed", layer))
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	told := map[string]bool{}
	for _, line := range complaint.FindAllString(string(out), -1) {
		if rule, _, _ := strings.Cut(line, "]"); !newer.MatchString(line) && !told[rule] {
			told[rule] = true
			t.Error(line)
		}
	}
	if n := strings.Count(string(out), "\n--- PASS: "); n < 12 {
		t.Errorf("%d tests have run, want 12", n)
	}
}

//go:build novulkan || !((linux || darwin || windows) && (amd64 || arm64))

package vulkan_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/driver/vulkan"
)

func TestOpenWithoutVulkan(t *testing.T) {
	l, err := vulkan.Open()
	if l != nil || !errors.Is(err, vulkan.ErrNoDriver) || !strings.HasPrefix(err.Error(), "no Vulkan driver: this ") {
		t.Errorf("Open gives %v, %v", l, err)
	}
	if l, err = vulkan.OpenLibrary("x"); l != nil || !errors.Is(err, vulkan.ErrNoDriver) {
		t.Errorf("OpenLibrary gives %v, %v", l, err)
	}
}

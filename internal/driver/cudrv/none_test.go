//go:build nocuda || !((linux && (amd64 || arm64)) || (windows && amd64))

package cudrv_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
)

func TestOpenWithoutCUDA(t *testing.T) {
	for name, open := range map[string]func() (cudrv.Driver, error){
		"Open":        cudrv.Open,
		"OpenLibrary": func() (cudrv.Driver, error) { return cudrv.OpenLibrary("x") },
	} {
		d, err := open()
		if d != nil || !errors.Is(err, cudrv.ErrNoDriver) || !strings.HasPrefix(err.Error(), "no CUDA driver: ") {
			t.Errorf("%s gives %v, %v", name, d, err)
		}
	}
}

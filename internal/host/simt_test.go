package host_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/host"
	"github.com/cutile-go/cutile/internal/simt"
)

// TestLoadSIMT: a device unloads what nobody closed, and what was closed is not unloaded again.
func TestLoadSIMT(t *testing.T) {
	d, err := host.Open(cpu.New(cpu.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	unloaded := map[string]int{}
	load := func(name string) engine.SIMTModule {
		m, err := d.LoadSIMT(t.Context(), &simt.Module{Name: name}, nil, func() { unloaded[name]++ })
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	load("a")
	if err := load("b").Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(func() {}); err != nil || unloaded["a"] != 1 || unloaded["b"] != 0 {
		t.Errorf("unloaded %v, %v", unloaded, err)
	}
	if _, err := d.LoadSIMT(t.Context(), &simt.Module{}, nil, nil); !errors.Is(err, host.ErrClosed) {
		t.Errorf("a closed device gave %v", err)
	}
	_, tiles := openFake(t)
	_, err = tiles.LoadSIMT(t.Context(), &simt.Module{}, nil, nil)
	for _, err := range []error{err, tiles.Main().LaunchSIMT(nil, engine.SIMTLaunch{}, nil)} {
		if err == nil || !strings.Contains(err.Error(), "device fake does not run kernels of package cute") {
			t.Errorf("a device for tiles alone gave %v", err)
		}
	}
}

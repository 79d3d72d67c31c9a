package cpu_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cpu"
	"github.com/cutile-go/cutile/internal/native/host"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/tileir/text"
)

// TestKeepsBugs: a panic while machine code is made for launches, or while one runs, ends the launch with a fault that keeps what repeats it
// where that is asked for. The device goes on.
func TestKeepsBugs(t *testing.T) {
	for name, want := range map[string]string{"compiling": "cpu: compiling panicked: no", "running": "the CPU engine panicked: no"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("CUTILE_DEBUG", "bundle="+dir)
			broken := true
			o := cpu.Options{Early: name == "compiling"}
			if name == "compiling" {
				o = cpu.WithMap(o, func([]byte, ...host.Function) (*host.Code, error) { panic("no") })
			} else {
				o.Memory = func(n int) ([]byte, func() error, error) {
					if broken {
						panic("no")
					}
					return make([]byte, n), func() error { return nil }, nil
				}
			}
			d := newDevice(t, o)
			source := increment(t, 16, 64)
			k := source.compile(d)
			room := upload(t, d, make([]int32, 80))
			var err error
			for range 20 { // the first launches are interpreted where machine code is made late
				if err = launchOn(t, d, k, room.Address()); err != nil {
					break
				}
				cpu.Made(k)
			}
			var kept engine.Bundled
			if !errors.As(err, &kept) || filepath.Dir(kept.Folder()) != dir || !strings.Contains(err.Error(), "BUG: "+want) ||
				!strings.Contains(err.Error(), "; the files to reproduce it are in "+dir) {
				t.Fatalf("error %v, want %s", err, want)
			}
			for file, want := range map[string]string{"kernel.tileir": text.Sprint(source.module), "repeat.sh": "cutile run -outside -entry 'k' -grid 4,1,1 -arg int32:80 kernel.tileir\n",
				"versions.txt": "device ", "output.txt": "goroutine "} {
				if data, err := os.ReadFile(filepath.Join(kept.Folder(), file)); err != nil || !strings.Contains(string(data), want) {
					t.Errorf("%s is %q, %v, want %q", file, data, err, want)
				}
			}
			if broken = false; name == "running" {
				if err := launchOn(t, d, k, room.Address()); err != nil || elems[int32](room)[63] != 1 {
					t.Errorf("the next launch: %v, %d", err, elems[int32](room)[63])
				}
			}
		})
	}
}

// TestKeepsSIMTBugs: a panic while a kernel of the SIMT level runs keeps the module, its PTX, and the command that launches it again.
func TestKeepsSIMTBugs(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("CUTILE_DEBUG", "bundle="+dir)
	d := newDevice(t, cpu.Options{})
	m := simtModule(func(b *simt.Builder, base simt.Reg) {
		v := b.Value(simt.B32, "ld.param.b32", simt.AtName("bytes", 12))
		b.Emit("st.global.b32", nil, simt.At(base, 0), v)
	})
	m.Kernels[0].Params = append(m.Kernels[0].Params, simt.Param{Name: "bytes", Type: "b8", Bytes: 16, Align: 8})
	k := loadSIMT(t, d, m)
	buf, err := d.Alloc(24)
	if err != nil {
		t.Fatal(err)
	}
	s := newStream(t, d)
	cpu.Break(k)
	launch := engine.SIMTLaunch{Grid: [3]uint32{3, 1, 1}, Args: []uint64{buf.Address() + 8, 0}, Bytes: map[int][]byte{1: make([]byte, 16)}, Buffers: []engine.Buffer{buf}}
	if err := s.(engine.SIMTStream).LaunchSIMT(k, launch); err != nil {
		t.Fatal(err)
	}
	err = s.Wait(bg)
	var kept engine.Bundled
	if !errors.As(err, &kept) || filepath.Dir(kept.Folder()) != dir || !strings.Contains(err.Error(), "BUG: ") {
		t.Fatalf("error %v", err)
	}
	for file, want := range map[string]string{"module.simt": "gpu.func @k(", "kernel.ptx": ".entry k(", "facts.txt": "grid [3 1 1]", "argument-1.npy": "(16,)", "output.txt": "goroutine ",
		"repeat.sh": "cutile profile -emulate -entry 'k' -grid 3,1,1 -arg uint8:16 -arg argument-1.npy kernel.ptx\n"} {
		if data, err := os.ReadFile(filepath.Join(kept.Folder(), file)); err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s is %q, %v, want %q", file, data, err, want)
		}
	}
}

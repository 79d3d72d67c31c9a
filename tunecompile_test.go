package cutile_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/engine/cuda"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

// maker assembles kernels, in another way those whose names have one of the texts.
type maker struct {
	assembler
	ways map[string]func(ctx context.Context, job cuda.Job) ([]byte, error)

	mu sync.Mutex // candidates that are late are assembled beside the next ones
	n  map[string]int

	folder string // for what is made; "" for none
}

// count notes that a kernel is assembled.
func (m *maker) count(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.n == nil {
		m.n = map[string]int{}
	}
	m.n[name]++
}

// counts says how often which kernels were assembled.
func (m *maker) counts() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return fmt.Sprint(m.n)
}

func (m *maker) Assemble(ctx context.Context, job cuda.Job) ([]byte, error) {
	for name, way := range m.ways {
		if strings.Contains(job.Entry.Name, name) {
			m.count(name)
			return way(ctx, job)
		}
	}
	m.count("others")
	if m.folder != "" {
		return (&cuda.Recorder{Dir: m.folder, Next: m.assembler}).Assemble(ctx, job)
	}
	return m.assembler.Assemble(ctx, job)
}

// script is a shell script in the place of tileiras.
func script(t *testing.T, command string) func(ctx context.Context, job cuda.Job) ([]byte, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "tileiras")
	must(t, os.WriteFile(file, []byte("#!/bin/sh\ncase $1 in\n--version) echo 'release 13.4, V13.4.1'; exit;;\n--help) echo '--gpu-name=sm_90'; exit;;\n"+
		"--list-versions) echo 13.1; exit;;\nesac\nwhile [ \"$1\" != -o ]; do shift; done; out=$2\n"+command+"\n"), 0o755))
	tool := &cuda.Tileiras{Tool: toolchain.Tool{Name: toolchain.Tileiras, Path: file, Where: "this test"}}
	return tool.Assemble
}

// makingGPU opens a GPU whose driver triples, the faster the greater the tiles, and whose code an assembler makes.
func makingGPU(t *testing.T, m *maker, run func(l *fake.Launch) error) *cutile.Device {
	t.Helper()
	drv := fake.New(fake.Options{Quiet: true, Run: run, Devices: []fake.Device{{Name: "GPU", Major: 9, Memory: 1 << 26}}})
	t.Cleanup(engine.Register(cuda.Kind(cuda.Options{Driver: drv, Assembler: m})))
	dev, err := cutile.Open("cuda")
	must(t, err)
	t.Cleanup(func() { dev.Close() })
	return dev
}

// runTriple is what the kernels triple do.
func runTriple(l *fake.Launch) error {
	x, err := l.Memory(l.Args[0])
	if err != nil {
		return err
	}
	z, err := l.Memory(l.Args[3])
	if err != nil {
		return err
	}
	for i := range int(l.Args[1]) {
		v := math.Float32frombits(binary.LittleEndian.Uint32(x[4*i:]))
		binary.LittleEndian.PutUint32(z[4*i:], math.Float32bits(3*v))
	}
	time.Sleep(time.Duration(l.Grid[0]) * 20 * time.Microsecond)
	return nil
}

// TestTuneAssembler: where the assembler hangs, crashes or gives what is no code for some configurations, the search goes on with others on the same
// device, and its records have what was wrong.
func TestTuneAssembler(t *testing.T) {
	deaf := make(chan struct{})
	m := &maker{ways: map[string]func(ctx context.Context, job cuda.Job) ([]byte, error){
		"D32":  func(ctx context.Context, job cuda.Job) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() },
		"D64":  func(ctx context.Context, job cuda.Job) ([]byte, error) { <-deaf; return nil, errors.New("too late") },
		"D128": script(t, "exec sleep 1000"), "D256": script(t, "kill -SEGV $$"), "D512": script(t, "echo no code >$out"),
		"D1024": func(context.Context, cuda.Job) ([]byte, error) { return []byte("no code either"), nil },
		"D8192": func(context.Context, cuda.Job) ([]byte, error) { panic("it panics") },
	}}
	dev := makingGPU(t, m, runTriple)
	t.Cleanup(func() { close(deaf) })
	file := filepath.Join(t.TempDir(), "tuned.json")
	space := []way{{"triple", 16}, {"triple", 32}, {"triple", 64}, {"triple", 128}, {"triple", 256}, {"triple", 512}, {"triple", 1024}, {"triple", 8192}, {"triple", 2048}}
	for _, again := range []bool{false, true} {
		s, _ := triples(t, dev, space...)
		r, err := cutile.OpenRecords(file)
		must(t, err)
		s.Records, s.Timeout = r, time.Second
		before := m.counts()
		found, err := cutile.Tune(t.Context(), s)
		must(t, err)
		if again && m.counts() != before {
			t.Errorf("with records, the assembler runs again: %s, before %s", m.counts(), before)
		}
		if found.Best != (way{"triple", 2048}) || len(found.Trials) != len(space) {
			t.Errorf("found %+v", found)
		}
		for size, want := range map[int]string{
			32: "its compilation has not ended after 1s", 64: "its compilation has not ended after 1s", 128: "its compilation has not ended after 1s",
			256: "signal: segmentation fault", 512: "tileiras", 1024: "no code either", 8192: "BUG: it panics",
		} {
			if x := trial(t, found, way{"triple", size}); size != 1024 && (x.Err == nil || !strings.Contains(x.Err.Error(), want)) || x.Err == nil || x.Time != 0 {
				t.Errorf("%d: %+v, want %q", size, x, want)
			}
		}
	}
}

// TestTuneAssemblerDefault: a default whose compilation takes too long ends the search, and not the device.
func TestTuneAssemblerDefault(t *testing.T) {
	m := &maker{ways: map[string]func(ctx context.Context, job cuda.Job) ([]byte, error){"D32": script(t, "exec sleep 1000")}}
	dev := makingGPU(t, m, runTriple)
	s, _ := triples(t, dev, way{"triple", 32}, way{"triple", 64})
	s.Timeout = 500 * time.Millisecond
	_, err := cutile.Tune(t.Context(), s)
	fails(t, err, `the default {"Kernel":"triple","Tile":32}: its compilation has not ended after 500ms: its results are those of the search`)
	if err != nil && strings.Contains(err.Error(), "lost") {
		t.Errorf("nothing was launched, but %v", err)
	}
	s.Space = s.Space[1:]
	_, err = cutile.Tune(t.Context(), s)
	must(t, err)
}

// TestTuneLate: on a device that cannot stop a kernel, one that ends late is no configuration to choose, and one that never ends ends the search.
func TestTuneLate(t *testing.T) {
	never := make(chan struct{})
	release := func() { close(never) }
	m := &maker{}
	dev := makingGPU(t, m, func(l *fake.Launch) error {
		switch {
		case strings.Contains(l.Kernel, "D64"):
			time.Sleep(1500 * time.Millisecond)
		case strings.Contains(l.Kernel, "D128"):
			<-never
		}
		return runTriple(l)
	})
	s, _ := triples(t, dev, way{"triple", 16}, way{"triple", 64}, way{"triple", 256})
	s.Timeout = time.Second
	found, err := cutile.Tune(t.Context(), s)
	must(t, err)
	if x := trial(t, found, way{"triple", 64}); x.Err == nil || x.Err.Error() != "it has not ended after 1s" || found.Best != (way{"triple", 256}) {
		t.Errorf("found %+v", found)
	}
	s.Space, s.Timeout = []way{{"triple", 16}, {"triple", 128}, {"triple", 256}}, 200*time.Millisecond
	_, err = cutile.Tune(t.Context(), s)
	fails(t, err, `the device is lost after {"Kernel":"triple","Tile":128}: it has not ended after 200ms (the device cannot stop it): open it again, or start the program again`)
	release()
}

package cutile_test

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/testing/simttest"
	"github.com/cutile-go/cutile/tile"
)

// factors are those of a product of 64 by k and k by 64 elements on a device: usual ones, ones whose rows begin at odd places, for which
// other code is made, or a left one whose rows are all the same memory, which has no tensor map for the usual code.
func factors(t *testing.T, dev *cutile.Device, kind string) (a, b *cutile.Tensor[dtype.Float16]) {
	t.Helper()
	const n, k = 64, 128
	numbers := func(rows, columns int) []dtype.Float16 {
		out := make([]dtype.Float16, rows*columns)
		for i := range out {
			out[i] = dtype.Float16FromFloat32(float32(i*i%7 - i%5))
		}
		return out
	}
	rows, more := n, 0
	switch kind {
	case "repeated":
		rows = 1
	case "unaligned":
		more = 1
	}
	a, err := cutile.FromSlice(dev, numbers(rows, k+more), rows, k+more)
	must(t, err)
	b, err = cutile.FromSlice(dev, numbers(k, n+more), k, n+more)
	must(t, err)
	a, b = a.Narrow(1, more, k+more), b.Narrow(1, more, n+more)
	if kind == "repeated" {
		a = a.Broadcast(n, k)
	}
	return a, b
}

// multiplies gives the product of such factors.
func multiplies(t *testing.T, dev *cutile.Device, kind string) []float32 {
	t.Helper()
	a, b := factors(t, dev, kind)
	z := zeros[float32](t, dev, 64, 65).Narrow(1, 1, 65)
	if kind != "unaligned" {
		z = zeros[float32](t, dev, 64, 64)
	}
	must(t, cutile.Launch(t.Context(), dev, product[tile.D64, tile.D64, tile.D64], a, b, z))
	got, err := z.Slice()
	must(t, err)
	return got
}

// recorded is a folder that a program on the CPU filled, and what it computed.
func recorded(t *testing.T, archs string, kinds ...string) (dir string, want map[string][]float32) {
	t.Helper()
	dir, want = filepath.Join(t.TempDir(), "recorded"), map[string][]float32{}
	t.Setenv("CUTILE_CACHE", t.TempDir())
	t.Setenv("CUTILE_RECORD", dir)
	t.Setenv("CUTILE_ARCHS", archs)
	dev := open(t)
	for _, kind := range kinds {
		want[kind] = multiplies(t, dev, kind)
	}
	t.Setenv("CUTILE_RECORD", "")
	return dir, want
}

// has is the content of the files of a folder by their names.
func has(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	_, files := readManifest(t, dir)
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.File))
		must(t, err)
		out[f.File] = string(data)
	}
	return out
}

// TestRecordTensorMaps: what a program on the CPU records uses TMA where devices of this module launch it, and code without stands beside it
// for tensors that have no map. No compiler runs where the code is launched.
func TestRecordTensorMaps(t *testing.T) {
	dir, want := recorded(t, "own:sm_90a", "usual", "repeated", "unaligned")
	files := has(t, dir)
	for name, text := range files {
		if boxes := strings.Contains(text, "cp.async.bulk.tensor"); boxes != strings.HasSuffix(name, ".sm_90a.own.tensors.ptx") || !strings.Contains(text, "wgmma.mma_async") {
			t.Errorf("%s: it copies boxes: %v", name, boxes)
		}
	}
	for _, c := range []struct {
		kind  string
		loads string // with boxes
		maps  bool
	}{{"usual", "[true]", true}, {"repeated", "[true false]", false}, {"unaligned", "[false]", false}} {
		gpu := &simttest.GPU{Device: fake.Device{Major: 9}, CUDA: 13040}
		drv := ptxGPU(t, gpu)
		var log strings.Builder
		dev, err := cutile.Open("cuda", cutile.WithCubins(os.DirFS(dir)), cutile.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		must(t, err)
		if got := multiplies(t, dev, c.kind); !slices.Equal(got, want[c.kind]) {
			t.Errorf("%s: the product is wrong; %v", c.kind, gpu.Faults())
		}
		must(t, dev.Close())
		var loads []bool
		maps := false
		for _, call := range drv.Trace() {
			switch call.Name {
			case "cuModuleLoadDataEx":
				for name, text := range files {
					if call.Args[0] == len(text) {
						loads = append(loads, strings.Contains(name, "tensors"))
					}
				}
			case "cuTensorMapEncodeTiled":
				maps = true
			}
		}
		if fmt.Sprint(loads) != c.loads || maps != c.maps {
			t.Errorf("%s: modules with boxes %v, maps %v; want %v, %v", c.kind, loads, maps, c.loads, c.maps)
		}
		if !strings.Contains(log.String(), `code="found in the folder of cubins as `) || strings.Contains(log.String(), "compiled to PTX") {
			t.Errorf("%s: the log is\n%s", c.kind, log.String())
		}
	}
}

// TestExportOwn: exported PTX takes no tensor maps, since other programs may launch it, and GPUs that are newer than its target run it.
func TestExportOwn(t *testing.T) {
	t.Setenv("CUTILE_CACHE", t.TempDir())
	dir := t.TempDir()
	a, b, z := cutile.SpecOf[dtype.Float16](64, 128), cutile.SpecOf[dtype.Float16](128, 64), cutile.SpecOf[float32](64, 64)
	must(t, cutile.Export(t.Context(), dir, []string{"own:sm_75", "own:sm_90"}, product[tile.D64, tile.D64, tile.D64], a, b, z))
	for name, text := range has(t, dir) {
		if strings.Contains(text, "cp.async.bulk.tensor") || strings.Contains(name, "tensors") || !strings.Contains(text, ".version 7.") {
			t.Errorf("%s copies boxes, or is of a new version of PTX", name)
		}
	}
	want := multiplies(t, open(t), "usual")
	for gpu, target := range map[*simttest.GPU]string{
		{Device: fake.Device{Major: 7, Minor: 5}, CUDA: 11040}: "sm_75", {Device: fake.Device{Major: 8, Minor: 9}, CUDA: 13040}: "sm_75",
		{Device: fake.Device{Major: 9}, CUDA: 11080}: "sm_90", {Device: fake.Device{Major: 9}, CUDA: 11060}: "sm_75", {Device: fake.Device{Major: 12, Minor: 1}, CUDA: 13000}: "sm_90",
	} {
		ptxGPU(t, gpu)
		var log strings.Builder
		dev, err := cutile.Open("cuda", cutile.WithCubins(os.DirFS(dir)), cutile.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		must(t, err)
		if got := multiplies(t, dev, "usual"); !slices.Equal(got, want) {
			t.Errorf("%s: the product is wrong; %v", gpu.Device.Target(), gpu.Faults())
		}
		must(t, dev.Close())
		if !strings.Contains(log.String(), "."+target+".own.ptx") {
			t.Errorf("%s: the log is\n%s", gpu.Device.Target(), log.String())
		}
	}
}

// TestDamagedArchive: an archive that is cut off is no archive, and what has changed in one is not launched.
func TestDamagedArchive(t *testing.T) {
	dir, want := recorded(t, "own:sm_90a", "usual")
	pack := func(change func(name, data string) string) string {
		var out strings.Builder
		z := zip.NewWriter(&out)
		for name, data := range has(t, dir) {
			w, err := z.CreateHeader(&zip.FileHeader{Name: name}) // which is stored as it is
			must(t, err)
			_, err = io.WriteString(w, change(name, data))
			must(t, err)
		}
		w, err := z.Create("manifest.json")
		must(t, err)
		text, _ := readManifest(t, dir)
		_, err = io.WriteString(w, change("manifest.json", string(text)))
		must(t, errors.Join(err, z.Close()))
		return out.String()
	}
	swap := func(name, old, new string) func(file, data string) string {
		return func(file, data string) string {
			if !strings.HasSuffix(file, name) {
				return data
			}
			if !strings.Contains(data, old) {
				t.Fatalf("%s has no %s", file, old)
			}
			return strings.Replace(data, old, new, 1)
		}
	}
	whole := pack(swap("manifest.json", "", ""))
	for name, c := range map[string]struct {
		archive, want string
	}{
		"whole":         {whole, ""},
		"cut off":       {whole[:len(whole)*2/3], "zip: not a valid zip file"},
		"a changed bit": {strings.Replace(whole, "cp.async.bulk.tensor", "cp.async.bulk.tensos", 1), "zip: checksum error"},
		"other code":    {pack(swap(".tensors.ptx", "add.", "sub.")), "do not belong together"},
		"other maps":    {pack(swap("manifest.json", `"box": 64`, `"box": 32`)), "do not belong together"},
		"no parameter":  {pack(swap("manifest.json", `"base": 0`, `"base": 99`)), "tensor map 0 cannot be made of the kernel's "},
		"no maps":       {pack(swap("manifest.json", `"tensors"`, `"none"`)), "it takes 0 tensor maps"},
		"newer":         {pack(swap("manifest.json", `"version": 1`, `"version": 7`)), "it is of version 7"},
		"older":         {pack(swap("manifest.json", `"version": 1,`, ``)), ""},
	} {
		archive := filepath.Join(t.TempDir(), "code.zip")
		must(t, os.WriteFile(archive, []byte(c.archive), 0o644))
		t.Setenv("CUTILE_CUBINS", archive)
		ptxGPU(t, &simttest.GPU{Device: fake.Device{Major: 9}, CUDA: 13040})
		dev, err := cutile.Open("cuda")
		if err == nil {
			if c.want == "" {
				if got := multiplies(t, dev, "usual"); !slices.Equal(got, want["usual"]) {
					t.Errorf("%s: the product is wrong", name)
				}
			} else {
				a, b := factors(t, dev, "usual")
				err = cutile.Launch(t.Context(), dev, product[tile.D64, tile.D64, tile.D64], a, b, zeros[float32](t, dev, 64, 64))
			}
			must(t, dev.Close())
		}
		if c.want != "" {
			fails(t, err, c.want)
		}
	}
}

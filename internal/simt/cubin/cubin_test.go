package cubin_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/cubin"
	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

const kernels = "../../../interop/testdata/kernels/"

func read(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// same compares what a cubin says of its kernels with the PTX that it was made of.
func same(t *testing.T, text, code []byte) {
	t.Helper()
	want, err := ptx.Signatures(text)
	if err != nil {
		t.Fatal(err)
	}
	got, err := cubin.Read(code)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(want, func(a, b simt.Signature) int { return strings.Compare(a.Name, b.Name) })
	if len(got) != len(want) || len(want) == 0 {
		t.Fatalf("%d kernels, want %d", len(got), len(want))
	}
	for i, w := range want {
		g := got[i]
		if g.Name != w.Name || g.Block != w.Block || g.Cluster != w.Cluster || g.MaxThreads != w.MaxThreads || len(g.Params) != len(w.Params) {
			t.Errorf("%+v, want %+v", g, w)
			continue
		}
		for j := range w.Params {
			if g.Params[j].Size() != w.Params[j].Size() {
				t.Errorf("%s: parameter %d has %d bytes, want %d", w.Name, j, g.Params[j].Size(), w.Params[j].Size())
			}
		}
	}
}

// TestRead compares cubins with their PTX.
func TestRead(t *testing.T) {
	same(t, read(t, kernels+"kernels.ptx"), read(t, kernels+"kernels.sm_80.cubin"))
	same(t, read(t, kernels+"cluster.ptx"), read(t, kernels+"cluster.sm_90.cubin"))
}

// many has parameters of more than 4 KiB, and a block that is demanded.
const many = `.version 8.8
.target sm_75
.address_size 64
.visible .entry wide(.param .align 4 .b8 a[5000], .param .u8 b, .param .align 16 .b8 c[48], .param .u16 d) .reqntid 32, 2, 1 { ret; }
.visible .entry none() .maxntid 64 { ret; }
.visible .entry odd(.param .align 1 .b8 a[3], .param .align 2 .b8 b[6], .param .f32 c, .param .u64 d, .param .align 1 .b8 e[1]) { ret; }
`

// TestAssembled does the same with NVIDIA's ptxas for each architecture that it has.
func TestAssembled(t *testing.T) {
	ptxas := testenv.Tool(t, "ptxas")
	texts := map[string][]byte{"many": []byte(many)}
	for _, name := range []string{"kernels.ptx", "cluster.ptx", "lines.ptx", "softmax.ptx"} {
		texts[name] = read(t, kernels+name)
	}
	for name, text := range texts {
		for _, arch := range []string{"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"} {
			out := filepath.Join(t.TempDir(), "out.cubin")
			file := filepath.Join(t.TempDir(), "in.ptx")
			if err := os.WriteFile(file, text, 0o644); err != nil {
				t.Fatal(err)
			}
			if said, err := exec.Command(ptxas, "-arch="+arch, "-o", out, file).CombinedOutput(); err != nil {
				if bytes.Contains(said, []byte("is not compatible with")) || bytes.Contains(said, []byte("requires .target")) || bytes.Contains(said, []byte("cannot be compiled to lower")) || bytes.Contains(said, []byte("higher")) {
					continue // PTX of a newer architecture
				}
				t.Fatalf("%s for %s: %v\n%s", name, arch, err, said)
			}
			t.Run(name+" "+arch, func(t *testing.T) { same(t, text, read(t, out)) })
		}
	}
}

// TestMistakes: what is no cubin, and cubins that end too early or have other bytes, give errors and no panic.
func TestMistakes(t *testing.T) {
	good := read(t, kernels+"kernels.sm_80.cubin")
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for want, file := range map[string][]byte{
		"not a cubin: ": []byte("\x7fELF and more"), "not a cubin, but an ELF file for the machine ": read(t, exe), "not a cubin": good[:60],
	} {
		if strings.HasPrefix(string(file), "MZ") || strings.HasPrefix(string(file), "\xcf\xfa") {
			continue // executable files of other systems are no ELF files
		}
		if _, err := cubin.Read(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for n := 0; n < len(good); n += 97 {
		if _, err := cubin.Read(good[:n]); err == nil {
			t.Errorf("the first %d bytes are taken", n)
		}
	}
}

// TestChanged: a cubin with other bytes gives kernels or an error, and never a panic.
func TestChanged(t *testing.T) {
	good := read(t, kernels+"cluster.sm_90.cubin")
	r := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for range 20000 {
		file := bytes.Clone(good)
		for range 1 + r.IntN(4) {
			file[r.IntN(len(file))] = byte(r.Uint32())
		}
		list, err := cubin.Read(file)
		if err != nil {
			refused++
		}
		if err != nil && list != nil {
			t.Fatalf("kernels and an error: %v", err)
		}
	}
	if refused == 0 {
		t.Error("none was refused")
	}
}

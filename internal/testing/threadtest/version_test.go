package threadtest_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/cutile-go/cutile/internal/simt/ptx"
	"github.com/cutile-go/cutile/internal/testing/nativefuzz"
	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/internal/threads"
	"github.com/cutile-go/cutile/tileir"
)

var updateVersion = flag.Bool("update-version", false, "write the sum of the code that belongs to threads.Version")

// TestVersion: threads.Version changes with the code that the compiler makes, as caches rely on it. What it makes of random modules stands for
// all modules, and random products for what there is of matrix instructions.
func TestVersion(t *testing.T) {
	testenv.Alone(t)
	sum, made := sha256.New(), 0
	var modules []*tileir.Module
	for seed := range uint64(60) {
		modules = append(modules, nativefuzz.Generate(seed).Module)
	}
	for seed := range uint64(20) {
		p, err := newProduct(seed).program()
		if err != nil {
			t.Fatal(err)
		}
		modules = append(modules, p.Module)
	}
	for seed := range uint64(10) { // and some with factors of blocks
		p, err := newScaled(seed).program()
		if err != nil {
			t.Fatal(err)
		}
		modules = append(modules, p.Module)
	}
	for _, module := range modules {
		for _, arch := range []string{"sm_75", "sm_80", "sm_90a", "sm_100a", "sm_120a"} {
			m, err := threads.PTX(module, module.Entries[0].Name, arch, threads.Options{Tensors: true})
			if err != nil {
				fmt.Fprintln(sum, err)
				continue
			}
			text, err := ptx.Write(m, arch)
			if err != nil {
				t.Fatal(err)
			}
			sum.Write(text)
			made++
		}
	}
	if made < 120 {
		t.Fatalf("only %d modules became PTX", made)
	}
	file := filepath.Join("testdata", "version.txt")
	got := fmt.Sprintf("%s %x\n", threads.Version, sum.Sum(nil)[:16])
	if *updateVersion {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("version and sum of the code are %swant, as %s has it, %sif the code has changed, raise threads.Version and run this test with -update-version", got, file, want)
	}
}

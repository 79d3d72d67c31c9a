package run

import (
	"testing"

	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simtc/eval"
)

// TestHashKnowsVersion: another compiler makes other programs of the same module.
func TestHashKnowsVersion(t *testing.T) {
	hash := func() any {
		out := &eval.Output{Module: &simt.Module{Name: "m", Host: &simt.Func{Name: "cute_m", Host: true}}}
		p, err := newProgram(t.Context(), out, target{name: "cpu", archs: []string{"sm_90a"}, modules: true}, &Options{DryRun: true})
		if err != nil {
			t.Fatal(err)
		}
		return p.hash
	}
	first := hash()
	if hash() != first {
		t.Error("two hashes of one program")
	}
	defer func(old func() string) { version = old }(version)
	version = func() string { return "another" }
	if hash() == first {
		t.Error("the version is not in the hash")
	}
}

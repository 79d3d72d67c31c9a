package main

import (
	"strings"
	"testing"
)

// masksDir has a kernel with masks in every form, a pointer and numbers.
const masksDir = "./cmd/cutile/testdata/masks"

// TestShapes has what -shape may say of the tensors of a launch.
func TestShapes(t *testing.T) {
	for shape, want := range map[string]string{
		"x":                      "want parameter=extents, such as x=1000x64",
		"=64":                    "want parameter=extents, such as x=1000x64",
		"x=":                     "want parameter=extents, such as x=1000x64",
		"x=-1":                   "want parameter=extents, such as x=1000x64",
		"x=4x":                   "want parameter=extents, such as x=1000x64",
		"x=99999999999999999999": "the extent 99999999999999999999 is too large",
		"x=4x5":                  "-shape: x has 1 axes, not 2",
		"p=64":                   "-shape: the parameter p is not a tensor",
		"n=64":                   "-shape: the parameter n is not a tensor",
		"y=64":                   "-shape: the kernel has the parameters x",
		"x=64,z=64":              "want parameter=extents",
	} {
		code, out, errs := cutile("dump", masksDir, "Masked[D16]", "-stage", "checks", "-shape", shape)
		if code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("-shape %s: exit code %d, %q %q, want %q", shape, code, out, errs, want)
		}
	}
	for shape, want := range map[string]string{
		"x=0":  "x=0 z=64\n",
		"x=16": "x=16 z=64\n",
		"z=33": "x=64 z=33\n",
	} {
		if out := must(t, "dump", masksDir, "Masked[D16]", "-stage", "checks", "-shape", shape); !strings.Contains(out, " blocks with "+want) {
			t.Errorf("-shape %s:\n%s", shape, out)
		}
	}
	both := must(t, "dump", masksDir, "Masked[D16]", "-stage", "checks", "-shape", "x=10", "-shape", "z=20")
	if !strings.Contains(both, " blocks with x=10 z=20\n") {
		t.Errorf("%s", both)
	}
	for proved, extent := range map[string]string{"proved": "x=16", "masked": "x=15"} {
		out := must(t, "dump", masksDir, "Masked[D16]", "-stage", "checks", "-shape", extent)
		if !strings.Contains(out, "masks.go:25:11: Load, axis 0: "+proved+": indices 0 to 0 of tiles of 16 in an extent of "+extent[2:]) {
			t.Errorf("%s:\n%s", extent, out)
		}
	}
}

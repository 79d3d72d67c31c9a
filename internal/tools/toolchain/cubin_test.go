package toolchain_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/fakecubin"
	"github.com/cutile-go/cutile/internal/tools/toolchain"
)

func TestCheckCubin(t *testing.T) {
	good := fakecubin.Make("sm_90", "code", "k", "second")
	old := bytes.Clone(good)
	old[8], old[48], old[49] = 7, 0x5a, 0x05 // CUDA 12
	host := bytes.Clone(good)
	host[18] = 62 // x86-64
	unknown := bytes.Clone(good)
	unknown[8], unknown[49] = 99, 0
	for name, c := range map[string]struct {
		cubin   []byte
		target  string
		entries []string
		want    string // nothing for a good one
	}{
		"good":         {good, "sm_90", []string{"k", "second"}, ""},
		"letter":       {good, "sm_90a", []string{"k"}, ""},
		"CUDA 12":      {old, "sm_90", []string{"k"}, ""},
		"unknown ABI":  {unknown, "sm_90", []string{"k"}, ""},
		"empty":        {nil, "sm_90", nil, "its result of 0 bytes is not a cubin: "},
		"text":         {[]byte("cubin\n"), "sm_90", nil, "its result of 6 bytes is not a cubin: "},
		"cut":          {good[:100], "sm_90", nil, "its result of 100 bytes is not a cubin: "},
		"machine":      {host, "sm_90", nil, "its result is for the machine EM_X86_64, want a cubin"},
		"architecture": {good, "sm_100", []string{"k"}, "its cubin is for sm_90, want sm_100"},
		"CUDA 12, too": {old, "sm_80", []string{"k"}, "its cubin is for sm_90, want sm_80"},
		"entry":        {good, "sm_90", []string{"k", "kernel"}, "its cubin lacks the kernel kernel; it has k, second"},
		"no entries":   {fakecubin.Make("sm_90", "code"), "sm_90", []string{"k"}, "its cubin lacks the kernel k; it has "},
	} {
		err := toolchain.CheckCubin(c.cubin, c.target, c.entries...)
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// FuzzCheckCubin: no file makes it panic.
func FuzzCheckCubin(f *testing.F) {
	f.Add(fakecubin.Make("sm_90", "code", "k"))
	f.Fuzz(func(t *testing.T, data []byte) { toolchain.CheckCubin(data, "sm_90", "k") })
}

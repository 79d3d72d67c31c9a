package main

import (
	"strings"
	"testing"
)

// TestCost compares whole reports; what is counted internal/tilec/cost tests.
func TestCost(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ golden, kernel, args string }{
		{"cost-gemm.txt", "gemm_f16", "-grid 32,32 -array float16:4096x4096 -array float16:4096x4096 -array float16:4096x4096"},
		{"cost-attention.txt", "flash_attention", "-grid 16,8,2 -array float16:2x8x1024x64 -array float16:2x2x1024x64 -array float16:2x2x1024x64 " +
			"-array float16:2x8x1024x64 -arg 0.125"},
		{"cost-unknown.txt", "cf_while", "-array float32:64 -array float32:64 -array int32:16"},
		{"cost-int.txt", "gemm_s8", "-grid 2 -array int8:256x128 -array int8:128x128 -array int32:256x128"},
	} {
		golden(t, c.golden, must(t, append([]string{"cost", kernelFile(t, dir, c.kernel)}, strings.Fields(c.args)...)...))
	}
}

func TestCostErrors(t *testing.T) {
	vadd := data + "vadd.tileirbc "
	arrays := strings.Repeat("-array float32:2147483647 ", 3)
	checkRefusals(t, []refusal{
		{"", "cost", exitUsage, "cutile cost: want one file, got 0; see `cutile help cost`"},
		{"", "cost none", exitFailed, "open none: no such file"},
		{"", "cost " + vadd, exitUsage, "entry vadd has 9 parameters"},
		{"", "cost " + vadd + "-entry x", exitUsage, `has no entry "x"`},
		{"", "cost " + data + "wrong.tileir", exitFailed, "2 errors for version 13.4"},
		{"", "cost " + data + "transpose.ptx", exitFailed, "transpose.ptx is PTX, where a Tile IR module is expected, bytecode or text: `cutile profile -emulate FILE` runs PTX"},
		{"", "bench " + data + "transpose.ptx", exitFailed, "transpose.ptx is PTX, where a Tile IR module is expected"},
		{"", "run " + data + "transpose.ptx", exitFailed, "transpose.ptx is PTX, where a Tile IR module is expected"},
		{"", "cost " + vadd + arrays + "-grid 2147483647,2147483647", exitFailed, "do not fit 63 bits"},
	})
}

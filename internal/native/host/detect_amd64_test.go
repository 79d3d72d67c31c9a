package host

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// model is what CPUID answers on a machine that others have published, by leaf and subleaf.
type model struct {
	name     string
	xcr0     uint64
	system   string
	answers  map[[2]uint32]registers
	cpu      string
	level    Level
	features string
}

const (
	haswellXCR0 = 0x7
	zen4XCR0    = 0x2e7
	spr         = "Intel(R) Xeon(R) w7-2475X (GenuineIntel, family 6, model 143), L1d 48 KiB, L2 2 MiB, L3 38400 KiB"
	sprXCR0     = 0x602e7
	v3          = "avx2 fma f16c bmi1 bmi2 lzcnt popcnt"
	v4          = " avx512f avx512bw avx512dq avx512vl avx512cd avx512vbmi avx512vbmi2 avx512vnni avx512bf16"
)

var haswell = map[[2]uint32]registers{
	{0x0, 0}:        {0x0000000d, 0x756e6547, 0x6c65746e, 0x49656e69},
	{0x1, 0}:        {0x000306c3, 0x00100800, 0x7ffafbff, 0xbfebfbff},
	{0x4, 0}:        {0x1c004121, 0x01c0003f, 0x0000003f, 0},
	{0x4, 1}:        {0x1c004122, 0x01c0003f, 0x0000003f, 0},
	{0x4, 2}:        {0x1c004143, 0x01c0003f, 0x000001ff, 0},
	{0x4, 3}:        {0x1c03c163, 0x03c0003f, 0x00001fff, 6},
	{0x7, 0}:        {0, 0x000027ab, 0, 0},
	{0x7, 1}:        {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, // not there: a CPU may answer anything
	{0x80000000, 0}: {0x80000008, 0, 0, 0},
	{0x80000001, 0}: {0, 0, 0x00000021, 0x2c100000},
	{0x80000002, 0}: {0x65746e49, 0x2952286c, 0x726f4320, 0x4d542865},
	{0x80000003, 0}: {0x37692029, 0x3737342d, 0x50432030, 0x20402055},
	{0x80000004, 0}: {0x30342e33, 0x007a4847, 0, 0},
}

var zen4 = map[[2]uint32]registers{
	{0x0, 0}:        {0x00000010, 0x68747541, 0x444d4163, 0x69746e65},
	{0x1, 0}:        {0x00a10f11, 0x00c00800, 0x7efa320b, 0x178bfbff},
	{0x7, 0}:        {0x00000001, 0xf1bf97a9, 0x00415fce, 0x10000010},
	{0x7, 1}:        {0x00000020, 0, 0, 0},
	{0x80000000, 0}: {0x80000028, 0x68747541, 0x444d4163, 0x69746e65},
	{0x80000001, 0}: {0x00a10f11, 0x40000000, 0x75c237ff, 0x2fd3fbff},
	{0x80000002, 0}: {0x20444d41, 0x43595045, 0x35363920, 0x36392034},
	{0x80000003, 0}: {0x726f432d, 0x72502065, 0x7365636f, 0x20726f73},
	{0x80000004, 0}: {0x20202020, 0x20202020, 0x20202020, 0x00202020},
	{0x8000001d, 0}: {0x00004121, 0x01c0003f, 0x0000003f, 0},
	{0x8000001d, 1}: {0x00004122, 0x01c0003f, 0x0000003f, 0},
	{0x8000001d, 2}: {0x00004143, 0x01c0003f, 0x000007ff, 2},
	{0x8000001d, 3}: {0x0003c163, 0x03c0003f, 0x00007fff, 1},
}

var sapphireRapids = map[[2]uint32]registers{
	{0x0, 0}:        {0x00000020, 0x756e6547, 0x6c65746e, 0x49656e69},
	{0x1, 0}:        {0x000806f8, 0x00800800, 0x7ffefbff, 0xbfebfbff},
	{0x4, 0}:        {0xfc004121, 0x02c0003f, 0x0000003f, 0},
	{0x4, 1}:        {0xfc004122, 0x01c0003f, 0x0000003f, 0},
	{0x4, 2}:        {0xfc004143, 0x03c0003f, 0x000007ff, 0},
	{0x4, 3}:        {0xfc1fc163, 0x0380003f, 0x00009fff, 4},
	{0x7, 0}:        {0x00000002, 0xf3bfbffb, 0xbb417fee, 0xffdd4430},
	{0x7, 1}:        {0x00001c30, 0, 0, 0},
	{0x80000000, 0}: {0x80000008, 0, 0, 0},
	{0x80000001, 0}: {0, 0, 0x00000121, 0x2c100000},
	{0x80000002, 0}: {0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e},
	{0x80000003, 0}: {0x2d377720, 0x35373432, 0x00000058, 0},
}

var models = []model{
	{"haswell", haswellXCR0, "linux", haswell, "Intel(R) Core(TM) i7-4770 CPU @ 3.40GHz (GenuineIntel, family 6, model 60), L1d 32 KiB, L2 256 KiB, L3 8 MiB", LevelAVX2, v3},
	{"zen 4", zen4XCR0, "linux", zen4, "AMD EPYC 9654 96-Core Processor (AuthenticAMD, family 25, model 17), L1d 32 KiB, L2 1 MiB, L3 32 MiB", LevelAVX512, v3 + v4},
	{"sapphire rapids", sprXCR0, "linux", sapphireRapids, spr, LevelAVX512, v3 + " avxvnni" + v4 + " avx512fp16 amx-tile amx-bf16 amx-int8"},
	{"not linux", sprXCR0, "windows", sapphireRapids, spr, LevelAVX512, v3 + " avxvnni" + v4 + " avx512fp16"},
	{"no tiles saved", zen4XCR0, "linux", sapphireRapids, spr, LevelAVX512, v3 + " avxvnni" + v4 + " avx512fp16"},
	{"no masks saved", 0xc7, "linux", sapphireRapids, spr, LevelAVX2, v3 + " avxvnni"},
	{"no upper zmm saved", 0x67, "linux", sapphireRapids, spr, LevelAVX2, v3 + " avxvnni"},
	{"no ymm saved", 0x3, "linux", sapphireRapids, spr, LevelNone, "bmi1 bmi2 lzcnt popcnt"},
}

func (m model) decode(xcr0 func() uint64) CPU {
	return decode(func(leaf, sub uint32) registers { return m.answers[[2]uint32{leaf, sub}] }, xcr0, m.system)
}

func TestDecode(t *testing.T) {
	for _, m := range models {
		c := m.decode(func() uint64 { return m.xcr0 })
		if c.String() != m.cpu || c.Best() != m.level || c.Features.String() != m.features || c.Arch != "amd64" {
			t.Errorf("%s:\ngot  %s, %s, %s\nwant %s, %s, %s", m.name, c, c.Best(), c.Features, m.cpu, m.level, m.features)
		}
	}
}

// TestNoOSXSAVE: XGETBV is no instruction where a system does not use XSAVE.
func TestNoOSXSAVE(t *testing.T) {
	m := models[0]
	m.answers = map[[2]uint32]registers{}
	for k, v := range haswell {
		m.answers[k] = v
	}
	r := m.answers[[2]uint32{1, 0}]
	r[ecx] &^= 1 << 27
	m.answers[[2]uint32{1, 0}] = r
	c := m.decode(func() uint64 { t.Error("XGETBV"); return 0 })
	if c.Best() != LevelNone {
		t.Errorf("got %s", c.Best())
	}
}

// TestPlaces: each feature of amd64 has a place of its own, and no other has one.
func TestPlaces(t *testing.T) {
	var seen Features
	bits := map[[4]int]Features{}
	for _, p := range places {
		at := [4]int{int(p.leaf), int(p.sub), p.register, p.bit}
		if seen.Has(p.feature) || bits[at] != 0 {
			t.Errorf("%s: %v is taken by %s", p.feature, at, bits[at])
		}
		seen |= p.feature
		bits[at] = p.feature
	}
	if want := LevelAVX512.Allows(); seen != want {
		t.Errorf("got %s, want %s", seen, want)
	}
}

// kernelNames are the names in /proc/cpuinfo that differ from ours.
var kernelNames = map[string]string{
	"lzcnt": "abm", "avxvnni": "avx_vnni", "avx512vbmi2": "avx512_vbmi2", "avx512vnni": "avx512_vnni", "avx512bf16": "avx512_bf16",
	"avx512fp16": "avx512_fp16", "amx-tile": "amx_tile", "amx-bf16": "amx_bf16", "amx-int8": "amx_int8",
}

// TestCPUInfo compares what we find with what the kernel finds.
func TestCPUInfo(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the kernel's list is in /proc/cpuinfo")
	}
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(info), "\nflags")
	line, _, _ := strings.Cut(rest, "\n")
	flags := strings.Fields(line)
	for _, row := range features {
		if row.level == LevelNEON {
			continue
		}
		name := row.name
		if n := kernelNames[name]; n != "" {
			name = n
		}
		if got, want := Machine().Features.Has(row.bit), slices.Contains(flags, name); got != want {
			t.Errorf("%s: %v, but the kernel says %v", row.name, got, want)
		}
	}
	if c := Machine(); !strings.Contains(string(info), c.Vendor) || !strings.Contains(string(info), c.Name) {
		t.Errorf("%s is not in\n%s", c, info)
	}
}

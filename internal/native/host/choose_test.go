package host

import (
	"errors"
	"math/bits"
	"runtime"
	"strings"
	"testing"
)

// TestFeatureTable: a row for each bit, in their order, with names of their own.
func TestFeatureTable(t *testing.T) {
	seen := map[string]bool{}
	for i, row := range features {
		if bits.TrailingZeros64(uint64(row.bit)) != i || bits.OnesCount64(uint64(row.bit)) != 1 {
			t.Errorf("row %d, %s, is for the bit %#x", i, row.name, uint64(row.bit))
		}
		if seen[row.name] || named(row.name) != row.bit || row.bit.String() != row.name || row.level == LevelNone {
			t.Errorf("%s: named %s, printed %s, level %s", row.name, named(row.name), row.bit, row.level)
		}
		seen[row.name] = true
	}
	if features[len(features)-1].bit != LSE {
		t.Errorf("the last row is %s", features[len(features)-1].name)
	}
}

// TestLevels: a level needs nothing that its code may not use, and all that the levels before it need.
func TestLevels(t *testing.T) {
	for l := range levels {
		if level := Level(l); !level.Allows().Has(level.Requires()) {
			t.Errorf("%s needs %s, but may use only %s", level, level.Requires(), level.Allows())
		}
	}
	if !LevelAVX512.Requires().Has(LevelAVX2.Requires()) || LevelAVX2.Allows().Has(AVX512F) || LevelNEON.Allows().Has(AVX2) || LevelNone.Allows() != 0 {
		t.Errorf("avx512 needs %s, avx2 may use %s, neon may use %s", LevelAVX512.Requires(), LevelAVX2.Allows(), LevelNEON.Allows())
	}
}

var (
	old    = CPU{Arch: "amd64", Features: avx2Features &^ FMA}
	small  = CPU{Arch: "amd64", Features: avx2Features | AVXVNNI}
	big    = CPU{Arch: "amd64", Features: LevelAVX512.Allows() &^ AVX512FP16}
	arm    = CPU{Arch: "arm64", Features: NEON | DotProd}
	others = CPU{Arch: "riscv64"}
)

const (
	bigTakes   = "; write interpreter, avx2, avx512 or native, which is avx512 here; features may be taken away, as in native,-amx-int8"
	smallTakes = "; write interpreter, avx2 or native, which is avx2 here; features may be taken away, as in native,-avxvnni"
)

func TestChoose(t *testing.T) {
	var refused error = &RefusedError{"pages to write", errors.New("no")}
	for _, c := range []struct {
		value string
		cpu   CPU
		test  error
		want  Target
		err   string
	}{
		{"", big, nil, Target{Level: LevelAVX512, Features: big.Features}, ""},
		{" native ", big, nil, Target{Level: LevelAVX512, Features: big.Features}, ""},
		{"avx512", big, nil, Target{Level: LevelAVX512, Features: big.Features}, ""},
		{"avx2", big, nil, Target{Level: LevelAVX2, Features: LevelAVX2.Allows()}, ""},
		{"avx2, -avxvnni", big, nil, Target{Level: LevelAVX2, Features: avx2Features}, ""},
		{"native,-amx,-avx512bf16", big, nil, Target{Level: LevelAVX512, Features: big.Features &^ (AMXTile | AMXBF16 | AMXInt8 | AVX512BF16)}, ""},
		{"native,-amx-int8,-avx512fp16", big, nil, Target{Level: LevelAVX512, Features: big.Features &^ AMXInt8}, ""},
		{"native,-avx512f", big, nil, Target{Level: LevelAVX2, Features: LevelAVX2.Allows()}, ""},
		{"interpreter", big, refused, Target{Why: "CUTILE_CPU=interpreter asks for it"}, ""},
		{"", small, nil, Target{Level: LevelAVX2, Features: small.Features}, ""},
		{"neon", arm, nil, Target{Level: LevelNEON, Features: arm.Features}, ""},
		{"native,-fma", small, nil, Target{Why: "level avx2, the lowest for amd64, needs features that are missing here: fma"}, ""},
		{"", old, nil, Target{Why: "level avx2, the lowest for amd64, needs features that are missing here: fma"}, ""},
		{"", others, nil, Target{Why: "no machine code is generated for " + runtime.GOOS + "/riscv64"}, ""},
		{"", big, refused, Target{Why: refused.Error()}, ""},
		{"avx2", big, refused, Target{}, `CUTILE_CPU="avx2" cannot be followed: ` + refused.Error() + bigTakes},
		{"avx512", small, nil, Target{}, `CUTILE_CPU="avx512" asks for level avx512, but the machine lacks, or the list takes away, avx512f avx512bw avx512dq avx512vl` + smallTakes},
		{"avx512,-avx512vl", big, nil, Target{}, `CUTILE_CPU="avx512,-avx512vl" asks for level avx512, but the machine lacks, or the list takes away, avx512vl` + bigTakes},
		{"neon", small, nil, Target{}, `CUTILE_CPU="neon" asks for level neon, but the machine lacks, or the list takes away, neon` + smallTakes},
		{"avx1024", small, nil, Target{}, `CUTILE_CPU="avx1024" is not known: "avx1024" is no level` + smallTakes},
		{"AVX2", small, nil, Target{}, `"AVX2" is no level`},
		{"-fma", small, nil, Target{}, `"-fma" is no level`},
		{"native,fma", small, nil, Target{}, `"fma" does not take a feature away; the features are avx2, fma, f16c, `},
		{"native,-", small, nil, Target{}, `"-" does not take a feature away`},
		{"native,-fm", arm, nil, Target{}, `"-fm" does not take a feature away; the features are neon, dotprod, bf16, i8mm, fp16, lse; write interpreter, neon or native, which is neon here; features`},
		{"interpreter,-fma", small, nil, Target{}, `takes features from the interpreter, which uses none`},
		{"avx2", others, nil, Target{}, `but the machine lacks, or the list takes away, avx2 fma f16c bmi1 bmi2 lzcnt popcnt; write interpreter or native, which is interpreter here`},
	} {
		got, err := choose(c.value, c.cpu, func() error { return c.test })
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q on %s: %+v, %v\nwant %+v, %s", c.value, c.cpu.Arch, got, err, c.want, c.err)
		}
	}
}

// TestNamed: a level has a name that leads to it, with what each of its CPUs has; other names are refused.
func TestNamed(t *testing.T) {
	for _, l := range []Level{LevelNone, LevelAVX2, LevelAVX512, LevelNEON} {
		if got, err := Named(l.String()); err != nil || got.Level != l || got.Features != l.Requires() {
			t.Errorf("%v: %+v, %v", l, got, err)
		}
	}
	if _, err := Named("z80"); err == nil || err.Error() != `"z80" is not one of the levels interpreter, avx2, avx512, neon` {
		t.Errorf("z80: %v", err)
	}
}

// TestChooseHere: the variable decides, and this machine's best level can be had.
func TestChooseHere(t *testing.T) {
	t.Setenv(Env, "")
	if got, err := Choose(); err != nil || got.Level != Best() || !Machine().Features.Has(got.Features) || (got.Level == LevelNone) != (got.Why != "") {
		t.Errorf("got %+v, %v on %s", got, err, Machine())
	}
	t.Setenv(Env, "interpreter")
	if got, err := Choose(); err != nil || got.Level != LevelNone {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestSizeText(t *testing.T) {
	for n, want := range map[int]string{100: "100 B", 48 << 10: "48 KiB", 37<<20 + 512<<10: "38400 KiB", 1 << 30: "1 GiB", 1 << 40: "1024 GiB"} {
		if got := sizeText(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}

// TestAMX: the answer does not change, and a CPU without AMX has none.
func TestAMX(t *testing.T) {
	err := RequestAMX()
	if has := Machine().Features.Has(AMXTile); !has && err == nil || err != RequestAMX() {
		t.Errorf("AMX: %v, %v, %v", has, err, RequestAMX())
	}
}

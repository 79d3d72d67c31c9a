package amd64

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// archNames are the features for GNU's directive .arch.
var archNames = map[Features]string{FeaturePOPCNT: "popcnt", FeatureLZCNT: "lzcnt", FeatureMOVBE: "movbe", CX16: "cx16", PRFCHW: "prfchw", BMI1: "bmi",
	BMI2: "bmi2", AVX: "avx", AVX2: "avx2", FMA: "fma", F16C: "f16c", AVXVNNI: "avx_vnni", AVXVNNIINT8: "avx_vnni_int8", AVXIFMA: "avx_ifma", AVXNECONVERT: "avx_ne_convert", AVX512F: "avx512f", AVX512CD: "avx512cd",
	AVX512BW: "avx512bw", AVX512DQ: "avx512dq", AVX512VL: "avx512vl", AVX512IFMA: "avx512ifma", AVX512VBMI: "avx512vbmi",
	AVX512VBMI2: "avx512_vbmi2", AVX512VNNI: "avx512_vnni", AVX512BITALG: "avx512_bitalg", AVX512VPOPCNTDQ: "avx512_vpopcntdq",
	AVX512BF16: "avx512_bf16", AVX512FP16: "avx512_fp16", GFNI: "gfni", AMXTILE: "amx_tile", AMXBF16: "amx_bf16", AMXINT8: "amx_int8", AMXFP16: "amx_fp16"}

// implied are the features that GNU's assembler adds to one.
func implied(f Features) Features {
	switch {
	case f == AVX512FP16:
		return AVX512BW | AVX512F | AVX2 | AVX | AVX512VL | AVX512DQ | F16C | FMA
	case f >= AVX512CD && f < GFNI:
		return AVX512F | AVX2 | AVX
	case f == AVX512F, f >= AVXVNNI && f <= AVXNECONVERT:
		return AVX2 | AVX
	case f == AVX2, f == FMA, f == F16C:
		return AVX
	case f > AMXTILE:
		return AMXTILE
	}
	return 0
}

// each calls do with each single feature of f.
func each(f Features, do func(Features)) {
	for one := Features(1); one < featureEnd; one <<= 1 {
		if f.Has(one) {
			do(one)
		}
	}
}

// without gives f without one feature, and whether the others do not imply it.
func without(f, one Features) (Features, bool) {
	rest := f &^ one
	all := rest
	each(rest, func(g Features) { all |= implied(g) })
	return rest, !all.Has(one)
}

// An archTest assembles one sample of each form with a set of features.
type archTest struct {
	source bytes.Buffer
	line   int
	fails  map[int]string // the lines that the assembler must refuse
	works  map[int]string
}

func (a *archTest) add(text string, f Features, works bool) {
	fmt.Fprintf(&a.source, ".arch generic64\n")
	a.line++
	each(f, func(one Features) {
		fmt.Fprintf(&a.source, ".arch .%s\n", archNames[one])
		a.line++
	})
	fmt.Fprintf(&a.source, "%s\n", text)
	a.line++
	list := a.fails
	if works {
		list = a.works
	}
	list[a.line] = fmt.Sprintf("%s with %q", text, f)
}

// TestFeatures checks that every form needs the features that the table says, and no others, according to GNU's assembler.
func TestFeatures(t *testing.T) {
	as := testenv.Assembler(t)
	a := archTest{fails: map[int]string{}, works: map[int]string{}}
	a.source.WriteString(".intel_syntax noprefix\n.L1:\n")
	a.line = 2
	seen := map[*form]bool{}
	for _, e := range emitSamples(t) {
		if seen[e.form] {
			continue
		}
		seen[e.form] = true
		a.add(e.text, e.form.features, true)
		each(e.form.features, func(one Features) {
			if rest, ok := without(e.form.features, one); ok {
				a.add(e.text, rest, false)
			}
		})
	}
	refused := a.run(t, as)
	for line, text := range a.works {
		if refused[line] {
			t.Errorf("%s: the assembler asks for more", text)
		}
	}
	for line, text := range a.fails {
		if !refused[line] {
			t.Errorf("%s: the assembler asks for no more", text)
		}
	}
	t.Logf("%d forms, %d of them with one feature less", len(a.works), len(a.fails))
}

// run gives the lines that the assembler refuses.
func (a *archTest) run(t *testing.T, as string) map[int]bool {
	file := filepath.Join(t.TempDir(), "a.s")
	if err := os.WriteFile(file, a.source.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	msg, _ := exec.Command(as, "--64", "-o", file+".o", file).CombinedOutput() // it fails: that is what is checked
	refused := map[int]bool{}
	for _, s := range strings.Split(string(msg), "\n") {
		line := 0
		if _, rest, ok := strings.Cut(s, "a.s:"); ok {
			fmt.Sscanf(rest, "%d: Error", &line)
			refused[line] = true
		}
	}
	return refused
}

// TestFeatureNames checks that every feature has a name and is needed by a form.
func TestFeatureNames(t *testing.T) {
	var all Features
	for op := Op(1); int(op) <= Ops; op++ {
		if len(op.Forms()) == 0 || op.String() == "" || op.Feature() != op.Forms()[0].Features {
			t.Errorf("%s: forms %v, feature %s", op, op.Forms(), op.Feature())
		}
		for _, f := range op.Forms() {
			all |= f.Features
		}
	}
	if all != AllFeatures || Features(1)<<len(featureNames) != featureEnd || len(archNames) != len(featureNames) {
		t.Errorf("no form needs %s, or a feature has no name", AllFeatures&^all)
	}
	if got := (AVX2 | FMA).String(); got != "AVX2 FMA" {
		t.Errorf("the names are %q", got)
	}
	if Op(0).Feature() != 0 || Op(Ops+1).String() != "none" || len(Op(0).Forms()) != 0 {
		t.Error("an operation that is none has a feature, a name or forms")
	}
}

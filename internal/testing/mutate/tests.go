package main

import "strings"

// generated compares generated programs of both levels with Go itself.
const generated = "./internal/testing/gogen"

// frontEnd are the packages that test the way from Go to Tile IR as a whole.
var frontEnd = []string{"./internal/compile", "./internal/languagetest", "./internal/lower", generated}

// frontEndAfter are a package's own tests, and after them those of the way as a whole.
func frontEndAfter(own string) []string { return append([]string{own}, frontEnd...) }

// testedBy says which packages' tests hold a folder, where these are not its own alone. The longest prefix counts.
var testedBy = map[string][]string{
	"internal/lower": {"./internal/lower", "./internal/compile", "./internal/languagetest", generated}, "internal/compile": append([]string{"./internal/compile", "./vet"}, frontEnd...),
	"internal/check": frontEndAfter("./internal/check"), "internal/source": frontEndAfter("./internal/source"),
	"internal/langsrc": frontEndAfter("./internal/langsrc"), "internal/directive": frontEndAfter("./internal/directive"),
	"internal/capture": frontEndAfter("./internal/capture"), "internal/constexpr": frontEndAfter("./internal/constexpr"),
	"internal/diag": frontEndAfter("./internal/diag"), "internal/passes": frontEndAfter("./internal/passes"),
	"tile":          append([]string{"./internal/conformance", "./tile/..."}, frontEnd...),
	"internal/simt": {"./internal/simt/...", "./internal/testing/ptxsuites", "./internal/testing/cutecases", "./cute", generated}, "internal/host": {"."}, "internal/handle": {".", "./cute"},
	"internal/launch": {"./internal/launch", ".", "./vet"}, "internal/cudrv": {"./internal/cudrv/...", "./internal/engine/cuda"},
	"internal/opdef": {"./internal/opdef/...", "./tileir/..."}, "internal/engine": {"./internal/engine/cpu", "."},
	"internal/engine/cpu": {"./internal/engine/cpu", "./internal/testing/numerics", "./internal/conformance", "./cute", ".", generated}, "internal/engine/cuda": {"./internal/engine/cuda", "./cute", "."},
	"tileir": {"./tileir", "./tileir/bytecode"}, "tileir/bytecode": {"./tileir/bytecode"},
	"internal/strided": {"./internal/strided", "."}, "kernels/internal": {"./kernels/internal/...", "./kernels"}, "internal/simt/run": {"./cute", generated}, "cute": {"./cute", "./internal/simt/eval", generated},
}

// testsOf are the packages whose tests must notice a change in a folder.
func testsOf(folder string) []string {
	if folder == "." {
		return []string{"."}
	}
	best := ""
	for prefix := range testedBy {
		if (folder == prefix || strings.HasPrefix(folder, prefix+"/")) && len(prefix) > len(best) {
			best = prefix
		}
	}
	if best != "" {
		return testedBy[best]
	}
	return []string{"./" + folder}
}

// stages are the packages of testsOf in the order of their use, those that hold the folder most closely first.
func stages(folder string) (all []string) {
	own := "./" + folder
	for _, p := range testsOf(folder) {
		if prefix, many := strings.CutSuffix(p, "/..."); many && len(own) > len(prefix) && strings.HasPrefix(own, prefix+"/") {
			all = append([]string{own}, all...)
		}
		all = append(all, p)
	}
	return all
}

// skipped are folders without code of the product: programs for people, helpers of tests, what is generated.
var skipped = []string{"examples", "docs", "internal/testing", "internal/bench", "internal/opdef/gen", "internal/tilegen", "internal/typedgen", "internal/cudrv/fake",
	"internal/conformance", "kernels/internal/kerneltest", "internal/archtest", "internal/completeness", "internal/languagetest",
	"internal/paritytest", "internal/processtest", "internal/serve/servetest", "internal/sourcefuzz"}

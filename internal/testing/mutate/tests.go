package main

import "strings"

// generated compares generated programs of both levels with Go itself.
const generated = "./internal/testing/gogen"

// frontEnd are the packages that test the way from Go to Tile IR as a whole.
var frontEnd = []string{"./internal/tilec/compile", "./internal/testing/languagetest", "./internal/tilec/lower", generated}

// lowering are the packages that test the lowering.
var lowering = []string{"./internal/tilec/lower", "./internal/tilec/compile", "./internal/testing/languagetest", generated}

// frontEndAfter are a package's own tests, and after them those of the way as a whole.
func frontEndAfter(own string) []string { return append([]string{own}, frontEnd...) }

// testedBy says which packages' tests hold a folder, where these are not its own alone. The longest prefix counts.
var testedBy = map[string][]string{
	"internal/tilec/lower": lowering, "internal/tilec/words": lowering, "internal/tilec/emit": lowering, "internal/tilec/compile": append([]string{"./internal/tilec/compile", "./vet"}, frontEnd...),
	"internal/tilec/describe": frontEndAfter("./internal/tilec/describe"), "internal/tilec/decl": append([]string{"./internal/tilec/decl"}, frontEndAfter("./internal/tilec/describe")...),
	"internal/front/world": append([]string{"./internal/front/world"}, frontEndAfter("./internal/tilec/describe")...), "internal/front/source": frontEndAfter("./internal/front/source"),
	"internal/simtc":   {"./internal/simtc/...", "./internal/testing/ptxsuites", "./internal/testing/cutecases", "./cute", generated},
	"internal/langsrc": frontEndAfter("./internal/langsrc"), "internal/front/directive": frontEndAfter("./internal/front/directive"),
	"internal/front/capture": frontEndAfter("./internal/front/capture"), "internal/goval/constexpr": frontEndAfter("./internal/goval/constexpr"),
	"internal/front/diag": frontEndAfter("./internal/front/diag"), "internal/tilec/passes": frontEndAfter("./internal/tilec/passes"),
	"tile":          append([]string{"./internal/testing/conformance", "./tile/..."}, frontEnd...),
	"internal/simt": {"./internal/simt/...", "./internal/simtc/...", "./internal/testing/ptxsuites", "./internal/testing/cutecases", "./cute", generated}, "internal/device": {"."}, "device": {".", "./cute"},
	"internal/bind": {"./internal/bind", ".", "./vet"}, "internal/driver/cudrv": {"./internal/driver/cudrv/...", "./internal/engine/cuda"},
	"internal/gen/opdef": {"./internal/gen/opdef/...", "./tileir/..."}, "internal/engine": {"./internal/engine/cpu", "."},
	"internal/engine/cpu": {"./internal/engine/cpu", "./internal/testing/numerics", "./internal/testing/conformance", "./cute", ".", generated}, "internal/engine/cuda": {"./internal/engine/cuda", "./cute", "."},
	"tileir": {"./tileir", "./tileir/text", "./tileir/bytecode"}, "tileir/bytecode": {"./tileir/bytecode"},
	"tileir/diff": {"./tileir/diff", "./cmd/cutile"}, "tileir/text": {"./tileir/text", "./tileir/bytecode", "./tileir/diff", "./cmd/cutile"}, "internal/toolbox": {"./internal/toolbox/...", "./cmd/cutile"},
	"internal/device/strided": {"./internal/device/strided", "."}, "kernels/internal": {"./kernels/internal/...", "./kernels"}, "internal/simtc/run": {"./cute", generated}, "cute": {"./cute", "./internal/simtc/eval", generated},
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
var skipped = []string{"examples", "docs", "internal/testing", "internal/gen/opdef/gen", "internal/gen/tilegen", "internal/gen/typedgen",
	"internal/driver/cudrv/fake", "kernels/internal/kerneltest", "internal/serve/servetest"}

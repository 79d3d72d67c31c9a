#!/bin/sh
# The long checks, which the gate runs a part of: some hours on two cores.
#
#   scripts/sweep.sh               all steps
#   scripts/sweep.sh STEP ...      fuzz: reader, verifier and parsers, FUZZ_EXECS (3000000) inputs each, one worker at a time
#                                  hostile: every file and text of 100 MB that tries to make a reader allocate, recurse or loop
#                                  sources: the compiler on changed kernels, for SOURCES_TIME (10m)
#                                  gofuzz: GOFUZZ_PROGRAMS (100000) programs of Go in kernels of both levels against the host
#                                  native: NATIVEFUZZ_MODULES (1000000) random modules as machine code of each level against the interpreter
#                                  threads: THREADFUZZ_MODULES (25000) random modules for each of four architectures as PTX on the emulator, THREADFUZZ_PRODUCTS
#                                  (20000) random products of matrices for each of four, the conformance suite and the ready kernels through it, machine code beside
#                                  tileiras's, and mutants of plan and emitter
#                                  vulkan: the whole conformance suite, every operation and type, examples and random modules on software drivers for Vulkan, also
#                                  without integers of 64 bits, and with cooperative matrices
#                                  graphs: GRAPHFUZZ_GRAPHS (100000) random graphs of array operations against their definitions
#                                  access: ACCESSFUZZ_ENTRIES (30000) random entries, what the analysis of accesses says against an execution
#                                  reverted: defects of old, put back: random programs must find each
#                                  mutations: MUTATIONS (5000) changed modules, Verify against NVIDIA's tools
#                                  completeness: each test of the completeness table against its mutants
#                                  reference: every kernel of cuTile Python in every version, exported anew
#                                  numpy: every case of the operations that compute, in NumPy anew
#                                  kernels: each ready kernel through the assembler, for every architecture, with variables for debuggers, and those of cuTile Python that they are compared with
#                                  pysuite: cuTile Python's own tests, by scripts/outside.sh
#                                  dialect: the tests of NVIDIA/cuda-tile, by scripts/outside.sh
#                                  builds: programs in each way of building that nothing else builds: with a profile, vendored, as a plugin
#                                  race: every test with the race detector
#                                  bare: every test in a clean clone, without tools
#                                  apps: the programs of examples/apps, with the page in Chromium (Debian: chromium)
#                                  mutants: the product broken in MUTANTS (200) places, against its own short tests
#                                  native-stress: machine code and kernels called by 64 goroutines, each for NATIVE_STRESS_TIME (10m), and the pauses that it causes
#                                  launches: 100000 launches from 64 goroutines on a fake GPU that refuses, is slow and has too little memory, with the race detector
#                                  neon: machine code for arm64 under qemu-aarch64 (Debian: qemu-user), NEON_FUNCTIONS (5000) random functions
#                                  wasm: kernels in node, as js/wasm
#                                  targets: every program for every system, and without drivers; kernels on arm64 under qemu-aarch64 (Debian: qemu-user)
#                                  ulp: functions of float32 for all 2^32 arguments, a minute or so each; ULP=Exp,Tanh names some
#                                  bench: speed of reading and writing, beside cuTile Python's writer
#
# FUZZ_EXECS, SOURCES_TIME, GOFUZZ_PROGRAMS, GOFUZZ_TIME and NATIVEFUZZ_TIME (no more is begun after it), NATIVEFUZZ_MODULES,
# MUTATIONS, NATIVE_STRESS_TIME and NEON_FUNCTIONS change what the steps take;
# MUTATIONS=5000@7 takes another seed, and so do CUTILE_SOURCEFUZZ_SEED=7 for sources, GOFUZZ_SEED=1000000 for gofuzz and NATIVEFUZZ_SEED=1000000 for native, GRAPHFUZZ_SEED=1000000 for graphs; ACCESSFUZZ_ENTRIES is how many access takes.
# mutations, completeness, reference and kernels need NVIDIA's tools (cutile toolchain install), reference, numpy and bench a Python
# with cuda-tile, which CUTILE_ORACLE_PYTHON names; apps one with the packages of examples/apps/testdata and onnx/testdata, which CUTILE_PYTHON names; what a step needs and the machine lacks is a failure. An input that fuzz
# finds is left in testdata/fuzz, where every later test runs it; a program that sources or gofuzz finds is printed, for
# internal/testing/sourcefuzz/testdata or internal/testing/gogen/testdata, and so is a module that native finds, for internal/testing/nativefuzz/testdata.
set -eu
cd "$(dirname "$0")/.."

usage() {
	sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
	exit 2
}

# Fuzzing counts inputs, not seconds: when its time runs out, Go may report a deadline in place of a result. A target keeps one processor
# busy, so two run at a time.
fuzz() {
	printf '%s\n' ./tileir/bytecode:FuzzRead ./tileir/bytecode:FuzzVerify ./tileir/text:FuzzParse ./internal/layout:FuzzParse ./internal/simt/ptx:FuzzRead \
		./internal/tools/toolchain:FuzzCheckCubin ./npy:FuzzRead ./npy:FuzzArchive ./internal/spirv:FuzzRead ./internal/spirv:FuzzVerify ./internal/toolbox/emuprofile:FuzzFile |
		xargs -n 1 -P 2 sh -c 'go test -run "^$" -fuzz "^${1##*:}\$" -fuzztime "${FUZZ_EXECS:-3000000}x" -fuzzminimizetime 10x -parallel 1 "${1%:*}"' fuzz
}

sources() {
	CUTILE_SOURCEFUZZ=${SOURCES_TIME:-10m} go test -count=1 -timeout 0 -v -run '^TestLong$' ./internal/testing/sourcefuzz
}

gofuzz() {
	GOFUZZ_PROGRAMS=${GOFUZZ_PROGRAMS:-100000} go test -count=1 -timeout 0 -v -run '^TestLong$' ./internal/testing/gogen
}

native() {
	NATIVEFUZZ_MODULES=${NATIVEFUZZ_MODULES:-1000000} go test -count=1 -timeout 0 -v -run '^TestLong$' ./internal/testing/nativefuzz
}

threads() {
	THREADFUZZ_ARCHS=sm_75,sm_80,sm_90a,sm_100a THREADFUZZ_MODULES=${THREADFUZZ_MODULES:-25000} go test -count=1 -timeout 0 -v -run '^TestRandom$' ./internal/testing/threadtest
	THREADFUZZ_PRODUCTS=${THREADFUZZ_PRODUCTS:-20000} go test -count=1 -timeout 0 -run '^TestProducts$' ./internal/testing/threadtest
	CUTILE_OWN=all CUTILE_REQUIRE=ptxas,tileiras,cuobjdump go test -count=1 -timeout 0 -v -run '^(TestThreads|TestOwn)$' ./internal/testing/conformance ./internal/testing/sasstest
	for arch in sm_75 sm_80 sm_90a sm_100a; do
		CUTILE_CHECKS=off CUTILE_THREADS=$arch go test -count=1 -timeout 0 -short ./kernels/...
	done
	go test -count=1 -timeout 0 -run '^TestMutants$' ./internal/testing/threadtest -mutate
}

vulkan() {
	folder=${TMPDIR:-/tmp}/cutile-ci-vulkan
	scripts/vulkan.sh "$folder"
	# shellcheck disable=SC1091 # scripts/vulkan.sh has written it
	(. "$folder/env" && export CUTILE_OWN=all CUTILE_REQUIRE=vulkan THREADFUZZ_MODULES=40 &&
		go test -vet=off -count=1 -timeout 0 -run Vulkan . ./examples ./internal/testing/conformance ./internal/testing/numerics ./internal/testing/threadtest &&
		VK_DRIVER_FILES=${VK_DRIVER_FILES##*:} go test -vet=off -count=1 -timeout 0 -run '^TestVulkan$' ./internal/testing/conformance ./internal/testing/numerics) # SwiftShader
	CUTILE_REQUIRE=vulkan,matrices THREADFUZZ_PRODUCTS=60 go test -vet=off -count=1 -timeout 0 -exec "$folder/newer" \
		-run 'TestMatrices|TestProductsVulkan|^TestVulkan$' ./internal/engine/vulkan ./internal/testing/threadtest ./internal/testing/conformance
	CUTILE_CASES='^dot/' CUTILE_OWN=all CUTILE_REQUIRE=vulkan,matrices go test -vet=off -count=1 -timeout 0 -exec "$folder/newer" -run '^TestVulkan$' ./internal/testing/conformance
}

graphs() {
	GRAPHFUZZ_GRAPHS=${GRAPHFUZZ_GRAPHS:-100000} go test -count=1 -timeout 0 -run '^TestRandom$' ./internal/graph/exec
}

access() {
	ACCESSFUZZ_ENTRIES=${ACCESSFUZZ_ENTRIES:-30000} go test -count=1 -timeout 0 -run '^TestRandom$' ./internal/access
}

reverted() {
	GOFUZZ_REVERTED=1 go test -count=1 -timeout 0 -v -run '^TestReverted$' ./internal/testing/gogen
}

mutations() {
	CUTILE_REQUIRE=tileiras,tileirdisasm CUTILE_MUTATIONS=${MUTATIONS:-5000} \
		go test -count=1 -timeout 3h -v -run '^TestMutations$' ./tileir/bytecode
}

completeness() {
	go test -count=1 -timeout 3h -run '^TestMutants$' ./internal/testing/completeness -mutate
}

reference() {
	CUTILE_REQUIRE=tileirdisasm,oracle go test -count=1 -timeout 3h ./internal/testing/reftest
}

numpy() {
	CUTILE_REQUIRE=oracle go test -count=1 -timeout 1h -v -run '^TestNumPy$' ./internal/testing/numerics -every
}

kernels() {
	CUTILE_REQUIRE=tileiras,ptxas go test -count=1 -timeout 6h -run '^(TestAssembles|TestVariables)$' ./kernels -archs
	CUTILE_REQUIRE=tileiras,cuobjdump go test -count=1 -timeout 1h ./internal/testing/sasstest -measure
}

pysuite() {
	scripts/outside.sh pysuite
}

dialect() {
	scripts/outside.sh dialect
}

builds() {
	CUTILE_REQUIRE=slow,builds,cc go test -count=1 -timeout 1h -v -run 'Build|Plugin' ./internal/testing/processtest ./internal/testing/paritytest
}

race() {
	CUTILE_REQUIRE=slow go test -count=1 -timeout 6h -race ./...
}

bare() {
	clone=$(mktemp -d)
	git clone -q . "$clone/cutile"
	(cd "$clone/cutile" && CUTILE_CACHE="$clone/cache" CUTILE_REQUIRE=slow go test -count=1 ./...)
	rm -rf "$clone"
}

apps() {
	(cd examples/apps && CUTILE_REQUIRE=minilm,silero,llama,python,chromium go test -count=1 -timeout 1h ./...)
}

mutants() {
	go run ./internal/testing/mutate -n "${MUTANTS:-200}" -seed "${MUTANTS_SEED:-1}"
}

native_stress() {
	CUTILE_NATIVE_STRESS=${NATIVE_STRESS_TIME:-10m} go test -count=1 -timeout 0 -v -run '^TestStress$' -bench 'Call|Pause' ./internal/native/host
	CUTILE_NATIVE_STRESS=${NATIVE_STRESS_TIME:-10m} go test -count=1 -timeout 0 -v -run '^TestStress$|^TestPauses$' ./internal/engine/cpu
}

launches() {
	CUTILE_STRESS_LAUNCHES=100000 go test -race -count=1 -timeout 0 -v -run '^TestStress$' .
}

neon() {
	if ! command -v qemu-aarch64 >/dev/null; then
		echo "neon needs qemu-aarch64, which is missing (Debian: qemu-user)" >&2
		return 1
	fi
	# Assemblers do the same everywhere. Without both drivers programs are static: qemu needs no libraries of arm64.
	# shellcheck disable=SC2046 # the packages are words
	CUTILE_REQUIRE=slow CUTILE_RANDOM=${NEON_FUNCTIONS:-5000} GOOS=linux GOARCH=arm64 CGO_ENABLED=0 \
		go test -tags nocuda,novulkan -count=1 -timeout 0 -exec qemu-aarch64 $(go list ./internal/native/... | grep -v -e 64 -e x86)
	GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go test -tags nocuda,novulkan -count=1 -short -timeout 0 -exec qemu-aarch64 -run 'Product|Mma' ./internal/engine/cpu
	go test -count=1 -run '^TestBitmask32$' ./internal/native/arm64 -every
}

wasm() {
	GOOS=js GOARCH=wasm CGO_ENABLED=0 go test -count=1 -short -exec "$(go env GOROOT)/lib/wasm/go_js_wasm_exec" ./dtype ./examples/vectoradd ./examples/softmax
}

targets() {
	for target in linux/amd64 linux/arm64 darwin/arm64 windows/amd64; do # the gate looks at types alone
		CGO_ENABLED=0 GOOS=${target%/*} GOARCH=${target#*/} go build ./...
		CGO_ENABLED=0 GOOS=${target%/*} GOARCH=${target#*/} go vet ./...
	done
	CGO_ENABLED=0 go build -tags=nocuda,novulkan ./...
	for target in linux/riscv64 linux/loong64 linux/ppc64le freebsd/amd64 wasip1/wasm; do # built, not run: README, Systems
		CGO_ENABLED=0 GOOS=${target%/*} GOARCH=${target#*/} go build ./...
	done
	# Without both drivers programs are static: qemu needs no libraries of arm64.
	GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go test -tags nocuda,novulkan -count=1 -short -timeout 2h -exec qemu-aarch64 \
		./dtype ./tile/... ./internal/layout ./internal/native/... ./docs/language ./examples/vectoradd ./examples/softmax ./examples/gemm ./examples/attention
}

ulp() {
	CUTILE_ULP=${ULP:-all} go test -count=1 -timeout 0 -v -run '^TestSweep$' ./internal/native/vecmath
}

bench() {
	CUTILE_REQUIRE=oracle go test -run '^$' -bench 'Read|Write' -benchtime 5s ./tileir/bytecode
}

# all are the steps, in the order in which they run; each is a function above, with _ for -.
all="fuzz hostile sources gofuzz native threads vulkan graphs access reverted mutations completeness reference numpy kernels pysuite dialect builds race bare apps mutants native-stress launches neon wasm targets ulp bench"

# shellcheck disable=SC2086 # the steps are words
[ $# -gt 0 ] || set -- $all
for step in "$@"; do
	case " $all " in
	*" $step "*) ;;
	*) usage ;;
	esac
done
for step in "$@"; do
	printf '\n== %s\n' "$step"
	"$(echo "$step" | tr - _)"
done

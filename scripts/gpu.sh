#!/bin/sh
# Runs the conformance suite, benchmarks and the examples, those of package cute too, on a GPU, on a machine that has neither Go nor tileiras
# nor a network: the suite and the benchmarks as code of tileiras, as code of our own compiler, which the driver compiles, and by Vulkan.
#
#   scripts/gpu.sh build OUT_DIR [ARCHS]   on a machine with Go and tileiras: fills OUT_DIR
#   OUT_DIR/run.sh [CASES]                 on the machine with the GPU: runs the cases that the regular expression CASES
#                                          matches, all of them by default, and the rest
#   OUT_DIR/run.sh -bench [OPTIONS]        only the benchmarks, with options of internal/testing/gpubench
#
# ARCHS is a list such as "sm_90,sm_100,own:sm_100a"; the default is sm_90,own:sm_90a. Names behind own: are of PTX of our own compiler, which
# GPUs load where they can; other GPUs have it made anew. GOOS and GOARCH may name another kind of machine than this one.
# CUTILE_BENCH names the benchmarks' workloads, such as gemm:1024x1024x1024,add:1048576. OUT_DIR must stay under LIMIT_MIB (60), or the build
# fails.
set -eu

usage() {
	sed -n '2,13s/^# \{0,1\}//p' "$0"
	exit 2
}

build() {
	out=$1
	archs=${2:-sm_90,own:sm_90a}
	root=$(cd "$(dirname "$0")/.." && pwd)
	mkdir -p "$out"
	out=$(cd "$out" && pwd)
	rm -rf "$out/programs" "$out/cubins.zip" "$out/run.sh" "$out/examples" "$out/bench"
	mkdir -p "$out/programs"
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT

	echo "building the test binary"
	both "$root" conformance test -c ./internal/testing/conformance
	echo "assembling for $archs"
	CUTILE_RECORD=$work/cubins.zip CUTILE_ARCHS=$archs CUTILE_CASES=${CUTILE_CASES:-} "$work/conformance.host"
	mv "$work/cubins.zip" "$out/cubins.zip"
	if [ -z "${CUTILE_CASES:-}" ]; then
		examples
		bench
		both "$root" cute test -c ./internal/testing/cutecases # PTX: the driver compiles it
		both "$root" dist test -c ./dist
	fi
	write_run "$out/run.sh"

	size=$(du -sm "$out" | cut -f1)
	echo "$out holds $size MiB"
	if [ "$size" -gt "${LIMIT_MIB:-60}" ]; then
		echo "gpu.sh: that is more than ${LIMIT_MIB:-60} MiB: build for fewer architectures" >&2
		exit 1
	fi
}

# both builds program $2 in folder $1 by the rest, a go command: packed for the machine with the GPU, and for this one as $2.host.
both() {
	dir=$1 name=$2
	shift 2
	for kind in target host; do
		(cd "$dir" && { [ $kind = target ] || unset GOOS GOARCH; } && command=$1 && shift && CGO_ENABLED=0 go "$command" -trimpath -ldflags="-s -w" -o "$work/$name.$kind" "$@")
	done
	gzip -9 <"$work/$name.target" >"$out/programs/$name.gz"
	rm "$work/$name.target"
}

# examples makes one program of all examples, since each would take six MiB, but of those that only start a command of another module. It
# runs them on the CPU to learn which kernels they compile, and keeps their code.
examples() {
	mkdir -p "$out/examples" "$work/all"
	sed "s|^module .*|module examples|" "$root/go.mod" >"$work/all/go.mod"
	(cd "$work/all" && go mod edit -require=github.com/cutile-go/cutile@v0.0.0 -replace="github.com/cutile-go/cutile=$root")
	cp "$root/go.sum" "$work/all/go.sum"
	imports= calls=
	for file in "$root"/examples/*/main.go; do
		name=$(basename "$(dirname "$file")")
		! grep -q '/examples/internal/app"' "$file" || continue
		mkdir "$work/all/$name"
		for part in "$root/examples/$name"/*; do
			case $part in
			*_test.go) ;;
			*.go) sed "s/^package main\$/package $name/; s/^func main() {/func Main() {/" "$part" >"$work/all/$name/$(basename "$part")" ;;
			*) [ ! -f "$part" ] || cp "$part" "$work/all/$name/" ;;
			esac
		done
		echo "$name" >>"$out/examples/names"
		imports="$imports; import \"examples/$name\"" calls="$calls; case \"$name\": $name.Main()"
	done
	echo "package main; import \"os\"$imports; func main() { os.Args = os.Args[1:]; switch os.Args[0] { default: os.Exit(2)$calls } }" >"$work/all/main.go"
	both "$work/all" examples build .
	while read -r name; do
		echo "example $name"
		CUTILE_DEVICE=cpu CUTILE_RECORD=$work/cubins CUTILE_ARCHS=$archs "$work/examples.host" "$name" >/dev/null
	done <"$out/examples/names"
	tar -C "$work" -czf "$out/examples/cubins.tar.gz" cubins
}

# bench builds the benchmarks and keeps the code of their kernels, whose results the CPU computes, too.
bench() {
	mkdir -p "$out/bench"
	echo "benchmarks"
	both "$root" gpubench build ./internal/testing/gpubench
	CUTILE_RECORD=$out/bench/cubins CUTILE_ARCHS=$archs "$work/gpubench.host" -ways cpu -rounds 0 -limit 1h
	echo "${CUTILE_BENCH:-}" >"$out/bench/work"
}

write_run() {
	cat >"$1" <<'END'
#!/bin/sh
# Runs the conformance suite on this machine's first GPU, in three ways, then the rest. $1, if given, is a regular expression of names of
# cases, or -bench: then only the benchmarks run, with the arguments after it.
# Exit status: 0 all passed, 1 some failed, 3 there is no GPU or its driver does not fit.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
if command -v nvidia-smi >/dev/null 2>&1; then
	nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader || true
else
	echo "nvidia-smi is not in the PATH"
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
log=$work/log
for packed in "$here"/programs/*.gz; do
	name=$(basename "$packed" .gz)
	gunzip -c "$packed" >"$work/$name" && chmod +x "$work/$name" || exit 1
done
[ ! -f "$here/examples/cubins.tar.gz" ] || tar -C "$work" -xzf "$here/examples/cubins.tar.gz" || exit 1
bench() {
	echo "== benchmarks"
	CUTILE_BENCH=${CUTILE_BENCH:-$(cat "$here/bench/work")} "$work/gpubench" -cubins "$here/bench/cubins" "$@"
}
if [ "${1:-}" = -bench ]; then
	shift
	bench "$@"
	exit
fi
{
	cd "$work" && echo "== code of tileiras" && CUTILE_DEVICE=cuda CUTILE_REQUIRE=gpu CUTILE_CUBINS=$here/cubins.zip CUTILE_CASES=${1:-} \
		./conformance -test.run='^TestCUDA$' -test.v 2>&1
	status=$?
	if [ "$status" -ne 3 ]; then
		echo "== code of our own compiler"
		CUTILE_DEVICE=cuda CUTILE_REQUIRE=gpu CUTILE_ASSEMBLER=own CUTILE_CUBINS=$here/cubins.zip CUTILE_CASES=${1:-} \
			./conformance -test.run='^TestCUDA$' -test.v 2>&1 || status=1
	fi
	if [ -n "${CUTILE_LIBVULKAN:-}${VK_DRIVER_FILES:-}" ] || ldconfig -p 2>/dev/null | grep -q libvulkan.so.1; then
		echo "== Vulkan"
		CUTILE_REQUIRE=vulkan CUTILE_OWN=all CUTILE_CASES=${1:-} ./conformance -test.run='^TestVulkan$' -test.v 2>&1 || [ "$status" -eq 3 ] || status=1
	else
		echo "== Vulkan: there is no libvulkan.so.1"
	fi
	echo "$status" >"$log.status"
} | tee "$log" | grep -v '^=== '
status=$(cat "$log.status")
case $status in
3) exit 3 ;; # refused, for the reason above
esac
rest=0
if [ -z "${1:-}" ] && [ -e "$here/examples/names" ]; then
	while read -r name; do
		for by in "" own; do
			echo "== example $name${by:+, code of our own compiler}"
			if ! CUTILE_DEVICE=cuda CUTILE_ASSEMBLER=$by CUTILE_CUBINS=$work/cubins "$work/examples" "$name" </dev/null; then
				echo "example $name${by:+, code of our own compiler,} failed"
				rest=1
			fi
		done
	done <"$here/examples/names"
	echo "== kernels of package cute"
	(cd "$work" && CUTILE_REQUIRE=gpu ./cute -test.run='^TestGPU$' -test.v) || rest=1
	if [ -n "${CUTILE_LIBNCCL:-}" ] || ldconfig -p 2>/dev/null | grep -q libnccl.so.2; then
		echo "== collectives by NCCL"
		(cd "$work" && CUTILE_REQUIRE=gpu,nccl CUTILE_ASSEMBLER=own ./dist -test.run='^TestMachine$' -test.v) || rest=1
	else
		echo "== collectives by NCCL: there is no libnccl.so.2"
	fi
	bench || rest=1
fi
passed=$(grep -c '^    --- PASS' "$log")
failed=$(grep -c '^    --- FAIL' "$log")
echo "$passed cases passed, $failed failed"
if [ "$failed" -gt 0 ]; then
	grep '^    --- FAIL' "$log" | sed 's/^    --- FAIL: Test/failed: /'
fi
if [ "$status" -eq 0 ] && [ "$passed" -eq 0 ]; then
	echo "no case ran"
	exit 1
fi
[ "$rest" -eq 0 ] || exit 1
exit "$status"
END
	chmod +x "$1"
}

case ${1:-} in
build)
	[ $# -ge 2 ] && [ $# -le 3 ] || usage
	build "$2" "${3:-}"
	;;
*) usage ;;
esac

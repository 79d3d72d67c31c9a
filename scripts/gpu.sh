#!/bin/sh
# Runs the conformance suite and the examples, those of package cute too, on a GPU, on a machine that has neither Go nor tileiras nor a network:
# the suite as code of tileiras, as code of our own compiler, which the driver compiles, and by Vulkan.
#
#   scripts/gpu.sh build OUT_DIR [ARCHS]   on a machine with Go and tileiras: fills OUT_DIR
#   OUT_DIR/run.sh [CASES]                 on the machine with the GPU: runs the cases that the regular expression CASES
#                                          matches, all of them by default
#
# ARCHS is a list such as "sm_90,sm_100"; the default is sm_90. GOOS and GOARCH may name another kind of machine than this
# one. OUT_DIR must stay under LIMIT_MIB (60), or the build fails.
set -eu

usage() {
	sed -n '2,11s/^# \{0,1\}//p' "$0"
	exit 2
}

build() {
	out=$1
	archs=${2:-sm_90}
	root=$(cd "$(dirname "$0")/.." && pwd)
	mkdir -p "$out"
	out=$(cd "$out" && pwd)
	rm -rf "$out/conformance.test" "$out/cute.test" "$out/cubins.zip" "$out/run.sh" "$out/examples"
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT

	echo "building the test binary"
	compile "$root" "$out/conformance.test"
	recorder=$out/conformance.test
	if [ -n "${GOOS:-}${GOARCH:-}" ]; then
		recorder=$work/recorder
		(unset GOOS GOARCH && compile "$root" "$recorder")
	fi

	echo "assembling for $archs"
	CUTILE_RECORD=$work/cubins.zip CUTILE_ARCHS=$archs CUTILE_CASES=${CUTILE_CASES:-} "$recorder"
	mv "$work/cubins.zip" "$out/cubins.zip"
	if [ -z "${CUTILE_CASES:-}" ]; then
		examples "$root" "$out/examples" "$archs"
		(cd "$root" && CGO_ENABLED=0 go test -c -trimpath -ldflags="-s -w" -o "$out/cute.test" ./internal/testing/cutecases) # PTX: the driver compiles it
	fi
	write_run "$out/run.sh"

	size=$(du -sm "$out" | cut -f1)
	echo "$out holds $size MiB"
	if [ "$size" -gt "${LIMIT_MIB:-60}" ]; then
		echo "gpu.sh: that is more than ${LIMIT_MIB:-60} MiB: build for fewer architectures" >&2
		exit 1
	fi
}

compile() {
	(cd "$1" && CGO_ENABLED=0 go test -c -trimpath -ldflags="-s -w" -o "$2" ./internal/testing/conformance)
}

# examples builds every example, runs it on the CPU to learn which kernels it compiles, and keeps their cubins.
examples() {
	mkdir -p "$2/cubins"
	for dir in "$1"/examples/*/main.go; do
		name=$(basename "$(dirname "$dir")")
		echo "example $name"
		for kind in target host; do
			(cd "$1" && { [ $kind = target ] || unset GOOS GOARCH; } && CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o "$2/$name.$kind" "./examples/$name")
		done
		CUTILE_DEVICE=cpu CUTILE_RECORD=$2/cubins CUTILE_ARCHS=$3 "$2/$name.host" >/dev/null
		gzip -9 <"$2/$name.target" >"$2/$name.gz"
		rm "$2/$name.host" "$2/$name.target"
	done
}

write_run() {
	cat >"$1" <<'END'
#!/bin/sh
# Runs the conformance suite on this machine's first GPU, in three ways. $1, if given, is a regular expression of names of cases.
# Exit status: 0 all passed, 1 some failed, 3 there is no GPU or its driver does not fit.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
if command -v nvidia-smi >/dev/null 2>&1; then
	nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader || true
else
	echo "nvidia-smi is not in the PATH"
fi
log=$(mktemp) || exit 1
trap 'rm -f "$log" "$log.status"' EXIT
{
	cd "$here" && echo "== code of tileiras" && CUTILE_DEVICE=cuda CUTILE_REQUIRE=gpu CUTILE_CUBINS=$here/cubins.zip CUTILE_CASES=${1:-} \
		./conformance.test -test.run='^TestCUDA$' -test.v 2>&1
	status=$?
	if [ "$status" -ne 3 ]; then
		echo "== code of our own compiler"
		CUTILE_DEVICE=cuda CUTILE_REQUIRE=gpu CUTILE_ASSEMBLER=own CUTILE_CASES=${1:-} ./conformance.test -test.run='^TestCUDA$' -test.v 2>&1 || status=1
	fi
	if [ -n "${CUTILE_LIBVULKAN:-}${VK_DRIVER_FILES:-}" ] || ldconfig -p 2>/dev/null | grep -q libvulkan.so.1; then
		echo "== Vulkan"
		CUTILE_REQUIRE=vulkan CUTILE_OWN=all CUTILE_CASES=${1:-} ./conformance.test -test.run='^TestVulkan$' -test.v 2>&1 || [ "$status" -eq 3 ] || status=1
	else
		echo "== Vulkan: there is no libvulkan.so.1"
	fi
	echo "$status" >"$log.status"
} | tee "$log" | grep -v '^=== '
status=$(cat "$log.status")
case $status in
3) exit 3 ;; # refused, for the reason above
esac
examples=0
for packed in "$here"/examples/*.gz; do
	[ -e "$packed" ] && [ -z "${1:-}" ] || continue
	name=$(basename "$packed" .gz)
	echo "== example $name"
	gunzip -c "$packed" >"$log.example" && chmod +x "$log.example"
	if ! CUTILE_DEVICE=cuda CUTILE_CUBINS=$here/examples/cubins "$log.example"; then
		echo "example $name failed"
		examples=1
	fi
	rm -f "$log.example"
done
if [ -x "$here/cute.test" ] && [ -z "${1:-}" ]; then
	echo "== kernels of package cute"
	(cd "$here" && CUTILE_REQUIRE=gpu ./cute.test -test.run='^TestGPU$' -test.v) || examples=1
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
[ "$examples" -eq 0 ] || exit 1
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

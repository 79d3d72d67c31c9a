#!/bin/bash
# Runs GoMLX's own tests on its back end in Go and on this one, each test in a process of its own, and prints a table.
#
#	./suite.sh [-r regexp] [back end...]     by default: go cutile:cpu
#
# The tests name another back end, which needs cgo. The script therefore copies GoMLX's module from the module cache to a temporary
# folder and changes the copy: the back end is what GOMLX_BACKEND says, and this module is imported. Package folders and tests that
# match the regular expression, such as "core/graph TestPad", run. WORK names a folder to keep; else it is temporary.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
match=.
if [ "${1:-}" = -r ]; then match=$2; shift 2; fi
backends=("${@:-go}")
[ $# -gt 0 ] || backends=(go cutile:cpu)

work=${WORK:-$(mktemp -d)}
[ -n "${WORK:-}" ] || trap 'rm -rf "$work"' EXIT
src=$work/gomlx
mkdir -p "$work/bin"
export CGO_ENABLED=0 GOFLAGS="-mod=mod -tags=noxla ${GOFLAGS:-}"
# Devices that go test opens check every access, far slower; these tests are those of a user.
export CUTILE_CHECKS=${CUTILE_CHECKS:-off}

prepare() {
	local module; module=$(cd "$here" && GOFLAGS= go list -m -f '{{.Dir}}' github.com/gomlx/gomlx)
	[ ! -d "$src" ] || return 0
	cp -r "$module" "$src"
	chmod -R u+w "$src"
	cd "$src"
	# The helpers for tests and the tests of package graph install the other back end before anything runs.
	local f
	for f in pkg/core/graph/graphtest/graphtest.go pkg/core/graph/graph_test.go; do
		sed -i -e '/gomlx\/backends\/xla"/d' -e '/gomlx\/backends\/default"/d' -e '/xla\.AutoInstall()/,/^\t*}$/d' "$f"
		grep -q 'klog\.' "$f" || sed -i '/k8s.io\/klog\/v2"/d' "$f"
	done
	grep -rl 'backends/default"' --include=*_test.go pkg | xargs -r sed -i 's#_ "github.com/gomlx/gomlx/backends/default".*#_ "github.com/gomlx/gomlx/backends/simplego"\n\t_ "github.com/cutile-go/cutile/bridge/gomlx"#'
	grep -rl '"xla:cpu"' --include=*.go pkg/core | xargs -r sed -i 's#"xla:cpu"#"go"#'
	local dir package
	for dir in pkg/core/graph pkg/core/graph/graphtest; do
		package=graphtest f=backends.go
		[ $dir = pkg/core/graph ] && package=graph_test f=backends_test.go
		printf 'package %s\n\nimport (\n\t_ "github.com/cutile-go/cutile/bridge/gomlx"\n\t_ "github.com/gomlx/gomlx/backends/simplego"\n)\n' $package > $dir/$f
	done
	local root; root=$(cd "$here/../.." && pwd)
	go mod edit -go=1.26.0 -toolchain=none -require=github.com/cutile-go/cutile@v0.0.0 -require=github.com/cutile-go/cutile/bridge/gomlx@v0.0.0 \
		-replace=github.com/cutile-go/cutile="$root" -replace=github.com/cutile-go/cutile/bridge/gomlx="$here"
}

packages="pkg/core/graph pkg/core/graph/nanlogger pkg/core/tensors pkg/core/distributed pkg/ml/context pkg/ml/context/checkpoints
pkg/ml/context/initializers pkg/ml/datasets pkg/ml/layers pkg/ml/layers/activations pkg/ml/layers/bsplines pkg/ml/layers/fnn
pkg/ml/layers/kan pkg/ml/layers/lstm pkg/ml/layers/rational pkg/ml/layers/regularizers pkg/ml/layers/vnn pkg/ml/train
pkg/ml/train/losses pkg/ml/train/metrics pkg/ml/train/optimizers pkg/ml/train/optimizers/cosineschedule"

# outcome runs one test and prints pass, fail or skip.
outcome() { # back end, program, test, log
	if ! GOMLX_BACKEND=$1 timeout "${TIMEOUT:-300}" "$2" -test.run "^$3\$" -test.v > "$4" 2>&1; then
		echo fail
	elif grep -q -- "^--- SKIP: $3 " "$4"; then
		echo skip
	else
		echo pass
	fi
}

prepare
cd "$src"
declare -A count
printf '%-12s' "${backends[@]}"; echo test
for p in $packages; do
	bin=$work/bin/$(echo "$p" | tr / _).test
	grep -qE "$match" <<< "$p Test" || grep -q ' ' <<< "$match" || continue
	go test -vet=off -c -o "$bin" "./$p" > "$work/build.log" 2>&1 || { echo "$p does not build:"; cat "$work/build.log"; exit 1; }
	cd "$src/$p"
	for t in $(GOMLX_BACKEND=go "$bin" -test.list . 2> /dev/null | grep ^Test); do
		grep -qE "$match" <<< "$p $t" || continue
		for b in "${backends[@]}"; do
			o=$(outcome "$b" "$bin" "$t" "$work/bin/$(echo "$p $t $b" | tr '/ :' ___).log")
			count[$b.$o]=$((${count[$b.$o]:-0} + 1))
			printf '%-12s' "$o"
		done
		echo "$p $t"
	done
	cd "$src"
done
echo
printf '%-14s%8s%8s%8s\n' "back end" pass fail skip
for b in "${backends[@]}"; do
	printf '%-14s%8d%8d%8d\n' "$b" "${count[$b.pass]:-0}" "${count[$b.fail]:-0}" "${count[$b.skip]:-0}"
done

#!/bin/sh
# Runs Gonum's own tests of packages mat and lapack/gonum with this package as the implementation of BLAS, beside a run
# without it, and prints how many tests pass, fail and are skipped. The module is copied from the module cache to a temporary
# folder, and each package gets a file that installs the implementation.
#
#	sh gonumtests.sh [-alone] [-threshold n] [package ...]
#
# -alone leaves out the run with Gonum's BLAS. The threshold is that of tileblas.Threshold; 0 computes everything on the device.
set -eu
alone=
threshold=
if [ "${1-}" = -alone ]; then
	alone=1
	shift
fi
if [ "${1-}" = -threshold ]; then
	threshold=$2
	shift 2
fi
[ $# -gt 0 ] || set -- mat lapack/gonum
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$here"
cp -R "$(go list -m -f '{{.Dir}}' gonum.org/v1/gonum)" "$tmp/gonum"
chmod -R u+w "$tmp/gonum"
cd "$tmp/gonum"
export GOFLAGS=-mod=mod CUTILE_CHECKS="${CUTILE_CHECKS-off}"
module=github.com/cutile-go/cutile
go mod edit -go=1.26.0 -require=$module@v0.0.0 -replace=$module="$root" \
	-require=$module/bridge/gonum@v0.0.0 -replace=$module/bridge/gonum="$here"

# count runs the tests of a package: name of the run, package.
count() {
	status=ok
	go test -count=1 -timeout 60m -v "./$2" >"$tmp/log" 2>&1 || status=failed
	printf '%-14s %-9s %s: %s tests pass, %s fail, %s skip (with parts: %s, %s, %s)\n' "$2" "$1" $status \
		"$(grep -c '^--- PASS' "$tmp/log")" "$(grep -c '^--- FAIL' "$tmp/log")" "$(grep -c '^--- SKIP' "$tmp/log")" \
		"$(grep -c -- '--- PASS' "$tmp/log")" "$(grep -c -- '--- FAIL' "$tmp/log")" "$(grep -c -- '--- SKIP' "$tmp/log")"
	[ $status = ok ] || { grep -n -B1 -A6 -e '--- FAIL' -e '^panic' -e 'FAIL.*build' "$tmp/log" | head -60; failed=1; }
}
failed=0
for package; do
	[ -n "$alone" ] || count gonum "$package"
	cat >"$package/zz_tileblas_test.go" <<EOF
package $(basename "$package")

import (
	"github.com/cutile-go/cutile"
	tileblas "github.com/cutile-go/cutile/bridge/gonum"
)

func init() {
	dev, err := cutile.Open("cpu")
	if err != nil {
		panic(err)
	}
	x, err := tileblas.New(dev${threshold:+, tileblas.Threshold($threshold)})
	if err != nil {
		panic(err)
	}
	x.Use()
}
EOF
	count tileblas "$package"
done
exit $failed

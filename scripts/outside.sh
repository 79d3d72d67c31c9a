#!/bin/sh
# Test suites of other projects, as judges from outside: fetched when they run, never committed. Each step prints a line at
# its end: N passed, N failed, N excluded. docs/outside.md has the figures.
#
#   scripts/outside.sh STEP        pysuite [FILE ...]: cuTile Python's own tests on the CPU engine, all or some files, or as PTX of our own
#                                  compiler on the emulator, for the architecture CUTILE_THREADS
#                                  dialect: the tests of the open dialect against our reader and verifier of text
#                                  ptx: ZLUDA's and gpuocelot's PTX, read and, where results are listed, run in the emulator
#                                  layouts: the layouts of CUTLASS's tests against the layout algebra
#
# pysuite takes a checkout of NVIDIA/cutile-python from CUTILE_PYSUITE, else it clones one; and a Python with the packages of
# python/pysuite/requirements.txt (torch among them) from CUTILE_PYSUITE_PYTHON, else it makes one in the folder for
# temporary files. PYSUITE_JOBS (2) processes run at a time. dialect takes a checkout of NVIDIA/cuda-tile from CUTILE_DIALECT,
# else it clones one. So do ptx with CUTILE_ZLUDA (vosen/ZLUDA) and CUTILE_GPUOCELOT (gtcasl/gpuocelot), and layouts with
# CUTILE_CUTLASS (NVIDIA/cutlass).
set -eu
cd "$(dirname "$0")/.."
tmp=${TMPDIR:-/tmp}

usage() {
	sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
	exit 2
}

# checkout DIR REPOSITORY COMMIT clones a repository where there is none yet.
checkout() {
	[ -d "$1" ] || git clone -q "https://github.com/$2" "$1"
	git -C "$1" checkout -q "$3"
}

pysuite() {
	suite=${CUTILE_PYSUITE:-}
	if [ -z "$suite" ]; then
		suite=$tmp/cutile-pysuite
		checkout "$suite" NVIDIA/cutile-python 9c3ee3ccc504f18bbabf55b0d3e6d398bb21ecc4
	fi
	python=${CUTILE_PYSUITE_PYTHON:-}
	if [ -z "$python" ]; then
		python=$tmp/cutile-pysuite-venv/bin/python
		[ -x "$python" ] || python3 -m venv "$tmp/cutile-pysuite-venv"
		"$python" -m pip install --quiet --disable-pip-version-check -r python/pysuite/requirements.txt
	fi
	program=./cmd/cutile
	[ -z "${CUTILE_THREADS:-}" ] || program=./internal/testing/threadserve
	go build -o "$tmp/cutile-pysuite-server" $program
	CUTILE_CPU_SERVER=$tmp/cutile-pysuite-server "$python" python/pysuite/run.py "$suite" "$@"
}

dialect() {
	suite=${CUTILE_DIALECT:-}
	if [ -z "$suite" ]; then
		suite=$tmp/cutile-dialect
		checkout "$suite" NVIDIA/cuda-tile e01244d89cd38e81dde50d60fbfee07ac6d7be22
	fi
	CUTILE_DIALECT=$suite go test -count=1 -v -run '^TestDialect$' ./internal/testing/dialecttest
}

ptx() {
	if [ -z "${CUTILE_ZLUDA:-}" ]; then
		CUTILE_ZLUDA=$tmp/cutile-zluda
		checkout "$CUTILE_ZLUDA" vosen/ZLUDA 8a7931be87d758835776f54ea2e33d30621c74ce
	fi
	if [ -z "${CUTILE_GPUOCELOT:-}" ]; then
		CUTILE_GPUOCELOT=$tmp/cutile-gpuocelot
		checkout "$CUTILE_GPUOCELOT" gtcasl/gpuocelot fa63920ee7c5f9a86e264cd8acd4264657cbd190
	fi
	CUTILE_ZLUDA=$CUTILE_ZLUDA CUTILE_GPUOCELOT=$CUTILE_GPUOCELOT go run ./internal/testing/ptxsuites "$@"
}

layouts() {
	suite=${CUTILE_CUTLASS:-}
	if [ -z "$suite" ]; then
		suite=$tmp/cutile-cutlass
		checkout "$suite" NVIDIA/cutlass 7107b05535f8977f5ecb9d01ee203205b1fd9bc4
	fi
	CUTILE_CUTLASS=$suite go run ./internal/testing/layoutsuite "$@"
}

# all are the steps; each is a function above.
all="pysuite dialect ptx layouts"

case " $all " in
*" ${1:-none} "*) "$@" ;;
*) usage ;;
esac

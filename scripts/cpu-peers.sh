#!/bin/sh
# Compares the CPU engine with NumPy, torch, onnxruntime and loops in Go, in one run: docs/benchmarks.md.
#
#   scripts/cpu-peers.sh [OPTION ...]    -only REGEXP: some workloads; -rounds N; -threads 1,2; -o FILE: the results in JSON, too;
#                                        -tiny: compare results with small extents only; -list: print the workloads; -h: the rest
#
# The libraries are installed by pip where CUTILE_PEERS names a folder, else in the folder for temporary files. torch needs up
# to 7 GB there.
set -eu
cd "$(dirname "$0")/.."
folder=${CUTILE_PEERS:-${TMPDIR:-/tmp}/cutile-peers}
wanted=internal/testing/peers/requirements.txt

mkdir -p "$folder"
if ! cmp -s "$wanted" "$folder/installed.txt"; then
	[ -x "$folder/venv/bin/python" ] || python3 -m venv "$folder/venv"
	"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir -r "$wanted"
	cp "$wanted" "$folder/installed.txt"
fi
go build -o "$folder/peers" ./internal/testing/peers
exec "$folder/peers" -python "$folder/venv/bin/python" "$@"

// Command peers compares the speed of the CPU engine with NumPy, torch, onnxruntime and loops in Go, in one run.
//
// scripts/cpu-peers.sh installs the others and runs it. The engine and the loops are measured in processes of this program, and each
// library in processes of its own (peer.py), one for each number of threads. They all prepare the same workload, with the same inputs.
// Then each is measured for a fraction of a second, in turn, in several rounds, so that other work on the machine slows all of them
// down. The result is the best of the rounds' medians. The contenders' results are compared before they are measured.
package main

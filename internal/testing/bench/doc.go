// Package bench holds the benchmarks whose figures docs/benchmarks.md gives, all in one run:
//
//	go test -run '^$' -bench . ./internal/testing/bench
package bench

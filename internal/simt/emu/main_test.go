package emu_test

import (
	"flag"
	"os"
	"runtime/debug"
	"testing"
)

// TestMain makes the collector run less often, benchmarks aside: the tests make a program for each form of the table, and it
// took a third of their time.
func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.bench").Value.String() == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(m.Run())
}

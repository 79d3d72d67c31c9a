package simttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/cute"
	"github.com/cutile-go/cutile/internal/simt/profile"
)

// Profile gives the report of the one kernel that a function launches on a device.
func Profile(t testing.TB, dev *cutile.Device, target string, f func() error) *profile.Report {
	t.Helper()
	var out bytes.Buffer
	if err := cute.Profile(&out, cute.ProfileOptions{Target: target, JSON: true}, func() error {
		return errors.Join(f(), dev.Sync(t.Context()))
	}); err != nil {
		t.Fatal(err)
	}
	var reports []*profile.Report
	if err := json.Unmarshal(out.Bytes(), &reports); err != nil || len(reports) != 1 {
		t.Fatalf("%d reports, %v", len(reports), err)
	}
	return reports[0]
}

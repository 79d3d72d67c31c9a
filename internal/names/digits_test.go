package names_test

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile/internal/names"
)

func TestDigits(t *testing.T) {
	for n, want := range map[int64]string{0: "0", -123: "-123", -1234: "-1,234", 999: "999", 1000: "1,000", 123456: "123,456", math.MaxInt64: "9,223,372,036,854,775,807"} {
		if got := names.Digits(n); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

package profile

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/names"
)

//go:embed rates.txt
var ratesText string

// Target is a GPU that the model stands for.
type Target struct {
	Name    string  // "sm_80"
	Product string  // "A100 SXM 40 GB"
	SMs     int     // multiprocessors
	GHz     float64 // the clock
	GBs     float64 // bandwidth of memory, in GB/s
	index   int
}

// rate is a line of rates: what the targets do in a clock, 0 where nothing is published.
type rate struct {
	pipe string
	per  []float64
}

type tables struct {
	targets []Target
	rates   map[string]*rate
}

var load = sync.OnceValue(func() *tables {
	t := &tables{rates: map[string]*rate{}}
	eachLine(ratesText, func(fields []string) error {
		if fields[0] == "target" {
			return t.target(fields[1:])
		}
		return t.rate(fields)
	})
	return t
})

func rates() map[string]*rate { return load().rates }

// Targets gives all targets, the oldest first.
func Targets() []Target { return load().targets }

func (t *tables) target(fields []string) (err error) {
	x := Target{index: len(t.targets)}
	_, err = fmt.Sscan(strings.Join(fields[:4], " "), &x.Name, &x.SMs, &x.GHz, &x.GBs)
	x.Product = strings.Join(fields[4:], " ")
	t.targets = append(t.targets, x)
	return err
}

func (t *tables) rate(fields []string) error {
	if len(fields) != 2+len(t.targets) {
		return fmt.Errorf("%d numbers for %d targets", len(fields)-2, len(t.targets))
	}
	r := &rate{pipe: fields[1]}
	for _, f := range fields[2:] {
		x := 0.0
		if f != "-" {
			var err error
			if x, err = strconv.ParseFloat(f, 64); err != nil {
				return err
			}
		}
		r.per = append(r.per, x)
	}
	t.rates[fields[0]] = r
	return nil
}

// TargetOf finds the target of an architecture such as sm_90a: the newest of its generation that is not newer.
func TargetOf(arch string) (Target, error) {
	var best *Target
	var known []string
	n, err := number(arch)
	for i := range Targets() {
		t := &Targets()[i]
		known = append(known, t.Name)
		if k, _ := number(t.Name); err == nil && k <= n && k/10 == n/10 {
			best = t
		}
	}
	if best == nil {
		return Target{}, fmt.Errorf("no rates are known for %q: choose one of %s", arch, names.List(known))
	}
	return *best, nil
}

// number is that of an architecture: 90 of sm_90a.
func number(arch string) (int, error) {
	digits, ok := strings.CutPrefix(arch, "sm_")
	if !ok {
		return 0, fmt.Errorf("no architecture")
	}
	return strconv.Atoi(strings.TrimRight(digits, "af"))
}

// per is a rate of the target: 0 if it is not published.
func (t *Target) per(name string) float64 { return rates()[name].per[t.index] }

package scaling

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/testing/mpitest"
)

// rankEnv is set in the processes of the benchmark.
const rankEnv = "CUTILE_SCALING_RANK"

func TestMain(m *testing.M) {
	if os.Getenv(rankEnv) == "" {
		os.Exit(m.Run())
	}
	if err := measure(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

// BenchmarkModel measures messages, collectives and steps in one, two and four processes on this machine, and prints what the model says of
// each beside that:
//
//	go test ./internal/testing/scaling -run '^$' -bench Model -benchtime 1x
//
// Messages in a ring are measured, and Gamma is fitted to one all-reduce; computations are measured in turn with the steps, in as many processes,
// which do not wait for each other. All else is predicted: the all-reduces of other lengths, and the steps.
func BenchmarkModel(b *testing.B) {
	for _, l := range mpitest.Installed() {
		b.Run(l.Name, func(b *testing.B) {
			program, err := os.Executable()
			if err != nil {
				b.Fatal(err)
			}
			for _, p := range []int{1, 2, 4} {
				if l.Polls && p > runtime.NumCPU() {
					fmt.Printf("%s, %d processes on %d processors poll in turn: not measured\n", l.Name, p, runtime.NumCPU())
					continue
				}
				out, code := l.Run(b, p, []string{rankEnv + "=1", fmt.Sprintf("GOMAXPROCS=%d", max(1, runtime.NumCPU()/p))}, program)
				if code != 0 {
					b.Fatalf("code %d\n%s", code, out)
				}
				compare(l.Name, p, parse(b, out))
			}
		})
	}
}

// times are seconds, by what was measured.
type times map[string]float64

// parse reads what the processes print.
func parse(b *testing.B, out string) times {
	t := times{}
	for s := bufio.NewScanner(strings.NewReader(out)); s.Scan(); {
		name, seconds, ok := strings.Cut(s.Text(), "\t")
		var x float64
		if _, err := fmt.Sscan(seconds, &x); !ok || err != nil {
			b.Fatalf("the line %q", s.Text())
		}
		t[name] = x
	}
	return t
}

// lengths are those of messages and all-reduces, in bytes. Gamma is fitted to that of 1 MB.
var lengths = []int{8, 1 << 12, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 23}

const fitted = 1 << 20

func message(n int) string   { return fmt.Sprintf("SendRecv of %d bytes", n) }
func allReduce(n int) string { return fmt.Sprintf("AllReduce of %d bytes", n) }

// compare prints a table for p processes.
func compare(name string, p int, t times) {
	var x, y []float64
	for _, n := range lengths {
		x, y = append(x, float64(n)), append(y, t[message(n)])
	}
	l := Fit(x, y)
	for i := range x {
		l.Measured = append(l.Measured, Time{x[i], y[i]})
	}
	if p > 1 {
		l.Gamma = max(0, t[allReduce(fitted)]-l.AllReduce(p, fitted)) / (share(p) * fitted)
	}
	fmt.Printf("%s, %d processes: α %.3g µs, 1/β %.3g GB/s, 1/γ %.3g GB/s\n", name, p, l.Alpha*1e6, 1e-9/l.Beta, 1e-9/l.Gamma)
	row := func(what string, measured float64, s Step) {
		cell := func(overlap float64) string {
			return fmt.Sprintf("%s (%+.0f %%)", duration(s.Time(overlap)), 100*(s.Time(overlap)/measured-1))
		}
		fmt.Printf("| %s | %s | %s | %s |\n", what, duration(measured), cell(0), cell(1))
	}
	for _, n := range lengths {
		sum := l.AllReduce(p, float64(n))
		if p > 1 {
			row(allReduce(n), t[allReduce(n)], Step{sum, sum})
		}
	}
	row("data parallel", t["data parallel"], DataParallel(0, t["backward"], depth, l.AllReduce(p, 4*width*width)))
	row("tensor parallel", t["tensor parallel"], TensorParallel(t["forward"], t["inputs"], t["weights"], l.AllReduce(p, 4*tokens*width)))
	row("ring attention", t["ring attention"], RingAttention(p, t["one part"], 2*l.Message(4.0*heads*sequence*dim/float64(p))))
}

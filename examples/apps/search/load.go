package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// load is the command load.
func (p *program) load(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("load", flag.ContinueOnError)
	base := flags.String("url", "http://127.0.0.1:8080", "the server")
	rate := flags.Float64("rate", 200, "queries in each second")
	duration := flags.Duration("duration", time.Minute, "how long")
	if rest, err := parse(flags, args, p.out, "search load sends queries to a server, at a rate that does not depend on its answers.\n"); err != nil {
		return err
	} else if len(rest) > 0 {
		return misuse("%q is no flag of load", rest[0])
	}
	if !(*rate > 0 && *rate <= 1e5) || *duration <= 0 {
		return misuse("-rate must be from 0 to 100000, and -duration above 0")
	}
	r := measure(ctx, *base, *rate, *duration)
	r.print(p.out)
	if r.codes[http.StatusOK] == 0 {
		return fmt.Errorf("no query was answered: is a server at %s?", *base)
	}
	return nil
}

// A loadReport says how a server did.
type loadReport struct {
	took   time.Duration
	codes  map[int]int // answers by their codes; 0 stands for none
	times  []time.Duration
	sample error // one of the errors without an answer
}

// measure sends queries at a rate, each when its time has come, whether or not earlier ones have been answered. Each is a new one,
// so that no cache helps.
func measure(ctx context.Context, base string, rate float64, duration time.Duration) *loadReport {
	client := &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 256}}
	report := &loadReport{codes: map[int]int{}}
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	var mu sync.Mutex
	var wait sync.WaitGroup
	start := time.Now()
	for i := range int(rate * duration.Seconds()) {
		at := start.Add(time.Duration(float64(i) / rate * float64(time.Second)))
		select {
		case <-ctx.Done():
		case <-time.After(time.Until(at)):
		}
		if ctx.Err() != nil {
			break
		}
		query := question(r)
		wait.Go(func() {
			code, err := send(ctx, client, base, query)
			took := time.Since(at)
			mu.Lock()
			defer mu.Unlock()
			report.codes[code]++
			if code == http.StatusOK {
				report.times = append(report.times, took)
			} else if err != nil {
				report.sample = err
			}
		})
	}
	wait.Wait()
	report.took = time.Since(start)
	slices.Sort(report.times)
	return report
}

func send(ctx context.Context, client *http.Client, base, query string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/api/search?k=10&q="+url.QueryEscape(query), nil)
	if err != nil {
		return 0, err
	}
	answer, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}

// question makes a query that nobody has asked before.
func question(r *rand.Rand) string {
	words := strings.Fields("light colour prism glass water ray shadow eye heat flame lens mirror rainbow sun air body motion image violet red")
	pick := func() string { return words[r.IntN(len(words))] }
	return fmt.Sprintf("how does the %s of the %s change the %s %d", pick(), pick(), pick(), r.IntN(1e6))
}

// quantile gives the time that a part of the answers did not take longer than.
func (r *loadReport) quantile(part float64) time.Duration {
	if len(r.times) == 0 {
		return 0
	}
	return r.times[min(int(part*float64(len(r.times))), len(r.times)-1)]
}

func (r *loadReport) print(out io.Writer) {
	total := 0
	for _, n := range r.codes {
		total += n
	}
	fmt.Fprintf(out, "%d queries in %.1f s, %.1f/s\n", total, r.took.Seconds(), float64(total)/r.took.Seconds())
	for code, n := range r.codes {
		name := http.StatusText(code)
		if code == 0 {
			name = fmt.Sprint("no answer: ", r.sample)
		}
		fmt.Fprintf(out, "%6d  %d %s\n", n, code, name)
	}
	for _, part := range []float64{0.5, 0.9, 0.99, 1} {
		fmt.Fprintf(out, "%5.0f %% within %.1f ms\n", 100*part, r.quantile(part).Seconds()*1000)
	}
}

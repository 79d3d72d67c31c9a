package bench

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/cutile-go/cutile"
)

// reportVersion is the version of the JSON.
const reportVersion = 1

// Report is what was measured: one row by [Compare], a row for each value by [Sweep]. Its JSON has the names of the tags. Later versions of this
// package may add to it; where they change the meaning of something, they change Version.
type Report struct {
	Version int       `json:"version"`
	Title   string    `json:"title,omitempty"`
	Param   string    `json:"param,omitempty"`  // the parameter of a sweep
	Device  string    `json:"device,omitempty"` // where it is the same for all results
	Roof    *Roofline `json:"roof,omitempty"`
	Notes   []string  `json:"notes,omitempty"` // what makes the numbers less than they could be
	Rows    []Row     `json:"rows"`
}

// Row is a comparison: the results in the order of the cases.
type Row struct {
	X       float64  `json:"x"` // the value of the parameter
	Error   string   `json:"error,omitempty"`
	Results []Result `json:"results"`
}

// Result is what is known of a case. Times are in seconds.
type Result struct {
	Name   string `json:"name"`
	Device string `json:"device"`
	Error  string `json:"error,omitempty"` // why it has no times

	Time     *Quantiles `json:"time,omitempty"`    // of a launch, in a sample
	Median   *Interval  `json:"median,omitempty"`  // of the same
	Speedup  *Interval  `json:"speedup,omitempty"` // how many times as fast as the first case, of the ratios of each round; not for the first
	Samples  int        `json:"samples,omitempty"`
	Launches int        `json:"launches,omitempty"` // in each sample

	Bytes int64        `json:"bytes,omitempty"` // that a launch moves to and from memory; 0 where it is not known
	Ops   []cutile.Ops `json:"ops,omitempty"`   // floating-point operations of a launch

	// Bound is what bounds the work by the roof: "memory", or the operations that take longest, such as "matrix f32". Part is the least
	// time that the roof allows as a part of the median time. Work whose data stay in caches may reach more than the whole.
	Bound string  `json:"bound,omitempty"`
	Part  float64 `json:"part,omitempty"`
}

// Flops is the number of floating-point operations of a launch, 0 where it is not known.
func (r *Result) Flops() int64 { return cutile.Cost{Ops: r.Ops}.Flops() }

// Seconds is the median time of a launch; 0 where there is none.
func (r *Result) Seconds() float64 {
	if r.Median == nil {
		return 0
	}
	return r.Median.Median
}

// Bandwidth is how many bytes a second the median launch moves; 0 where that is not known.
func (r *Result) Bandwidth() float64 { return per(float64(r.Bytes), r.Seconds()) }

// Rate is how many floating-point operations a second the median launch makes; 0 where that is not known.
func (r *Result) Rate() float64 { return per(float64(r.Flops()), r.Seconds()) }

func per(n, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return n / seconds
}

// result finds a row's result by its name; nil if there is none.
func (r *Row) result(name string) *Result {
	for i := range r.Results {
		if r.Results[i].Name == name {
			return &r.Results[i]
		}
	}
	return nil
}

// names are those of the results, in the order in which they come.
func (r *Report) names() (list []string) {
	seen := map[string]bool{}
	for _, row := range r.Rows {
		for _, x := range row.Results {
			if !seen[x.Name] {
				seen[x.Name] = true
				list = append(list, x.Name)
			}
		}
	}
	return list
}

// WriteJSON writes the report as JSON, which [ReadJSON] reads.
func (r *Report) WriteJSON(w io.Writer) error {
	data, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return fmt.Errorf("bench: the report: %w", err)
	}
	_, err = w.Write(append(data, '\n'))
	return err
}

// ReadJSON reads a report.
func ReadJSON(from io.Reader) (*Report, error) {
	var r Report
	if err := json.NewDecoder(from).Decode(&r); err != nil {
		return nil, fmt.Errorf("bench: the report: %w", err)
	}
	if r.Version != reportVersion {
		return nil, fmt.Errorf("bench: a report of version %d: this program reads version %d", r.Version, reportVersion)
	}
	return &r, nil
}

package traceprofile

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/cutile-go/cutile/internal/trace"
)

// Version is that of the report as JSON.
const Version = 1

// Seconds is a time that is seconds in JSON.
type Seconds time.Duration

// MarshalJSON writes seconds.
func (s Seconds) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(s).Seconds()) }

// Times are those of things that happened several times.
type Times struct {
	Number   int     `json:"number"`
	Total    Seconds `json:"total"`
	Mean     Seconds `json:"mean"`
	Least    Seconds `json:"least"`
	Greatest Seconds `json:"greatest"`
}

func (t *Times) add(took Seconds) {
	if t.Number == 0 || took < t.Least {
		t.Least = took
	}
	t.Greatest = max(t.Greatest, took)
	t.Number++
	t.Total += took
	t.Mean = t.Total / Seconds(t.Number)
}

// Row is what happened under one name.
type Row struct {
	Name   string `json:"name"`
	Device string `json:"device"`
	Times
	Share float64 `json:"share,omitempty"` // of a kernel, in the time of all kernels of all devices
	Bytes int64   `json:"bytes,omitempty"` // of copies, as far as they say it
}

// Compiled is how a kernel was compiled.
type Compiled struct {
	Name     string         `json:"name"`
	Device   string         `json:"device"`
	ToIR     Times          `json:"to_ir"`     // from Go to Tile IR
	ToDevice Times          `json:"to_device"` // to what the device runs
	How      map[string]int `json:"how"`       // how often the device's code was "assembled", "found in the cache folder" or the like
	Failed   int            `json:"failed"`    // how many did not succeed
}

// Device is what a device did.
type Device struct {
	Name  string  `json:"name"`
	Busy  Seconds `json:"busy"`  // when at least one of its streams worked
	Share float64 `json:"share"` // of the time of the processes that used it
}

// Part is what the host did in a part of the time.
type Part struct {
	Name  string  `json:"name"`
	Total Seconds `json:"total"`
	Share float64 `json:"share"`
}

// Report is a profile of programs.
type Report struct {
	Version      int        `json:"version"`
	Processes    int        `json:"processes"` // that have opened a device
	Total        Seconds    `json:"total"`     // of all processes, each from opening a device to the last event
	Devices      []Device   `json:"devices"`
	Kernels      []Row      `json:"kernels"` // launches, and replays of graphs
	KernelTime   Seconds    `json:"kernel_time"`
	Copies       []Row      `json:"copies"`        // of the host, to or from a device
	DeviceCopies []Row      `json:"device_copies"` // on devices and between them
	Calls        []Row      `json:"calls"`         // functions of the program in the place of a kernel, such as collectives
	Compiled     []Compiled `json:"compiled"`
	Waits        []Row      `json:"waits"`
	Host         []Part     `json:"host"`    // what the host did at each time; the parts make the whole time
	Untimed      int64      `json:"untimed"` // how much work of devices is not in the report, as its times are not known
}

// where are the categories: those of streams that make kernels, and others by whether a stream or the host did them.
type where struct {
	category string
	host     bool
}

// rows are the lists that spans are counted in. Compilations have a list of another form.
func (r *Report) rows() map[where]*[]Row {
	return map[where]*[]Row{
		{trace.Kernel, false}: &r.Kernels, {trace.Graph, false}: &r.Kernels, {trace.Copy, true}: &r.Copies, {trace.Copy, false}: &r.DeviceCopies,
		{trace.Host, true}: &r.Calls, {trace.Host, false}: &r.Calls, {trace.Wait, true}: &r.Waits,
	}
}

// Make counts what is in traces.
func Make(list []Process) *Report {
	m := &maker{Report: &Report{Version: Version, Processes: len(list)}, time: map[string]Seconds{}}
	m.lists = m.rows()
	for i := range list {
		m.process(&list[i])
	}
	for i := range m.Devices {
		d := &m.Devices[i]
		d.Share = part(d.Busy, m.time[d.Name])
	}
	m.Host = m.host.parts(m.Total)
	for _, k := range m.Kernels {
		m.KernelTime += k.Total
	}
	for i := range m.Kernels {
		m.Kernels[i].Share = part(m.Kernels[i].Total, m.KernelTime)
	}
	return m.Report
}

// maker makes a report.
type maker struct {
	*Report
	lists map[where]*[]Row
	host  hostTimes
	time  map[string]Seconds // of the processes that used a device
}

func (m *maker) process(p *Process) {
	devices := map[int]string{}
	for _, e := range p.Events {
		if name, ok := e.Args["name"].(string); ok && e.Name == trace.Device {
			devices[e.PID] = name
		}
		if n, ok := e.Args["count"].(float64); ok && e.Name == trace.Untimed {
			m.Untimed += int64(n)
		}
	}
	work := map[string][]span{}
	for _, name := range devices {
		work[name] = nil
	}
	var host []span
	end := Seconds(0)
	for _, e := range p.spans() {
		s := span{category: e.Cat, from: nanos(e.Time), to: nanos(e.Time) + nanos(e.Took)}
		end = max(end, s.to)
		name, byHost := devices[e.PID], e.TID == trace.HostRow
		if byHost {
			host = append(host, s)
		} else {
			work[name] = append(work[name], s)
		}
		if to := m.lists[where{e.Cat, byHost}]; to != nil {
			count(to, name, &e)
		} else if e.Cat == trace.Compile {
			m.compilation(name, &e)
		}
	}
	m.Total += end
	m.host.add(host, end)
	for _, name := range slices.Sorted(maps.Keys(work)) {
		m.time[name] += end
		i := slices.IndexFunc(m.Devices, func(d Device) bool { return d.Name == name })
		if i < 0 {
			i = len(m.Devices)
			m.Devices = append(m.Devices, Device{Name: name})
		}
		m.Devices[i].Busy += covered(work[name], 0, end)
	}
}

// nanos is a time of a trace.
func nanos(micros float64) Seconds { return Seconds(math.Round(micros * 1000)) }

// part is what part of a time another one is; 0 of none.
func part(x, of Seconds) float64 {
	if of == 0 {
		return 0
	}
	return float64(x) / float64(of)
}

// count adds a span to the row of its name.
func count(list *[]Row, device string, e *trace.Event) {
	i := slices.IndexFunc(*list, func(r Row) bool { return r.Name == e.Name && r.Device == device })
	if i < 0 {
		i = len(*list)
		*list = append(*list, Row{Name: e.Name, Device: device})
	}
	r := &(*list)[i]
	r.add(nanos(e.Took))
	if n, ok := e.Args["bytes"].(float64); ok {
		r.Bytes += int64(n)
	}
}

// compilation adds one to the row of its kernel.
func (m *maker) compilation(device string, e *trace.Event) {
	kernel, toIR := strings.CutSuffix(e.Name, trace.ToIR)
	kernel = strings.TrimSuffix(kernel, trace.ForDevice)
	i := slices.IndexFunc(m.Compiled, func(c Compiled) bool { return c.Name == kernel && c.Device == device })
	if i < 0 {
		i = len(m.Compiled)
		m.Compiled = append(m.Compiled, Compiled{Name: kernel, Device: device, How: map[string]int{}})
	}
	c := &m.Compiled[i]
	if _, failed := e.Args["error"]; failed {
		c.Failed++
	}
	if how, ok := e.Args["code"].(string); ok {
		c.How[how]++
	}
	if toIR {
		c.ToIR.add(nanos(e.Took))
	} else {
		c.ToDevice.add(nanos(e.Took))
	}
}

// orders are the orders of rows, by name; the greatest first but for names.
var orders = map[string]func(a, b *Row) int{
	"total":    func(a, b *Row) int { return cmp.Compare(b.Total, a.Total) },
	"mean":     func(a, b *Row) int { return cmp.Compare(b.Mean, a.Mean) },
	"least":    func(a, b *Row) int { return cmp.Compare(b.Least, a.Least) },
	"greatest": func(a, b *Row) int { return cmp.Compare(b.Greatest, a.Greatest) },
	"launches": func(a, b *Row) int { return cmp.Compare(b.Number, a.Number) },
	"name":     func(a, b *Row) int { return cmp.Compare(a.Name, b.Name) },
}

// Orders are the names of the orders of rows.
func Orders() []string { return slices.Sorted(maps.Keys(orders)) }

// Sort puts the rows of each list in an order of [Orders]; what is equal stays in the order of time. Compilations are ordered by their time.
func (r *Report) Sort(order string) {
	for _, list := range r.rows() {
		slices.SortStableFunc(*list, func(a, b Row) int { return orders[order](&a, &b) })
	}
	slices.SortStableFunc(r.Compiled, func(a, b Compiled) int { return cmp.Compare(b.total(), a.total()) })
}

func (c *Compiled) total() Seconds { return c.ToIR.Total + c.ToDevice.Total }

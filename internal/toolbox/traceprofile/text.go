package traceprofile

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/names"
)

// Print writes the report for people, with so many rows of each table; 0 for all.
func (r *Report) Print(w io.Writer, most int) error {
	var b bytes.Buffer
	p := &printer{&b, r, most}
	p.head()
	p.kernels()
	p.copies("copies by the host", r.Copies)
	p.copies("copies on devices", r.DeviceCopies)
	p.spans("functions for streams", "function", r.Calls)
	p.compiled()
	p.spans("waits of the host", "wait", r.Waits)
	p.host()
	if r.Untimed > 0 {
		fmt.Fprintf(&b, "\n%s of work for devices: no times are known, as it failed, nobody waited for it, or too much was queued\n", names.Plural(int(r.Untimed), "piece"))
	}
	_, err := w.Write(b.Bytes())
	return err
}

type printer struct {
	w    io.Writer
	r    *Report
	most int
}

func (s Seconds) String() string { return names.Unit(float64(s)/1e9, "s") }

func percent(x float64) string { return fmt.Sprintf("%.1f%%", 100*x) }

// some is a number that may be missing.
func some(n int) string {
	if n == 0 {
		return ""
	}
	return names.Digits(int64(n))
}

// head says what took part.
func (p *printer) head() {
	if n := p.r.Processes; n == 1 {
		fmt.Fprintf(p.w, "1 process, %v from opening a device to the last event\n", p.r.Total)
	} else {
		fmt.Fprintf(p.w, "%d processes, %v in all of them together, from opening a device to the last event in each\n", n, p.r.Total)
	}
	for _, d := range p.r.Devices {
		fmt.Fprintf(p.w, "%s: busy for %v, %s of it\n", d.Name, d.Busy, percent(d.Share))
	}
}

// device is a device's short name where there are several.
func (p *printer) device(name string) string {
	if len(p.r.Devices) < 2 {
		return ""
	}
	name, _, _ = strings.Cut(name, ": ")
	return name
}

// table prints rows up to the limit, and then last, if there is one. rest is what stands for those left out.
func (p *printer) table(title string, rows [][]string, last []string, rest func(from int) []string) {
	if n := p.most + 1; p.most > 0 && len(rows) > n {
		others := rest(p.most)
		others[0] = fmt.Sprintf("(%s more)", names.Digits(int64(len(rows)-n)))
		rows = append(rows[:n:n], others)
	}
	if last != nil && len(rows) > 2 {
		rows = append(rows, last)
	}
	names.Table(p.w, title, rows)
}

// sum adds up rows.
func sum(list []Row) (all Row) {
	for _, r := range list {
		all.Number += r.Number
		all.Total += r.Total
		all.Share += r.Share
		all.Bytes += r.Bytes
	}
	return all
}

func (p *printer) kernels() {
	head := []string{"kernel", "device", "launches", "total", "share", "mean", "least", "greatest"}
	line := func(r Row) []string {
		return []string{r.Name, p.device(r.Device), names.Digits(int64(r.Number)), r.Total.String(), percent(r.Share), r.Mean.String(), r.Least.String(), r.Greatest.String()}
	}
	rows := [][]string{head}
	for _, r := range p.r.Kernels {
		rows = append(rows, line(r))
	}
	short := func(name string, r Row) []string {
		return []string{name, "", names.Digits(int64(r.Number)), r.Total.String(), percent(r.Share), "", "", ""}
	}
	p.table("kernels", rows, short("all", sum(p.r.Kernels)), func(from int) []string { return short("", sum(p.r.Kernels[from:])) })
}

// rate is bytes in a time.
func rate(bytes int64, took Seconds) string {
	if bytes == 0 || took == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(bytes)/float64(took), 'f', 2, 64)
}

func (p *printer) copies(title string, list []Row) {
	rows := [][]string{{"copy", "device", "number", "total", "bytes", "GB/s", "mean", "least", "greatest"}}
	for _, r := range list {
		bytes := ""
		if r.Bytes > 0 {
			bytes = names.Digits(r.Bytes)
		}
		rows = append(rows, []string{r.Name, p.device(r.Device), names.Digits(int64(r.Number)), r.Total.String(), bytes, rate(r.Bytes, r.Total), r.Mean.String(), r.Least.String(), r.Greatest.String()})
	}
	p.table(title, rows, nil, func(from int) []string {
		all := sum(list[from:])
		return []string{"", "", names.Digits(int64(all.Number)), all.Total.String(), names.Digits(all.Bytes), "", "", "", ""}
	})
}

func (p *printer) spans(title, head string, list []Row) {
	rows := [][]string{{head, "device", "number", "total", "mean", "least", "greatest"}}
	for _, r := range list {
		rows = append(rows, []string{r.Name, p.device(r.Device), names.Digits(int64(r.Number)), r.Total.String(), r.Mean.String(), r.Least.String(), r.Greatest.String()})
	}
	p.table(title, rows, nil, func(from int) []string {
		all := sum(list[from:])
		return []string{"", "", names.Digits(int64(all.Number)), all.Total.String(), "", "", ""}
	})
}

func (p *printer) compiled() {
	rows := [][]string{{"kernel", "device", "to Tile IR", "time", "for the device", "time", "code", "failed"}}
	for _, c := range p.r.Compiled {
		var how []string
		for _, words := range slices.Sorted(maps.Keys(c.How)) {
			how = append(how, fmt.Sprintf("%d %s", c.How[words], words))
		}
		rows = append(rows, []string{c.Name, p.device(c.Device), some(c.ToIR.Number), timed(c.ToIR), some(c.ToDevice.Number), timed(c.ToDevice), strings.Join(how, ", "), some(c.Failed)})
	}
	p.table("compilations", rows, nil, func(from int) []string {
		var ir, device Times
		failed := 0
		for _, c := range p.r.Compiled[from:] {
			ir.Number, ir.Total = ir.Number+c.ToIR.Number, ir.Total+c.ToIR.Total
			device.Number, device.Total = device.Number+c.ToDevice.Number, device.Total+c.ToDevice.Total
			failed += c.Failed
		}
		return []string{"", "", some(ir.Number), timed(ir), some(device.Number), timed(device), "", some(failed)}
	})
}

// timed is a total where there is one.
func timed(t Times) string {
	if t.Number == 0 {
		return ""
	}
	return t.Total.String()
}

func (p *printer) host() {
	rows := [][]string{{"the host", "time", "share"}}
	for _, h := range p.r.Host {
		rows = append(rows, []string{h.Name, h.Total.String(), percent(h.Share)})
	}
	if p.r.Total > 0 {
		names.Table(p.w, "what the host did", rows)
	}
}

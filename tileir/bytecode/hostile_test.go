package bytecode_test

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cutile-go/cutile/internal/testing/testenv"
	"github.com/cutile-go/cutile/tileir/bytecode"
	irtext "github.com/cutile-go/cutile/tileir/text"
)

// hostileSize is about the size of each hostile file.
const hostileSize = 100 << 20

// Bounds of what refusing one may cost. The reader's own limit is 512 MiB for a module, of which some is reserved twice.
const (
	hostileMemory = 1 << 30
	hostileTime   = time.Minute
)

// section is a section of a file that is put together by hand.
type section struct {
	id, align int
	payload   []byte
}

func fileOf(parts ...section) []byte {
	size := 64
	for _, p := range parts {
		size += len(p.payload) + p.align + 32
	}
	out := append(make([]byte, 0, size), "\x7fTileIR\x00\x0d\x04\x00\x00"...)
	for _, p := range parts {
		out = binary.AppendUvarint(append(out, byte(p.id)|0x80), uint64(len(p.payload)))
		out = binary.AppendUvarint(out, uint64(p.align))
		for len(out)%p.align != 0 {
			out = append(out, 0xcb)
		}
		out = append(out, p.payload...)
	}
	return append(out, 0)
}

// tableOf has n entries of the same bytes.
func tableOf(n, width int, entry string) []byte {
	out := make([]byte, 0, 16+n*(width+len(entry)))
	out = binary.AppendUvarint(out, uint64(n))
	for len(out)%width != 0 {
		out = append(out, 0xcb)
	}
	for i := range n {
		if width == 8 {
			out = binary.LittleEndian.AppendUint64(out, uint64(i*len(entry)))
		} else {
			out = binary.LittleEndian.AppendUint32(out, uint32(i*len(entry)))
		}
	}
	return append(out, bytes.Repeat([]byte(entry), n)...)
}

// tableFrom makes a table of width 4.
func tableFrom(list ...string) []byte {
	out := binary.AppendUvarint(nil, uint64(len(list)))
	for len(out)%4 != 0 {
		out = append(out, 0xcb)
	}
	at := 0
	for _, e := range list {
		out = binary.LittleEndian.AppendUint32(out, uint32(at))
		at += len(e)
	}
	return append(out, strings.Join(list, "")...)
}

// The parts of a sound file with one entry k: types i1, i32, () -> (), token.
var (
	soundTypes   = section{5, 4, tableFrom("\x00", "\x03", "\x10\x00\x00", "\x11", "\x0d\x01\x00")}
	soundStrings = section{1, 4, tableFrom("k")}
	soundFunc    = funcOf([]byte("\x5c\x00\x00"))
)

// funcOf is the Func section of one entry with a body.
func funcOf(body []byte) section {
	out := binary.AppendUvarint([]byte("\x01\x00\x02\x02\x00"), uint64(len(body)))
	return section{2, 8, append(out, body...)}
}

// many repeats operations up to the size of a hostile file, before a return.
func many(op string) []byte {
	return append(bytes.Repeat([]byte(op), hostileSize/len(op)), "\x5c\x00\x00"...)
}

// chain has n entries that each contain the next one: a head, the number of the next, a tail.
func chain(n int, first int, head, tail string) []string {
	out := make([]string, 0, n+first)
	for i := range n {
		out = append(out, head+string(binary.AppendUvarint(nil, uint64(first+i+1)))+tail)
	}
	return out
}

// debugSection has the attributes of a table, and no rows.
func debugSectionOf(table []byte) section {
	return section{3, 8, append([]byte("\x00\xcb\xcb\xcb\x00\xcb\xcb\xcb"), table...)}
}

// hostileFiles are files of about 100 MB that try to make a reader allocate, recurse or loop; each is made when it is
// asked for.
var hostileFiles = []struct {
	name string
	make func() []byte
	want string
}{
	{"a count of strings", func() []byte {
		return fileOf(soundFunc, soundTypes, section{1, 4, append([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\x7f"), make([]byte, hostileSize)...)})
	}, "strings do not fit"},
	{"many strings", func() []byte {
		return fileOf(soundFunc, soundTypes, section{1, 4, tableOf(hostileSize/4, 4, "")})
	}, "takes more than 512 MiB"},
	{"many types", func() []byte {
		return fileOf(soundFunc, section{5, 4, tableOf(hostileSize/5, 4, "\x00")}, soundStrings)
	}, "takes more than 512 MiB"},
	{"many constants", func() []byte {
		return fileOf(soundFunc, section{4, 8, tableOf(hostileSize/9, 8, "\x00")}, soundTypes, soundStrings)
	}, "takes more than 512 MiB"},
	{"many places", func() []byte {
		return fileOf(soundFunc, debugSectionOf(tableOf(hostileSize/5, 4, "\x00")), soundTypes, soundStrings)
	}, "takes more than 512 MiB"},
	{"many calls", func() []byte {
		list := []string{"\x04\x00\x00\x01\x01"}
		for range hostileSize / 7 {
			list = append(list, "\x06\x01\x01")
		}
		return fileOf(soundFunc, debugSectionOf(tableFrom(list...)), soundTypes, soundStrings)
	}, "takes more than 512 MiB"},
	{"one number", func() []byte {
		return fileOf(funcOf(bytes.Repeat([]byte{0x80}, hostileSize)), soundTypes, soundStrings)
	}, "a number takes more than ten bytes"},
	{"long numbers", func() []byte { // make_token in ten bytes, again and again
		return fileOf(funcOf(many("\xc4\x80\x80\x80\x80\x80\x80\x80\x80\x00\x03")), soundTypes, soundStrings)
	}, "takes more than 512 MiB"},
	{"many operations", func() []byte { // make_token
		return fileOf(funcOf(many("\x44\x03")), soundTypes, soundStrings)
	}, "takes more than 512 MiB"},
	{"returns", func() []byte {
		return fileOf(funcOf(many("\x5c\x00\x00")), soundTypes, soundStrings)
	}, "takes more than 512 MiB"},
	{"many operands", func() []byte { // a token, and join_tokens of it
		body := binary.AppendUvarint([]byte("\x44\x03\x3c\x01\x03"), hostileSize)
		return fileOf(funcOf(append(append(body, make([]byte, hostileSize)...), "\x5c\x00"...)), soundTypes, soundStrings)
	}, "takes more than 512 MiB"},
	{"regions", func() []byte { // loop in loop
		return fileOf(funcOf(many("\x41\x00\x00\x01\x01\x00\x02")), soundTypes, soundStrings)
	}, "more than 200 nested regions"},
	{"pointers to pointers", func() []byte {
		list := append([]string{"\x00", "\x03", "\x10\x00\x00", "\x11", "\x0d\x01\x00"}, chain(hostileSize/10, 5, "\x0c\x00", "")...)
		return fileOf(soundFunc, section{5, 4, tableFrom(append(list, "\x00")...)}, soundStrings)
	}, "more than 8 nested types"},
	{"functions of functions", func() []byte {
		list := append([]string{"\x00", "\x03", "\x10\x00\x00"}, chain(hostileSize/11, 3, "\x10\x01", "\x00")...)
		return fileOf(soundFunc, section{5, 4, tableFrom(append(list, "\x00")...)}, soundStrings)
	}, "more than 8 nested types"},
	{"calls in calls", func() []byte {
		list := chain(hostileSize/10, 1, "\x06\x00", "")
		return fileOf(soundFunc, debugSectionOf(tableFrom(append(list, "\x00")...)), soundTypes, soundStrings)
	}, "nested debug attributes"},
	{"blocks in blocks", func() []byte {
		list := chain(hostileSize/12, 1, "\x03", "\x00\x01\x01")
		return fileOf(soundFunc, debugSectionOf(tableFrom(append(list, "\x00")...)), soundTypes, soundStrings)
	}, "nested debug attributes"},
	{"lists in lists", func() []byte { // in a hint: sm = {k = [[[...]]]}
		hints := append([]byte("\x01\x00\x02\x06\x00\x0b\x01\x00\x0a\x01\x00"), bytes.Repeat([]byte{6, 1}, hostileSize/2)...)
		return fileOf(section{2, 8, hints}, soundTypes, soundStrings)
	}, "more than 200 nested attributes"},
	{"many lists", func() []byte { // sm = {k = [[], [], ...]}
		hints := []byte("\x01\x00\x02\x06\x00\x0b\x01\x00\x0a\x01\x00\x06")
		hints = append(binary.AppendUvarint(hints, hostileSize/2), bytes.Repeat([]byte{6, 0}, hostileSize/2)...)
		return fileOf(section{2, 8, append(hints, "\x03\x5c\x00\x00"...)}, soundTypes, soundStrings)
	}, "takes more than 512 MiB"},
	{"many hints", func() []byte { // sm = {k = true, k = true, ...}
		hints := []byte("\x01\x00\x02\x06\x00\x0b\x01\x00\x0a")
		hints = append(binary.AppendUvarint(hints, hostileSize/3), bytes.Repeat([]byte{0, 3, 1}, hostileSize/3)...)
		return fileOf(section{2, 8, append(hints, "\x03\x5c\x00\x00"...)}, soundTypes, soundStrings)
	}, "takes more than 512 MiB"},
	{"a long name", func() []byte {
		wrong := section{2, 8, []byte("\x01\x00\x01\x02\x00\x03\x5c\x00\x00")} // a type that is no function's
		return fileOf(wrong, soundTypes, section{1, 4, tableFrom(strings.Repeat("k", hostileSize))})
	}, "string 0 has 104857600 bytes, more than 1048576"},
	{"a long global", func() []byte {
		global := section{6, 1, []byte("\x01\x01\x03\x00\x00\x00\x00")}
		return fileOf(soundFunc, global, soundTypes, section{1, 4, tableFrom("k", strings.Repeat("g", hostileSize))})
	}, "string 1 has 104857600 bytes, more than 1048576"},
	{"many functions", func() []byte {
		rows := binary.AppendUvarint(nil, hostileSize/8)
		return fileOf(section{2, 8, append(rows, bytes.Repeat([]byte("\x00\x02\x02\x00\x03\x5c\x00\x00"), hostileSize/8)...)}, soundTypes, soundStrings)
	}, "takes more than 512 MiB"},
	{"many globals", func() []byte {
		rows := binary.AppendUvarint(nil, hostileSize/6)
		global := section{6, 1, append(rows, bytes.Repeat([]byte("\x00\x04\x00\x00\x00\x00"), hostileSize/6)...)}
		return fileOf(soundFunc, global, section{4, 8, tableOf(1, 8, "\x00")}, soundTypes, soundStrings)
	}, "takes more than 512 MiB"},
	{"tiny sections", func() []byte {
		data := fileOf(soundFunc, soundTypes, soundStrings)
		return append(data[:len(data)-1], bytes.Repeat([]byte{6, 0}, hostileSize/2)...)
	}, "a second Global section"},
	{"padding", func() []byte {
		wide := append(fileOf(soundFunc, soundTypes), "\x81\x00\x80\x80\x80\x80\x04"...)
		return append(wide, bytes.Repeat([]byte{0xcb}, hostileSize)...)
	}, "left over after the end mark"},
	{"an alignment", func() []byte {
		data := fileOf(soundFunc, soundTypes)
		wide := append(data[:len(data)-1], "\x81\x00\x80\x80\x80\x80\x04"...)
		return append(wide, bytes.Repeat([]byte{0xcb}, hostileSize)...)
	}, "the section's alignment is 1073741824, more than 1048576"},
	{"a rank", func() []byte {
		tile := append([]byte("\x0d\x00"), binary.AppendUvarint(nil, hostileSize/8)...)
		tile = append(tile, bytes.Repeat([]byte("\x01\x00\x00\x00\x00\x00\x00\x00"), hostileSize/8)...)
		return fileOf(soundFunc, section{5, 4, tableFrom("\x00", "\x03", "\x10\x00\x00", string(tile))}, soundStrings)
	}, "extents are more than 64"},
}

// firstOf tells the first case of each refusal from the others, which run where "hostile" is asked for, as by the step hostile of
// scripts/sweep.sh.
type firstOf map[string]bool

func (f firstOf) skipOthers(t *testing.T, refusal string) {
	t.Helper()
	if f[refusal] && !testenv.Required("hostile") {
		t.Skip("another file is refused for the same reason: " + testenv.RequireEnv + "=hostile asks for all")
	}
	f[refusal] = true
}

// TestHostileFiles: each is refused, with its place, in bounded time and memory.
func TestHostileFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("files of 100 MB")
	}
	if _, _, err := bytecode.Read(fileOf(soundFunc, soundTypes, soundStrings)); err != nil {
		t.Fatalf("the file that the others are made from: %v", err)
	}
	first := firstOf{}
	for _, c := range hostileFiles {
		t.Run(c.name, func(t *testing.T) {
			first.skipOthers(t, c.want)
			data := c.make()
			if len(data) < hostileSize*9/10 {
				t.Fatalf("only %d bytes", len(data))
			}
			var err error
			cost := costOf(func() { _, _, err = bytecode.Read(data) })
			if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 1000 {
				t.Errorf("%.300v, expected %s", err, c.want)
			} else {
				checkError(t, c.name, data, err)
			}
			cost.check(t)
		})
	}
}

// cost is what some work took.
type cost struct {
	bytes uint64
	time  time.Duration
}

func costOf(work func()) cost {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	work()
	c := cost{time: time.Since(start)}
	runtime.ReadMemStats(&after)
	c.bytes = after.TotalAlloc - before.TotalAlloc
	return c
}

func (c cost) check(t *testing.T) {
	t.Helper()
	t.Logf("%d MiB, %v", c.bytes>>20, c.time)
	if c.bytes > hostileMemory || c.time > hostileTime {
		t.Errorf("it takes %d MiB and %v", c.bytes>>20, c.time)
	}
}

// hostileTexts are texts of about 100 MB.
var hostileTexts = []struct {
	name, begin, again, end string
	want                    string
}{
	{"operations", "entry @k() {", "\nmake_token : token", "}", "more than 512 MiB of memory"},
	{"returns", "entry @k() {", "return ", "}", "takes more than 512 MiB"},
	{"loops", "entry @k() {", "loop {", "", "more than 200 levels of nesting"},
	{"results", "entry @k() { ", "%a:65536, ", "", "takes more than 512 MiB"},
	{"many results", "entry @k() { ", "%a, ", "", "takes more than 512 MiB"},
	{"parameters", "entry @k(%a: tile<i32>", ", %a: tile<i32>", ") { return }", "takes more than 512 MiB"},
	{"aliases", "#a = loc(unknown)\n", "#a = #a\n", "", "#a is already defined"},
	{"places", "#a = ", "loc(callsite(", "", "more than 200 levels of nesting"},
	{"a name", "entry @", "k", "", "a text has 104857600 bytes, more than 1048576"},
	{"a text", `#a = loc("`, "k", `":1:1`, "a text has 104857600 bytes, more than 1048576"},
	{"an escaped text", `#a = loc("`, "\\4a", `":1:1`, "a text has 34952533 bytes, more than 1048576"},
	{"a value", "entry @k() { assert %", "k", "", `expected ",", but found the end`},
	{"a number", "global @g <i64: ", "9", "> : tile<1xi64>", "a number has 1"},
	{"a float", "global @g <f64: 1.", "9", "> : tile<1xf64>", "a number has 1"},
	{"an exponent", "global @g <f32: 1.0e", "9", "> : tile<1xf32>", "text:1:17: a number has 1"},
	{"lists", "global @g <i8: ", "[", "> : tile<1xi8>", "expected an element"},
	{"elements", "global @g <i8: [0", ",0", "]> : tile<1xi8>", "takes more than 512 MiB"},
	{"bytes", `global @g <i8: "0x`, "00", `"> : tile<1xi8>`, "expected 0x and 1 bytes"},
	{"extents", "global @g <i8: 0> : tile<", "1x", "i8>", "more than 64 extents"},
	{"a view", "entry @k(%x: partition_view<tile=(1", "x1", "), ", "more than 64 extents"},
	{"hints", "entry @k() optimization_hints=<sm_90 = {a = [[]", ",[]", "]}> { return }", "takes more than 512 MiB"},
	{"parts", "", "// -----\n", "", "takes more than 512 MiB"},
	{"modules", "", "module @m {}", "", "takes more than 512 MiB"},
	{"modules in modules", "", "module @m {", "", "more than 200 levels of nesting"},
	{"generic regions", "entry @k() {", `"cuda_tile.loop"() ({`, "", "more than 200 levels of nesting"},
	{"generic operands", `entry @k(%a: token) { "cuda_tile.join_tokens"(%a`, ", %a", "", "takes more than 512 MiB"},
	{"types of operands", `entry @k() { "cuda_tile.return"() : (token`, ", token", "", "expected"},
	{"fused places", "#a = ", "loc(fused[", "", "more than 200 levels of nesting"},
	{"a fused place", `#a = loc(fused[#b`, ",#b", "])\n#b = loc(unknown)", "takes more than 512 MiB"},
	{"attributes", "module @m attributes {", "a, ", "", "takes more than 512 MiB"},
	{"attributes in attributes", "module @m attributes {a = ", "[", "", "more than 200 levels of nesting"},
	{"types", "", "!a = i8 ", "", "!a is already defined"},
	{"comments", "", "// nothing\n", "entri", `expected entry`},
	{"blanks", "", " \n", "entri", `expected entry`},
	{"a producer", "// Producer: a\n", "//           \n", "entri", `expected entry`},
}

// TestHostileTexts: the same for texts.
func TestHostileTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("texts of 100 MB")
	}
	first := firstOf{}
	for _, c := range hostileTexts {
		t.Run(c.name, func(t *testing.T) {
			first.skipOthers(t, c.want)
			text := c.begin + strings.Repeat(c.again, hostileSize/len(c.again)) + c.end
			var err error
			cost := costOf(func() { _, err = irtext.Parse(text, irtext.ParseOptions{}) })
			switch {
			case c.want == "" && err == nil:
			case err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 1000:
				t.Errorf("%.300v, expected %s", err, c.want)
			}
			cost.check(t)
		})
	}
}

//go:build unix

package serve_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/cutile-go/cutile/internal/serve"
	"github.com/cutile-go/cutile/internal/serve/servetest"
	"github.com/cutile-go/cutile/tileir"
	"github.com/cutile-go/cutile/tileir/bytecode"
	"github.com/cutile-go/cutile/tileir/text"
)

// kernels: twice doubles four numbers at %x, deref doubles those that the address at %x names, far reads behind them,
// says prints and fails, promise assumes that %n is a multiple of 4, and forever does not end.
const kernels = `
entry @twice(%x: tile<ptr<i32>>, %n: tile<i32>) {
  BODY
}
entry @deref(%list: tile<ptr<i64>>, %n: tile<i32>) {
  %t0 = make_token : token
  %word, %t1 = load_ptr_tko weak %list token = %t0 : tile<ptr<i64>> -> tile<i64>, token
  %x = int_to_ptr %word : tile<i64> -> tile<ptr<i32>>
  BODY
}
entry @far(%x0: tile<ptr<i32>>, %n: tile<i32>) {
  %x = offset %x0, %n : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
  BODY
}
entry @says(%x: tile<ptr<i32>>, %n: tile<i32>) {
  %t = print_tko "n is %d\0A", %n : tile<i32> -> token
  %z = constant <i32: 0> : tile<i32>
  %ok = cmpi not_equal %n, %z, signed : tile<i32> -> tile<i1>
  assert %ok, "n is not zero" : tile<i1>
  return
}
entry @promise(%x: tile<ptr<i32>>, %n0: tile<i32>) {
  %n = assume div_by<4>, %n0 : tile<i32>
  %t0 = make_token : token
  %t = store_ptr_tko weak %x, %n token = %t0 : tile<ptr<i32>>, tile<i32> -> token
  return
}
entry @forever(%x: tile<ptr<i32>>, %n: tile<i32>) {
  loop {
    continue
  }
  return
}`

const double = `%t = make_token : token
  %i = iota : tile<4xi32>
  %p1 = reshape %x : tile<ptr<i32>> -> tile<1xptr<i32>>
  %p = broadcast %p1 : tile<1xptr<i32>> -> tile<4xptr<i32>>
  %ptrs = offset %p, %i : tile<4xptr<i32>>, tile<4xi32> -> tile<4xptr<i32>>
  %v, %t2 = load_ptr_tko weak %ptrs token = %t : tile<4xptr<i32>> -> tile<4xi32>, token
  %w = addi %v, %v : tile<4xi32>
  %t3 = store_ptr_tko weak %ptrs, %w token = %t2 : tile<4xptr<i32>>, tile<4xi32> -> token
  return`

func module(t testing.TB) []byte {
	t.Helper()
	m, err := text.Parse(strings.ReplaceAll(kernels, "BODY", double), text.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	data, err := bytecode.Write(m, tileir.Newest, bytecode.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// peer is a session with a server in this process.
type peer struct {
	*servetest.Client
	t     testing.TB
	file  string
	ended chan error
}

func start(t testing.TB, o serve.Options) *peer {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := &peer{&servetest.Client{In: inW, Out: outR}, t, "", make(chan error, 1)}
	go func() {
		err := serve.Serve(context.Background(), inR, outW, o)
		inR.CloseWithError(io.ErrClosedPipe)
		outW.Close()
		p.ended <- err
	}()
	t.Cleanup(func() { inW.Close(); outR.Close() })
	return p
}

// hello begins the session with a shared file.
func (p *peer) hello(content []int32) {
	p.t.Helper()
	p.file = filepath.Join(p.t.TempDir(), "shared")
	b := unsafe.Slice((*byte)(unsafe.Pointer(&content[0])), 4*len(content))
	if err := os.WriteFile(p.file, b, 0o600); err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.Call(serve.Hello, servetest.Hello(p.file, len(b))); err != nil {
		p.t.Fatal(err)
	}
}

// shared is what the file holds.
func (p *peer) shared() []int32 {
	b, err := os.ReadFile(p.file)
	if err != nil {
		p.t.Fatal(err)
	}
	return slices.Clone(unsafe.Slice((*int32)(unsafe.Pointer(&b[0])), len(b)/4))
}

func (p *peer) load() uint32 {
	p.t.Helper()
	reply, err := p.Call(serve.Load, module(p.t))
	if err != nil {
		p.t.Fatal(err)
	}
	return binary.LittleEndian.Uint32(reply)
}

// end closes the peer's side and waits for the server.
func (p *peer) end() error {
	p.In.Close()
	select {
	case err := <-p.ended:
		return err
	case <-time.After(20 * time.Second):
		p.t.Fatal("the server goes on without its peer")
		return nil
	}
}

// wants checks that a request fails with a code and a text.
func wants(t testing.TB, err error, code serve.Code, text string) *serve.Error {
	t.Helper()
	var e *serve.Error
	if !errors.As(err, &e) || e.Code != code || !strings.Contains(e.Text, text) {
		t.Errorf("%v, want code %d and %q", err, code, text)
		return &serve.Error{}
	}
	return e
}

const base = 0x7f0000001010 // an address of the peer

func run(module uint32, entry string, n uint64) servetest.Launch {
	return servetest.Launch{Module: module, Entry: entry, Grid: [3]uint32{1, 1, 1}, Args: []uint64{base, n},
		Regions: []servetest.Region{{Address: base, Size: 16, Offset: 0}}}
}

// TestRun loads a module and runs its entries.
func TestRun(t *testing.T) {
	p := start(t, serve.Options{})
	p.hello([]int32{1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0})
	reply, err := p.Call(serve.Load, module(t))
	if err != nil {
		t.Fatal(err)
	}
	id := binary.LittleEndian.Uint32(reply)
	if n := binary.LittleEndian.Uint32(reply[4:]); n != 6 {
		t.Errorf("%d entries", n)
	}
	if name, rest := servetest.Text(reply[8:]); name != "twice" || string(rest[:6]) != "\x02\x00\x00\x00\x00\x20" {
		t.Errorf("entry %q, parameters % x", name, rest[:6])
	}
	reply, err = p.Call(serve.Run, run(id, "twice", 0).Body())
	if err != nil || binary.LittleEndian.Uint32(reply[8:]) != 1 || reply[12] != 1 {
		t.Errorf("% x, %v", reply, err)
	}
	if got := p.shared(); !slices.Equal(got, []int32{2, 4, 6, 8, 5, 6, 7, 8, 0, 0, 0, 0}) {
		t.Errorf("%v", got)
	}
	l := run(id, "deref", 0)
	address := uint64(base)
	b, _ := os.OpenFile(p.file, os.O_RDWR, 0)
	b.WriteAt(binary.LittleEndian.AppendUint64(nil, address), 32)
	b.Close()
	l.Args[0] = base + 64
	l.Regions = append(l.Regions, servetest.Region{Address: base + 64, Size: 16, Offset: 32, Flags: serve.HoldsAddresses})
	if reply, err = p.Call(serve.Run, l.Body()); err != nil || string(reply[8:14]) != "\x02\x00\x00\x00\x01\x00" {
		t.Errorf("% x, %v", reply, err)
	}
	if got := p.shared()[:8]; !slices.Equal(got, []int32{4, 8, 12, 16, 5, 6, 7, 8}) {
		t.Errorf("through a list: %v", got)
	}
	reply, err = p.Call(serve.Run, run(id, "says", 7).Body())
	if err != nil || !strings.HasSuffix(string(reply), "\x07\x00\x00\x00n is 7\n") {
		t.Errorf("%q, %v", reply, err)
	}
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

// TestFailures runs what fails: each gives an error reply, leaves the peer's memory as it was, and the session goes on.
func TestFailures(t *testing.T) {
	p := start(t, serve.Options{})
	p.hello([]int32{1, 2, 3, 4, 5, 6, 7, 8})
	id := p.load()
	call := func(change func(l *servetest.Launch), entry string, n uint64) error {
		l := run(id, entry, n)
		if change != nil {
			change(&l)
		}
		_, err := p.Call(serve.Run, l.Body())
		return err
	}
	wants(t, call(nil, "far", 1), serve.Failed, "outside memory: offset 4 of 4 elements")
	wants(t, call(nil, "far", ^uint64(0)), serve.Failed, "outside memory: offset -1 of 4 elements")
	e := wants(t, call(nil, "says", 0), serve.Failed, "assertion failed: n is not zero")
	if string(e.Printed) != "n is 0\n" {
		t.Errorf("printed %q", e.Printed)
	}
	wants(t, call(nil, "promise", 3), serve.Failed, "a promise does not hold")
	wants(t, call(func(l *servetest.Launch) { l.Regions[0].Flags = serve.ConstantRegion }, "twice", 0), serve.Failed, "constant")
	start := time.Now()
	wants(t, call(func(l *servetest.Launch) { l.Milliseconds = 30 }, "forever", 0), serve.TimedOut, "was stopped after")
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("it took %v", d)
	}
	for _, c := range []struct {
		change func(l *servetest.Launch)
		want   string
	}{
		{func(l *servetest.Launch) { l.Module = 77 }, "there is no module 77"},
		{func(l *servetest.Launch) { l.Entry = "none" }, `no entry "none"`},
		{func(l *servetest.Launch) { l.Grid[1] = 0 }, "every extent of the grid must be at least 1"},
		{func(l *servetest.Launch) { l.Flags = 8 }, "unknown flags 0x8"},
		{func(l *servetest.Launch) { l.Args = l.Args[:1] }, "takes 2 arguments, but got 1"},
		{func(l *servetest.Launch) { l.Args[0]-- }, "which is in no region"},
		{func(l *servetest.Launch) { l.Args[0] += 17 }, "which is in no region"},
		{func(l *servetest.Launch) { l.Regions[0].Offset = 17 }, "of a shared file of 32 bytes"},
		{func(l *servetest.Launch) { l.Regions[0].Size = 1 << 63 }, "of a shared file of 32 bytes"},
		{func(l *servetest.Launch) { l.Regions[0].Offset = ^uint64(0) }, "of a shared file of 32 bytes"},
		{func(l *servetest.Launch) { l.Regions[0].Address = ^uint64(0) - 3 }, "too many"},
		{func(l *servetest.Launch) { l.Regions[0].Flags = 4 }, "unknown flags 0x4 of region 0"},
		{func(l *servetest.Launch) {
			l.Regions = append(l.Regions, servetest.Region{Address: base + 15, Size: 1, Offset: 16})
		}, "overlap"},
		{func(l *servetest.Launch) {
			l.Regions = append(l.Regions, servetest.Region{Address: base + 16, Size: 1, Offset: 15})
		}, "overlap in the shared file"},
	} {
		wants(t, call(c.change, "twice", 0), serve.BadRequest, c.want)
	}
	if got := p.shared(); !slices.Equal(got, []int32{1, 2, 3, 4, 5, 6, 7, 8}) {
		t.Errorf("failed kernels have changed the memory: %v", got)
	}
	if err := call(func(l *servetest.Launch) { l.Flags = serve.NoPromises }, "promise", 3); err != nil || p.shared()[0] != 3 {
		t.Errorf("without promises: %v", err)
	}
	if _, err := p.Call(serve.Unload, binary.LittleEndian.AppendUint32(nil, id)); err != nil {
		t.Error(err)
	}
	wants(t, call(nil, "twice", 0), serve.BadRequest, "there is no module")
	os.Truncate(p.file, 0)
	id = p.load()
	wants(t, call(nil, "twice", 0), serve.BadRequest, "the shared file is shorter than its 32 bytes")
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

// TestProtocol sends requests that are out of place or out of limits.
func TestProtocol(t *testing.T) {
	limits := serve.DefaultLimits()
	limits.Frame, limits.Modules, limits.Regions, limits.Params, limits.Memory = 4096, 1, 2, 3, 1000
	p := start(t, serve.Options{Limits: &limits})
	call := func(kind serve.Kind, body []byte) error {
		_, err := p.Call(kind, body)
		return err
	}
	wants(t, call(serve.Load, module(t)), serve.BadRequest, "the first request must be H")
	wants(t, call(serve.Hello, nil), serve.BadRequest, "the request ends in the version")
	wants(t, call(serve.Hello, append(binary.LittleEndian.AppendUint32(nil, 99), make([]byte, 12)...)), serve.BadRequest, "version 99 of the protocol, this program version 1")
	wants(t, call(serve.Hello, servetest.Hello("/nowhere/at/all", 10)), serve.BadRequest, "/nowhere/at/all")
	wants(t, call(serve.Hello, servetest.Hello(t.TempDir(), 10)), serve.BadRequest, "the shared file")
	wants(t, call(serve.Hello, servetest.Hello("x", 1001)), serve.BadRequest, "at most 1000")
	p.hello(make([]int32, 8))
	wants(t, call(serve.Hello, servetest.Hello("", 0)), serve.BadRequest, "a second H")
	wants(t, call('?', nil), serve.BadRequest, "unknown request '?'")
	wants(t, call(serve.Load, make([]byte, 4097)), serve.BadRequest, "a request of 4097 bytes, but at most 4096")
	wants(t, call(serve.Load, []byte("no bytecode")), serve.BadBytecode, "")
	id := p.load()
	wants(t, call(serve.Load, module(t)), serve.BadRequest, "1 modules are loaded, which is the maximum")
	wants(t, call(serve.Unload, []byte{1}), serve.BadRequest, "the request ends in the module")
	wants(t, call(serve.Unload, binary.LittleEndian.AppendUint32(nil, 12)), serve.BadRequest, "there is no module 12")
	l := run(id, "twice", 0)
	l.Args = make([]uint64, 4)
	wants(t, call(serve.Run, l.Body()), serve.BadRequest, "4 arguments, but at most 3")
	l = run(id, "twice", 0)
	l.Regions = make([]servetest.Region, 3)
	wants(t, call(serve.Run, l.Body()), serve.BadRequest, "3 regions, but at most 2")
	body := run(id, "twice", 0).Body()
	for n := range body {
		wants(t, call(serve.Run, body[:n]), serve.BadRequest, "the request ends in")
	}
	wants(t, call(serve.Run, append(body, 0)), serve.BadRequest, "1 bytes are left over")
	if err := call(serve.Run, body[:len(body)]); err != nil {
		t.Error(err)
	}
	p.In.Write([]byte{byte(serve.Load), 9, 0, 0, 0, 'x'})
	if err := p.end(); err == nil || !strings.Contains(err.Error(), "within a request") {
		t.Errorf("an end within a request: %v", err)
	}
}

// TestPeerEnds ends the peer while an endless kernel runs.
func TestPeerEnds(t *testing.T) {
	p := start(t, serve.Options{})
	p.hello(make([]int32, 8))
	id := p.load()
	if err := p.Send(serve.Run, run(id, "forever", 0).Body()); err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond)
	go io.Copy(io.Discard, p.Out)
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

// TestHostileRequests sends requests that were changed at random: each has one reply, and then the session still works.
func TestHostileRequests(t *testing.T) {
	limits := serve.DefaultLimits()
	limits.Time = 50 * time.Millisecond // for large grids
	p := start(t, serve.Options{Workers: 1, Limits: &limits})
	p.hello([]int32{1, 2, 3, 4, 5, 6, 7, 8})
	id := p.load()
	r := rand.New(rand.NewPCG(1, 2))
	seeds := []struct {
		kind serve.Kind
		body []byte
	}{{serve.Run, run(id, "twice", 0).Body()}, {serve.Run, run(id, "deref", 0).Body()}, {serve.Run, run(id, "says", 3).Body()},
		{serve.Load, module(t)}, {serve.Unload, binary.LittleEndian.AppendUint32(nil, 99)}, {serve.Hello, servetest.Hello("x", 8)}}
	n := 4000
	if testing.Short() {
		n = 500
	}
	refused := 0
	for i := range n {
		s := seeds[r.IntN(len(seeds))]
		body, kind := slices.Clone(s.body), s.kind
		for range 1 + r.IntN(3) {
			switch r.IntN(4) {
			case 0:
				body[r.IntN(len(body))] ^= 1 << r.IntN(8)
			case 1:
				body[r.IntN(len(body))] = byte(r.IntN(256))
			case 2:
				body = body[:1+r.IntN(len(body))]
			case 3:
				at := r.IntN(len(body))
				body = slices.Insert(body, at, byte(r.IntN(256)))
			}
		}
		_, err := p.Call(kind, body)
		var e *serve.Error
		if err != nil && !errors.As(err, &e) {
			t.Fatalf("request %d %q: %v", i, body, err)
		}
		if e != nil {
			refused++
			if e.Code == serve.Internal {
				t.Errorf("request %d %q: %v", i, body, err)
			}
		}
	}
	if refused < n/2 {
		t.Errorf("only %d of %d were refused", refused, n)
	}
	id = p.load()
	if _, err := p.Call(serve.Run, run(id, "twice", 0).Body()); err != nil {
		t.Error(err)
	}
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

// TestEnds: a peer that closes its side is a normal end, each time; what ends otherwise says how.
func TestEnds(t *testing.T) {
	for i := range 3000 {
		if err := serve.Serve(context.Background(), strings.NewReader(""), io.Discard, serve.Options{}); err != nil {
			t.Fatalf("session %d: %v", i, err)
		}
	}
	for _, cut := range []string{"\x05\x00", "H\x10\x00\x00\x00ab", "Hrrrrab"} { // the last one is longer than the limit
		if err := serve.Serve(context.Background(), strings.NewReader(cut), io.Discard, serve.Options{}); err == nil || err.Error() != "the peer ended within a request" {
			t.Errorf("cut off after %q: %v", cut, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in, w := io.Pipe()
	defer w.Close()
	if err := serve.Serve(ctx, in, io.Discard, serve.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

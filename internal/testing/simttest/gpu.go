package simttest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/cutile-go/cutile/internal/driver/cudrv"
	"github.com/cutile-go/cutile/internal/driver/cudrv/fake"
	"github.com/cutile-go/cutile/internal/simt"
	"github.com/cutile-go/cutile/internal/simt/emu"
)

// GPU is a GPU whose driver takes PTX: it reads the text as the driver's compiler would, and the emulator runs its kernels.
type GPU struct {
	Device fake.Device
	CUDA   int       // of the driver: 11040 for 11.4
	Output io.Writer // where kernels print; nil for nowhere

	Opaque bool               // tensor maps are not as the emulator has them, but as a driver's, which nobody else can read
	Cubins map[string]string  // the PTX that machine code was made of, by the code: the emulator runs that
	Silent bool               // races are not reported, as by hardware
	After  func(*fake.Launch) // is called when a kernel has ended, and may change memory as a faulty GPU would; nil for nobody

	mu   sync.Mutex
	said []string
	maps map[string][]byte // of an opaque driver: what the emulator has in place of them
}

// Driver makes the driver.
func (g *GPU) Driver() *fake.Driver {
	return fake.New(fake.Options{Devices: []fake.Device{g.Device}, Version: g.CUDA, Decode: g.decode, Run: g.run, TensorMap: g.encodeMap})
}

// encodeMap encodes a tensor map for the emulator.
func (g *GPU) encodeMap(m *cudrv.TensorMap) (b [128]byte, err error) {
	t := emu.TensorMap{Type: mapTypes[m.Type], Rank: len(m.Dims), Addr: uint64(m.Addr), Swizzle: m.Swizzle}
	copy(t.Dims[:], m.Dims)
	copy(t.Strides[1:], m.Strides)
	copy(t.Box[:], m.Box)
	copy(t.Steps[:], m.Steps)
	data, err := t.Encode()
	if err != nil {
		return b, err
	}
	b = [128]byte(data)
	if !g.Opaque {
		return b, nil
	}
	for i := range b {
		b[i] ^= 0x5a
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.maps == nil {
		g.maps = map[string][]byte{}
	}
	g.maps[string(b[:])] = data
	return b, nil
}

// readable gives memory of the device as the emulator can read it.
func (g *GPU) readable(data []byte) []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.maps) == 0 || len(data) != 128 { // no tensor map: others may be writing it
		return data
	}
	if plain, ok := g.maps[string(data)]; ok {
		return plain
	}
	return data
}

// mapTypes are the types of elements of CUtensorMapDataType.
var mapTypes = map[cudrv.TensorType]string{0: "u8", 1: "u16", 2: "u32", 3: "s32", 4: "u64", 5: "s64", 6: "f16", 7: "f32", 8: "f64", 9: "bf16", 11: "tf32"}

// Faults are what the emulator said of kernels that failed, which a driver does not tell.
func (g *GPU) Faults() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.said
}

// What the driver says of PTX that it does not take.
const (
	invalidPTX     cudrv.Result = 218
	unsupportedPTX cudrv.Result = 222
)

var headRE = regexp.MustCompile(`(?m)^\.version (\d+)\.(\d+)\n\.target (sm_(\d+)(a?))`)

// decode refuses PTX of a version that is newer than the driver, or for another GPU, and what is no PTX.
func (g *GPU) decode(image []byte) (*fake.Cubin, error) {
	refuse := func(code cudrv.Result, format string, args ...any) error {
		return &cudrv.Error{Code: code, Log: "ptxas fatal   : " + fmt.Sprintf(format, args...)}
	}
	if text, ok := g.Cubins[string(image)]; ok {
		return DecodePTX([]byte(text))
	}
	head := headRE.FindSubmatch(image)
	if head == nil {
		return nil, refuse(cudrv.InvalidImage, "this is no PTX")
	}
	number := func(i int) int { n, _ := strconv.Atoi(string(head[i])); return n }
	if version := 10*number(1) + number(2); version > simt.PTXOfDriver(g.CUDA) {
		return nil, refuse(unsupportedPTX, "Unsupported .version %s.%s", head[1], head[2])
	}
	mine := 10*g.Device.Major + g.Device.Minor
	if sm, exact := number(4), len(head[5]) > 0; sm > mine || exact && sm != mine {
		return nil, refuse(cudrv.NoBinaryForGPU, "%s does not run on sm_%d", head[3], mine)
	}
	c, err := DecodePTX(image)
	if err != nil {
		return nil, refuse(invalidPTX, "%v", err)
	}
	return c, nil
}

// run runs a kernel on the emulator, which may touch all memory of the driver.
func (g *GPU) run(l *fake.Launch) error {
	loaded := LoadedOf(l)
	k := loaded.Module.Kernel(l.Kernel)
	if got := ints(l.Block); got != k.Block && !loaded.anyBlock(k.Name) {
		return g.failed(fmt.Errorf("the block is %v, and .reqntid %v", got, k.Block))
	}
	p, err := loaded.Program()
	if err != nil {
		return g.failed(err)
	}
	mem := &emu.Memory{}
	for addr, data := range l.All() {
		mem.Map(addr, g.readable(data), fmt.Sprintf("the memory at %#x", addr), false)
	}
	run := emu.Launch{Kernel: l.Kernel, Grid: ints(l.Grid), Block: ints(l.Block), Cluster: ints(l.Cluster), Shared: k.Shared + int(l.Shared), Static: k.Shared,
		Args: l.Args, Bytes: arrays(k, l), Memory: mem, Stdout: g.Output, Races: !g.Silent, Workers: 1, Cooperative: l.Cooperative}
	if err := p.Run(context.Background(), run); err != nil {
		return g.failed(err)
	}
	if g.After != nil {
		g.After(l)
	}
	return nil
}

func ints(d [3]uint32) [3]int { return [3]int{int(d[0]), int(d[1]), int(d[2])} }

// arrays are the arguments that are arrays, of which the fake driver gives those of up to 8 bytes as words.
func arrays(k *simt.Func, l *fake.Launch) map[int][]byte {
	all := map[int][]byte{}
	for i, p := range k.Params {
		if b, ok := l.Bytes[i]; ok {
			all[i] = b
		} else if p.Bytes > 0 {
			all[i] = binary.LittleEndian.AppendUint64(nil, l.Args[i])[:p.Bytes]
		}
	}
	return all
}

// failed notes what went wrong and gives what a driver would say.
func (g *GPU) failed(err error) error {
	if err == nil {
		return nil
	}
	g.mu.Lock()
	g.said = append(g.said, err.Error())
	g.mu.Unlock()
	code := cudrv.LaunchFailed
	var e *emu.Error
	if errors.As(err, &e) && strings.HasPrefix(e.Text, "assertion failed") {
		code = cudrv.Assert
	}
	return &cudrv.Error{Code: code}
}

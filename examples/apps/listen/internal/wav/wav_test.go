package wav_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/examples/apps/internal/needs"
	"github.com/cutile-go/cutile/examples/apps/listen/internal/wav"
)

// chunk makes a chunk of a RIFF file.
func chunk(id string, data ...any) []byte {
	var b bytes.Buffer
	for _, d := range data {
		binary.Write(&b, binary.LittleEndian, d)
	}
	out := binary.LittleEndian.AppendUint32([]byte(id), uint32(b.Len()))
	out = append(out, b.Bytes()...)
	return append(out, make([]byte, b.Len()%2)...)
}

// format makes the chunk that describes samples.
func format(code, channels, rate, bits int) []byte {
	align := channels * bits / 8
	return chunk("fmt ", uint16(code), uint16(channels), uint32(rate), uint32(rate*align), uint16(align), uint16(bits))
}

func riff(chunks ...[]byte) []byte {
	body := append([]byte("WAVE"), bytes.Join(chunks, nil)...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

// read reads all samples.
func read(data []byte) (wav.Format, []float32, error) {
	r, err := wav.New(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return wav.Format{}, nil, err
	}
	var out []float32
	for buffer := make([]float32, 100); ; {
		n, err := r.Read(buffer)
		out = append(out, buffer[:n]...)
		if err == io.EOF {
			return r.Format, out, nil
		} else if err != nil {
			return r.Format, out, err
		}
	}
}

func TestSamples(t *testing.T) {
	guid := func(code uint16) []byte {
		return chunk("fmt ", uint16(0xfffe), uint16(1), uint32(8000), uint32(32000), uint16(4), uint16(32), uint16(22), uint16(32), uint32(4), code,
			[]byte("\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71"))
	}
	for _, c := range []struct {
		name string
		data []byte
		want []float32
	}{
		{"8 bits", riff(format(1, 1, 8000, 8), chunk("data", []uint8{0, 128, 255, 192})), []float32{-1, 0, 127. / 128, 0.5}},
		{"16 bits", riff(format(1, 1, 8000, 16), chunk("data", []int16{-32768, 0, 16384, 32767})), []float32{-1, 0, 0.5, 32767. / 32768}},
		{"24 bits", riff(format(1, 1, 8000, 24), chunk("data", []byte{0, 0, 0x80, 0, 0, 0x40, 1, 0, 0})), []float32{-1, 0.5, 1. / (1 << 23)}},
		{"32 bits", riff(format(1, 1, 8000, 32), chunk("data", []int32{math.MinInt32, 1 << 30})), []float32{-1, 0.5}},
		{"float", riff(format(3, 1, 8000, 32), chunk("data", []float32{0.25, -2})), []float32{0.25, -2}},
		{"double", riff(format(3, 1, 8000, 64), chunk("data", []float64{0.25, 1e300})), []float32{0.25, 1 << 20}},
		{"stereo", riff(format(1, 2, 8000, 16), chunk("data", []int16{16384, 0, -32768, 0})), []float32{0.25, -0.5}},
		{"other chunks", riff(chunk("LIST", []byte("odd")), format(1, 1, 8000, 8), chunk("x   "), chunk("data", []uint8{128}), chunk("LIST", []byte("behind"))), []float32{0}},
		{"extensible", riff(guid(3), chunk("data", []float32{0.5})), []float32{0.5}},
		{"no samples", riff(format(1, 1, 8000, 16), chunk("data")), nil},
		{"to the end", append(riff(format(1, 1, 8000, 8)), "data\xff\xff\xff\xff\x80\xc0"...), []float32{0, 0.5}},
	} {
		_, got, err := read(c.data)
		if err != nil || len(got) != len(c.want) {
			t.Errorf("%s: %v, %v", c.name, got, err)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: sample %d is %v, want %v", c.name, i, got[i], c.want[i])
			}
		}
	}
}

func TestRefused(t *testing.T) {
	good := riff(format(1, 1, 8000, 16), chunk("data", []int16{1, 2, 3}))
	with := func(at int, b ...byte) []byte {
		out := bytes.Clone(good)
		copy(out[at:], b)
		return out
	}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "byte 0: the file ends inside of the header, of which 12 bytes are expected"},
		{"text", []byte("hello, this is a text"), `byte 0: it begins with "hell", not with "RIFF"`},
		{"RF64", with(0, []byte("RF64")...), "byte 0: it is of the kind RF64"},
		{"AVI", with(8, []byte("AVI ")...), `byte 8: the RIFF file is of the kind "AVI ", not "WAVE"`},
		{"cut in a head", good[:40], `byte 36: the file ends inside of the head of a chunk: there is no chunk "data"`},
		{"cut in samples", good[:len(good)-1], `byte 40: the chunk "data" claims 6 bytes, but 5 are left in the file`},
		{"no samples", good[:36], `byte 36: the file ends inside of the head of a chunk: there is no chunk "data"`},
		{"large claim", with(16, 0xff, 0xff, 0xff, 0xff), `byte 16: the chunk "fmt " claims 4294967295 bytes`},
		{"small format", riff(chunk("fmt ", uint16(1)), chunk("data")), `byte 16: the chunk "fmt " has 2 bytes, at least 16 are expected`},
		{"two formats", riff(format(1, 1, 8000, 16), format(1, 1, 8000, 16)), `byte 36: there is a second chunk "fmt "`},
		{"samples first", riff(chunk("data", []int16{1}), format(1, 1, 8000, 16)), `byte 12: the samples come before`},
		{"ADPCM", riff(format(2, 1, 8000, 16), chunk("data")), "byte 20: format 2 of 16 bits is not supported"},
		{"12 bits", riff(format(1, 1, 8000, 12), chunk("data")), "byte 20: format 1 of 12 bits is not supported"},
		{"float of 16", riff(format(3, 1, 8000, 16), chunk("data")), "byte 20: format 3 of 16 bits is not supported"},
		{"rate 0", riff(format(1, 1, 0, 16), chunk("data")), "byte 24: the rate is 0 Hz, expected 1000 to 768000"},
		{"rate", riff(format(1, 1, 768001, 16), chunk("data")), "byte 24: the rate is 768001 Hz"},
		{"no channels", riff(format(1, 0, 8000, 16), chunk("data")), "byte 22: there are 0 channels, expected 1 to 64"},
		{"alignment", with(32, 3), "byte 32: a frame has 3 bytes, expected 2 for 1 channels of 16 bits"},
		{"half a sample", riff(format(1, 1, 8000, 16), chunk("data", []uint8{1, 2, 3})), "byte 40: 3 bytes of samples are no multiple of the 2 bytes"},
		{"not a number", riff(format(3, 1, 8000, 32), chunk("data", []float32{1, float32(math.NaN())})), "byte 48: the sample is NaN"},
		{"infinite", riff(format(3, 2, 8000, 32), chunk("data", []float32{1, float32(math.Inf(-1))})), "byte 48: the sample is -Inf"},
		{"short extensible", riff(chunk("fmt ", uint16(0xfffe), make([]byte, 14)), chunk("data")), "an extensible format needs 40"},
		{"unknown extensible", riff(chunk("fmt ", uint16(0xfffe), make([]byte, 38)), chunk("data")), "byte 44: the format has the identifier 0000"},
	} {
		_, _, err := read(c.data)
		if err == nil || !errors.Is(err, wav.ErrFormat) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// TestPython reads files that Python's own module writes, and compares the samples with its integers.
func TestPython(t *testing.T) {
	python := needs.Python(t, "python", "wave")
	const code = `
import random, struct, sys, wave
random.seed(1)
for width in (1, 2, 3, 4):
    for channels in (1, 2, 5):
        w = wave.open(f"{sys.argv[1]}/{width}-{channels}.wav", "wb")
        w.setnchannels(channels); w.setsampwidth(width); w.setframerate(22050)
        low, high = (0, 255) if width == 1 else (-2**(8*width-1), 2**(8*width-1) - 1)
        frames = [[random.randint(low, high) for _ in range(channels)] for _ in range(5000)]
        w.writeframes(b"".join(x.to_bytes(width, "little", signed=width > 1) for f in frames for x in f))
        w.close()
        means = [sum((x - 128 if width == 1 else x) / 2.0**(8*width-1) for x in f) / channels for f in frames]
        open(f"{sys.argv[1]}/{width}-{channels}.raw", "wb").write(struct.pack("<5000d", *means))
`
	dir := t.TempDir()
	if out, err := exec.Command(python, "-c", code, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.wav"))
	if len(files) != 12 {
		t.Fatalf("Python has written %d files", len(files))
	}
	for _, file := range files {
		data, err1 := os.ReadFile(file)
		raw, err2 := os.ReadFile(strings.TrimSuffix(file, ".wav") + ".raw")
		f, got, err3 := read(data)
		if err := errors.Join(err1, err2, err3); err != nil || len(got) != 5000 || f.Rate != 22050 {
			t.Errorf("%s: %v, %d samples, %v", filepath.Base(file), f, len(got), err)
			continue
		}
		for i, x := range got {
			if want := math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:])); math.Abs(float64(x)-want) > 1e-7 {
				t.Fatalf("%s: sample %d is %v, want %v", filepath.Base(file), i, x, want)
			}
		}
	}
}

// FuzzRead reads files: nothing panics, samples are numbers, and there are no more than the file has bytes.
func FuzzRead(f *testing.F) {
	f.Add(riff(format(1, 1, 8000, 16), chunk("data", []int16{1, 2, 3})))
	f.Add(riff(format(3, 2, 48000, 32), chunk("LIST", []byte("x")), chunk("data", []float32{1, 2, 3, 4})))
	f.Add(riff(format(1, 1, 8000, 24), chunk("data", make([]byte, 9))))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, got, err := read(data)
		if err != nil && !errors.Is(err, wav.ErrFormat) {
			t.Fatalf("not ErrFormat: %v", err)
		}
		if len(got) > len(data) {
			t.Fatalf("%d samples of %d bytes", len(got), len(data))
		}
		for _, x := range got {
			if x-x != 0 || x > 1<<20 || x < -1<<20 {
				t.Fatalf("sample %v", x)
			}
		}
	})
}

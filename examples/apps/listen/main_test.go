package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/examples/apps/internal/needs"
	"github.com/cutile-go/cutile/examples/apps/listen/internal/vad"
	"github.com/cutile-go/cutile/examples/apps/listen/internal/wav"
)

// call runs the command line and gives what it prints.
func call(t *testing.T, args ...string) (string, error) {
	t.Helper()
	t.Setenv("CUTILE_CHECKS", "off")
	var out bytes.Buffer
	err := run(t.Context(), args, &out)
	return out.String(), err
}

// TestCommandLine checks mistakes and their exit codes.
func TestCommandLine(t *testing.T) {
	t.Setenv(modelVariable, "")
	text := filepath.Join(t.TempDir(), "text.wav")
	if err := os.WriteFile(text, []byte("hello, this is a text"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int // 0 stands for any error without a code
		want string
	}{
		{[]string{"-model", "nowhere"}, 2, "pip download --no-deps silero-vad"},
		{[]string{"-model", t.TempDir()}, 2, "silero_vad_16k_sequence.onnx does not exist"},
		{[]string{"-x"}, 2, "flag provided but not defined: -x"},
		{[]string{"a.wav", "b.wav"}, 2, "there are 2 files, one is expected"},
		{[]string{"-threshold", "1"}, 2, "-threshold must be between 0 and 1"},
		{[]string{"-threshold", "NaN"}, 2, "-threshold must be between 0 and 1"},
		{[]string{"-silence", "-1"}, 2, "-silence must be from 0 to 3600 seconds"},
		{[]string{"-longest", "0.1"}, 2, "-longest must be at least"},
		{[]string{"-model", text, "none.wav"}, 0, "none.wav: no such file"},
		{[]string{"-model", text, text}, 0, `text.wav: not a valid WAV file: byte 0: it begins with "hell"`},
		{[]string{"-model", text, t.TempDir()}, 0, "it is no regular file"},
		{[]string{"-model", text}, 0, "text.wav"}, // which is no ONNX file
	} {
		_, err := call(t, c.args...)
		var e exit
		errors.As(err, &e)
		if err == nil || !strings.Contains(err.Error(), c.want) || e.code != c.code {
			t.Errorf("%v: code %d, %v; want %d, %s", c.args, e.code, err, c.code, c.want)
		}
	}
	if out, err := call(t, "-help"); !errors.Is(err, flag.ErrHelp) || !strings.Contains(out, "-svg") {
		t.Errorf("%v %s", err, out)
	}
}

// model gives the folder of the model.
func model(t *testing.T) string {
	t.Helper()
	return needs.Folder(t, "silero", modelVariable, "silero_vad", "data")
}

// found is what -json prints.
type found struct {
	Seconds  float64
	Segments []struct{ Start, End, Probability float64 }
}

// TestListen hears the recording in the program, in which two people speak, in text, JSON and a picture.
func TestListen(t *testing.T) {
	m := model(t)
	out, err := call(t, "-model", m)
	if err != nil || !strings.Contains(out, "11025 Hz, 1 channel, 16 bits, 8.50 s") || !strings.Contains(out, "3 segments,") {
		t.Errorf("%v %s", err, out)
	}
	picture := filepath.Join(t.TempDir(), "picture.svg")
	out, err = call(t, "-model", filepath.Join(m, "silero_vad.onnx"), "-json", "-svg", picture)
	var f found
	if err != nil || json.Unmarshal([]byte(out), &f) != nil || len(f.Segments) != 3 {
		t.Fatalf("%v %s", err, out)
	}
	for i, s := range f.Segments {
		if s.Start >= s.End || s.Probability < 0.8 || i > 0 && s.Start < f.Segments[i-1].End {
			t.Errorf("segment %d: %+v", i, s)
		}
	}
	data, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	checkPicture(t, data, 3)
}

// checkPicture checks that a picture is XML, and counts the segments in it.
func checkPicture(t *testing.T, data []byte, segments int) {
	t.Helper()
	if n := bytes.Count(data, []byte(`class="speech"`)); n != segments {
		t.Errorf("the picture has %d segments, want %d", n, segments)
	}
	if bytes.Contains(data, []byte("NaN")) || bytes.Contains(data, []byte("Inf")) || bytes.Contains(data, []byte("%!")) {
		t.Errorf("the picture has wrong numbers: %.200s", data)
	}
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// TestFormats writes the recording in other formats and rates, in which the same segments are found.
func TestFormats(t *testing.T) {
	m := model(t)
	r, err := wav.New(bytes.NewReader(recording), int64(len(recording)))
	if err != nil {
		t.Fatal(err)
	}
	samples := make([]float32, r.Frames())
	for n := 0; n < len(samples); {
		k, err := r.Read(samples[n:])
		if err != nil {
			t.Fatal(err)
		}
		n += k
	}
	for _, c := range []struct {
		name                 string
		code, channels, bits int
		times                int // as many samples, by repeating each
	}{{"stereo float", 3, 2, 32, 1}, {"8 bits", 1, 1, 8, 1}, {"24 bits of 44.1 kHz", 1, 1, 24, 4}} {
		var body bytes.Buffer
		for _, x := range samples {
			for range c.times * c.channels {
				switch c.bits {
				case 8:
					body.WriteByte(byte(128 + 127*x))
				case 24:
					v := int32(x * (1 << 23))
					body.Write([]byte{byte(v), byte(v >> 8), byte(v >> 16)})
				default:
					binary.Write(&body, binary.LittleEndian, x)
				}
			}
		}
		align := c.channels * c.bits / 8
		head := []any{[]byte("RIFF"), uint32(36 + body.Len()), []byte("WAVEfmt "), uint32(16), uint16(c.code), uint16(c.channels), uint32(r.Rate * c.times),
			uint32(r.Rate * c.times * align), uint16(align), uint16(c.bits), []byte("data"), uint32(body.Len()), body.Bytes()}
		var file bytes.Buffer
		for _, v := range head {
			binary.Write(&file, binary.LittleEndian, v)
		}
		path := filepath.Join(t.TempDir(), "sound.wav")
		if err := os.WriteFile(path, file.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := call(t, "-model", m, "-json", path)
		var f found
		if err != nil || json.Unmarshal([]byte(out), &f) != nil || len(f.Segments) != 3 || math.Abs(f.Seconds-8.503) > 0.001 {
			t.Fatalf("%s: %v %s", c.name, err, out)
		}
		for i, want := range [][2]float64{{0.67, 3.49}, {4.71, 5.53}, {5.83, 7.68}} {
			if s := f.Segments[i]; math.Abs(s.Start-want[0]) > 0.1 || math.Abs(s.End-want[1]) > 0.1 {
				t.Errorf("%s: segment %d is %+v, want about %v", c.name, i, s, want)
			}
		}
	}
}

// TestPicture draws sounds without a sample, of one, and of many, and a name that XML must not be given as it is.
func TestPicture(t *testing.T) {
	for _, n := range []int{0, 1, 511, 513, 5000 * window} {
		h := &heard{name: "<&\"\x00\xff>.wav"}
		h.measure(make([]float32, n))
		for i := 0; i < n; i += window {
			h.probabilities = append(h.probabilities, float32(i%5)/4)
		}
		if n > 0 {
			h.segments = []vad.Segment{{Start: 0, End: n}}
		}
		checkPicture(t, picture(h, 0.5), len(h.segments))
	}
}

func TestClock(t *testing.T) {
	for sample, want := range map[int]string{0: "0:00:00.00", 16000: "0:00:01.00", 59*16000 + 15999: "0:01:00.00", 3661*16000 + 4000: "1:01:01.25"} {
		if got := clock(sample); got != want {
			t.Errorf("clock(%d) = %s, want %s", sample, got, want)
		}
	}
	for _, c := range []struct{ duration, want float64 }{{0, 0.001}, {1, 0.1}, {8.5, 1}, {60, 10}, {100, 10}, {3600, 500}} {
		if got := tick(c.duration); fmt.Sprintf("%.4g", got) != fmt.Sprintf("%.4g", c.want) {
			t.Errorf("tick(%v) = %v, want %v", c.duration, got, c.want)
		}
	}
}

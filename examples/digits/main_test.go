package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
)

func TestRun(t *testing.T) {
	var out bytes.Buffer
	check(t, run(context.Background(), []string{"-device", "cpu"}, &out))
	text := out.String()
	found := regexp.MustCompile(`(\d+) of (\d+) held-out images recognised`).FindStringSubmatch(text)
	if found == nil || found[2] != "360" {
		t.Fatalf("no result for 360 images in:\n%s", text)
	}
	right, err := strconv.Atoi(found[1])
	check(t, err)
	if share := float64(right) / 360; share < 0.96 {
		t.Errorf("read %.1f %% right, want 96", 100*share)
	}
	if strings.ContainsAny(text, "\r\x1b") {
		t.Error("control codes in what is no terminal")
	}
	if n := strings.Count(text, "epoch "); n != 10 {
		t.Errorf("%d lines of progress, want 10", n)
	}
}

// trained returns the parameters after a short training.
func trained(t *testing.T, seed uint64, workers int) []float32 {
	t.Helper()
	ctx, dev, r := context.Background(), openCPU(t, cutile.WithWorkers(workers)), rand.New(rand.NewPCG(seed, 0))
	digits, err := loadDigits()
	check(t, err)
	net, err := newNetwork(ctx, group(t, dev), 1, 40, r)
	check(t, err)
	var losses []float32
	check(t, train(ctx, net, digits[:300], 0, 3, r, func(_ int, loss float32) error {
		losses = append(losses, loss)
		return nil
	}))
	if len(losses) != 3 || losses[2] >= losses[0] {
		t.Errorf("losses %v, want three that fall", losses)
	}
	return slice(t, net.allWeights[0])
}

// TestDeterminism checks that the seed determines every bit, with any number of workers.
func TestDeterminism(t *testing.T) {
	first := trained(t, 5, 2)
	if !slices.Equal(first, trained(t, 5, 2)) {
		t.Error("two trainings with one seed differ")
	}
	if !slices.Equal(first, trained(t, 5, 1)) {
		t.Error("trainings with one and two workers differ")
	}
	if slices.Equal(first, trained(t, 6, 2)) {
		t.Error("trainings with two seeds are equal")
	}
}

func TestWrongFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-epochs 0", "-epochs must be at least 1, but is 0"},
		{"-epochs many", `invalid value "many" for flag -epochs: parse error; -help lists the flags`},
		{"-hidden 0", "-hidden must be from 1 to 4096, but is 0"},
		{"-hidden 5000", "-hidden must be from 1 to 4096, but is 5000"},
		{"-ranks -1", "-ranks must be from 0 to 64, but is -1"},
		{"-ranks 65", "-ranks must be from 0 to 64, but is 65"},
		{"-parts 1025", "-parts must be from 0 to 1024, but is 1025"},
		{"-every 0", "-every must be at least 1, but is 0"},
		{"-resume", "-resume needs the file to go on from: give it with -checkpoint"},
		{"-seed -1", `invalid value "-1" for flag -seed: parse error; -help lists the flags`},
		{"-speed 3", "flag provided but not defined: -speed; -help lists the flags"},
		{"fast", `"fast" is no flag; -help lists the flags`},
		{"-device abacus", `cutile: no such device: "abacus"; the devices are `},
	} {
		var out bytes.Buffer
		err := run(context.Background(), strings.Fields(c.args), &out)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.args, err, c.want)
		}
		if out.Len() > 0 {
			t.Errorf("%s printed %q", c.args, out.String())
		}
	}
	err := run(context.Background(), []string{"-device", "abacus"}, &bytes.Buffer{})
	if !errors.Is(err, cutile.ErrNoDevice) {
		t.Errorf("error %v, want cutile.ErrNoDevice", err)
	}
}

func TestHelp(t *testing.T) {
	var out bytes.Buffer
	if err := run(context.Background(), []string{"-help"}, &out); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("error %v, want flag.ErrHelp", err)
	}
	for _, name := range []string{"-device", "-epochs", "-hidden", "-seed", "-ranks", "-parts", "-order", "-checkpoint", "-every", "-resume"} {
		if !strings.Contains(out.String(), name) {
			t.Errorf("the help lacks %s:\n%s", name, &out)
		}
	}
}

func TestShow(t *testing.T) {
	var digits []digit
	for i := range 3 {
		d := digit{label: int32(i)}
		for p := range d.pixels {
			d.pixels[p] = uint8(8 * i)
		}
		digits = append(digits, d)
	}
	var out bytes.Buffer
	show(&out, digits, []int32{0, 1, 7})
	blank, grey, black := strings.Repeat(" ", 16), strings.Repeat("▒", 16), strings.Repeat("█", 16)
	want := "2 of 3 held-out images recognised: 66.7 %\n" +
		"\n" + strings.Repeat(blank+"   "+grey+"\n", side) + "reads 0            reads 1\n" +
		"\n" + strings.Repeat(black+"\n", side) + "reads 7, is 2 ✗\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", &out, want)
	}
}

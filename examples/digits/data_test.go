package main

import (
	"strings"
	"testing"
)

func TestLoadDigits(t *testing.T) {
	all, err := loadDigits()
	check(t, err)
	if len(all) != 1797 {
		t.Errorf("%d images, want 1797", len(all))
	}
	var labels [classes]int
	var values [darkest + 1]int
	for _, d := range all {
		labels[d.label]++
		for _, v := range d.pixels {
			values[v]++
		}
	}
	if want := [classes]int{178, 182, 177, 183, 181, 182, 181, 179, 174, 180}; labels != want {
		t.Errorf("images of each digit: %v, want %v", labels, want)
	}
	for v, n := range values {
		if n == 0 {
			t.Errorf("no pixel is %d", v)
		}
	}
	first := [side]uint8{0, 0, 5, 13, 9, 1, 0, 0}
	if got := [side]uint8(all[0].pixels[:side]); got != first || all[0].label != 0 {
		t.Errorf("the first image is a %d and begins with %v, want a 0 that begins with %v", all[0].label, got, first)
	}
}

func TestSplit(t *testing.T) {
	all := make([]digit, 1797)
	for i := range all {
		all[i].label = int32(i)
	}
	learned, heldOut := split(all)
	if len(learned) != 1437 || len(heldOut) != 360 {
		t.Errorf("%d to learn and %d held out, want 1437 and 360", len(learned), len(heldOut))
	}
	for _, d := range learned {
		if d.label%5 == 0 {
			t.Errorf("image %d is learned", d.label)
		}
	}
	for _, d := range heldOut {
		if d.label%5 != 0 {
			t.Errorf("image %d is held out", d.label)
		}
	}
}

func TestFlatten(t *testing.T) {
	a, b := digit{label: 3}, digit{label: 9}
	a.pixels[1], b.pixels[63] = 4, darkest
	images, labels := flatten([]digit{a, b})
	if len(images) != 2*pixels || images[0] != 0 || images[1] != 0.25 || images[2*pixels-1] != 1 {
		t.Errorf("images %v", images)
	}
	if len(labels) != 2 || labels[0] != 3 || labels[1] != 9 {
		t.Errorf("labels %v, want [3 9]", labels)
	}
}

func TestWrongData(t *testing.T) {
	zeros := strings.Repeat("0,", pixels-1)
	for _, c := range []struct{ text, want string }{
		{zeros + "0,5\n" + zeros + "17,5\n", `digits: line 2: pixel 63 is "17", not a number from 0 to 16`},
		{zeros + "x,5\n", `digits: line 1: pixel 63 is "x", not a number from 0 to 16`},
		{zeros + "0,10\n", `digits: line 1: the digit is "10", not a number from 0 to 9`},
		{zeros + "0\n", "digits: record on line 1: wrong number of fields"},
	} {
		if _, err := parseDigits(strings.NewReader(c.text)); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}

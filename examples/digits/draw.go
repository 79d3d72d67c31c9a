package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// progress gives a function that shows how far the training is: on a terminal as a bar that grows in its line, else as
// ten lines of plain text.
func progress(out io.Writer, epochs int) func(epoch int, loss float32) {
	const width = 40
	terminal := isTerminal(out)
	return func(epoch int, loss float32) {
		text := fmt.Sprintf("epoch %*d of %d, loss %.4f", len(fmt.Sprint(epochs)), epoch, epochs, loss)
		done := epoch * width / epochs
		switch {
		case terminal:
			fmt.Fprintf(out, "\r%s%s %s", strings.Repeat("█", done), strings.Repeat("░", width-done), text)
			if epoch == epochs {
				fmt.Fprintln(out)
			}
		case epoch*10/epochs > (epoch-1)*10/epochs:
			fmt.Fprintln(out, text)
		}
	}
}

func isTerminal(out io.Writer) bool {
	f, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// show prints how many of the images were read right, and draws some of both kinds.
func show(out io.Writer, digits []digit, answers []int32) {
	var right, wrong []int
	for i, d := range digits {
		if answers[i] == d.label {
			right = append(right, i)
		} else {
			wrong = append(wrong, i)
		}
	}
	fmt.Fprintf(out, "%d of %d images that it never saw read right: %.1f %%\n",
		len(right), len(digits), 100*float64(len(right))/float64(len(digits)))
	draw(out, digits, answers, some(right))
	draw(out, digits, answers, some(wrong))
}

// some picks as many as fit side by side, from all over.
func some(which []int) (picked []int) {
	n := min(len(which), 4)
	for i := range n {
		picked = append(picked, which[i*len(which)/n])
	}
	return picked
}

// draw prints the images at the given places side by side, each with the answer and, where it is wrong, with the truth.
func draw(out io.Writer, digits []digit, answers []int32, which []int) {
	if len(which) == 0 {
		return
	}
	const gap = "   "
	fmt.Fprintln(out)
	for y := range side {
		var line strings.Builder
		for _, i := range which {
			for _, v := range digits[i].pixels[y*side : (y+1)*side] {
				line.WriteString(shade(v))
			}
			line.WriteString(gap)
		}
		fmt.Fprintln(out, strings.TrimRight(line.String(), " "))
	}
	var captions strings.Builder
	for _, i := range which {
		text := fmt.Sprintf("reads %d", answers[i])
		if answers[i] != digits[i].label {
			text += fmt.Sprintf(", is %d ✗", digits[i].label)
		}
		fmt.Fprintf(&captions, "%-*s%s", 2*side, text, gap)
	}
	fmt.Fprintln(out, strings.TrimRight(captions.String(), " "))
}

// shade draws a pixel, two characters wide: that is about as wide as a line is high.
func shade(v uint8) string {
	shades := []string{"  ", "░░", "▒▒", "▓▓", "██"}
	return shades[int(v)*len(shades)/(darkest+1)]
}

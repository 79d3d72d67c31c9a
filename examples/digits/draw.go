package main

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// progress returns a function that shows the progress of the training, on a terminal as a growing bar, otherwise as ten
// lines of plain text.
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

// show prints how many images were recognised, and draws some recognised and some wrong ones.
func show(out io.Writer, digits []digit, answers []int32) {
	var right, wrong []int
	for i, d := range digits {
		if answers[i] == d.label {
			right = append(right, i)
		} else {
			wrong = append(wrong, i)
		}
	}
	fmt.Fprintf(out, "%d of %d held-out images recognised: %.1f %%\n",
		len(right), len(digits), 100*float64(len(right))/float64(len(digits)))
	draw(out, digits, answers, some(right))
	draw(out, digits, answers, some(wrong))
}

// some selects as many images as fit side by side, evenly distributed.
func some(which []int) (picked []int) {
	n := min(len(which), 4)
	for i := range n {
		picked = append(picked, which[i*len(which)/n])
	}
	return picked
}

// draw prints the images with the given indices side by side, each with the prediction and, if that is wrong, with the
// label.
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

// shade draws a pixel two characters wide, which is about the height of a line.
func shade(v uint8) string {
	shades := []string{"  ", "░░", "▒▒", "▓▓", "██"}
	return shades[int(v)*len(shades)/(darkest+1)]
}

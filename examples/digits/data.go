package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
)

const (
	side    = 8           // width and height of an image in pixels
	pixels  = side * side // inputs of the network
	classes = 10          // outputs, one for each digit
	darkest = 16          // greatest value of a pixel
)

// The images are the test set of "Optical Recognition of Handwritten Digits" by E. Alpaydin and C. Kaynak, from the UCI
// Machine Learning Repository, CC BY 4.0. Each line is an image, with 64 pixels row by row and the digit.
//
//go:embed digits.csv.gz
var digitsCSV []byte

// digit is an image with its label.
type digit struct {
	pixels [pixels]uint8 // row by row, 0 to darkest
	label  int32         // 0 to 9
}

// loadDigits reads the images that are part of the program.
func loadDigits() ([]digit, error) {
	text, err := gzip.NewReader(bytes.NewReader(digitsCSV))
	if err != nil {
		return nil, err
	}
	return parseDigits(text)
}

// parseDigits reads images from lines of 65 numbers.
func parseDigits(r io.Reader) ([]digit, error) {
	lines := csv.NewReader(r)
	lines.FieldsPerRecord = pixels + 1
	lines.ReuseRecord = true
	var all []digit
	for {
		fields, err := lines.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("digits: %w", err)
		}
		d, err := parseDigit(fields)
		if err != nil {
			line, _ := lines.FieldPos(0)
			return nil, fmt.Errorf("digits: line %d: %w", line, err)
		}
		all = append(all, d)
	}
}

func parseDigit(fields []string) (d digit, err error) {
	for i, f := range fields[:pixels] {
		v, err := strconv.Atoi(f)
		if err != nil || v < 0 || v > darkest {
			return d, fmt.Errorf("pixel %d is %q, not a number from 0 to %d", i, f, darkest)
		}
		d.pixels[i] = uint8(v)
	}
	label, err := strconv.Atoi(fields[pixels])
	if err != nil || label < 0 || label >= classes {
		return d, fmt.Errorf("the digit is %q, not a number from 0 to %d", fields[pixels], classes-1)
	}
	d.label = int32(label)
	return d, nil
}

// split holds out every fifth image from the training.
func split(all []digit) (train, heldOut []digit) {
	for i, d := range all {
		if i%5 == 0 {
			heldOut = append(heldOut, d)
		} else {
			train = append(train, d)
		}
	}
	return train, heldOut
}

// flatten converts images and labels to the inputs of the network, with pixels from 0 to 1.
func flatten(digits []digit) (images []float32, labels []int32) {
	for _, d := range digits {
		for _, v := range d.pixels {
			images = append(images, float32(v)/darkest)
		}
		labels = append(labels, d.label)
	}
	return images, labels
}

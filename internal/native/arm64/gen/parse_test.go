package main

import (
	"os"
	"strings"
	"testing"
)

// TestUpToDate checks that the table was generated from the forms as they are.
func TestUpToDate(t *testing.T) {
	ops, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	want, err := write(ops)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../table_gen.go")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Error("table_gen.go is out of date: go generate writes it anew")
	}
}

// TestMistakes checks that wrong rows are refused with their line.
func TestMistakes(t *testing.T) {
	for row, want := range map[string]string{
		"add 11000000 r":                         "forms.txt:2: a row needs mnemonic, bits, a known set and a feature",
		"add 11000000 other - T:d":               "a known set",
		"add zz - -":                             `parsing "zz"`,
		"add 0 - - x:y":                          `there is no field "y"`,
		"add 0 - - y:d":                          `there is no view "y"`,
		"add 0 - - T:d":                          `there is no view "T"`,
		"add 0 r - U:d":                          `there is no view "U"`,
		"add 0 - - s[i9]:d":                      `there is no index "i9"`,
		"add 0 - - u5@x":                         `parsing "x"`,
		"add 0 - - something":                    `there is no operand "something"`,
		"add 0 - - lsh/T":                        `there is no view "T"`,
		"add 0 - new":                            `there is no feature "new"`,
		"add 0 - - x:d x:d x:d x:d x:d":          "more than 4 operands",
		"ldr 0 - - x:t mem/y":                    `there is no view "y"`,
		"ld1 0 - - x*4s:t vmem":                  `parsing "x"`,
		"set s 4s:0 5s:0":                        `there is no view "5s"`,
		"set s 4s:0:new\nadd 0 s -":              `there is no feature "new"`,
		"set s 4s:z":                             `parsing "z"`,
		"cset 0 - - x:d notcond@12\nadd 0 - - ?": `forms.txt:3: there is no operand ""`,
	} {
		_, err := parse("set r w:0 x:80000000\n" + row)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q\ngot  %v\nwant %s", row, err, want)
		}
	}
}

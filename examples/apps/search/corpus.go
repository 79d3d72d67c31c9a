package main

import (
	"embed"
	"io/fs"
)

//go:embed corpus/book-*.md
var corpusFiles embed.FS

// corpusName stands for the folder of the texts in the program.
const corpusName = "(Newton's Opticks, in the program)"

// corpus is the folder of texts that is in the program: something to try it with.
func corpus() fs.FS {
	sub, err := fs.Sub(corpusFiles, "corpus")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return sub
}

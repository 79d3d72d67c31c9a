// Command search searches a folder of texts by meaning: it finds passages that answer a question, whatever words they use.
//
//	search -model DIR index FOLDER     cuts the texts of a folder into passages and embeds them
//	search -model DIR ask "why is the sky blue?"
//	search -model DIR serve            a web page and an API
//
// The model is all-MiniLM-L6-v2, computed by a graph of package graph on any device of package cutile. A tile kernel compares a
// query with every passage. README.md in examples/search is a guide.
package main

// Package minilm computes embeddings of sentences with all-MiniLM-L6-v2 and its relatives: encoders of the kind of BERT whose
// embedding of a text is the mean of what they make of its tokens, scaled to length 1. Texts of similar meaning have embeddings
// with a large scalar product.
//
//	e, err := minilm.Open(dev, "all-MiniLM-L6-v2")
//	...
//	vectors, err := e.Encode(ctx, []string{"A cat sleeps.", "A kitten naps."})
//
// The encoder is a graph of package graph. Sequences are padded to a few lengths, and texts of one length are computed together: a
// graph is compiled for each combination of a length and a number of texts, when it is first needed. The weights are on the device
// once, as arguments of all of them.
//
// (J. Devlin and others, BERT, 2018; W. Wang and others, MiniLM, 2020; N. Reimers and I. Gurevych, Sentence-BERT, 2019.)
package minilm

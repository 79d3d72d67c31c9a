// Package store keeps an index of passages and their embeddings in a file: a database of bbolt.
//
// Embeddings are kept by what they are of, so that a passage is embedded once, wherever it stands and whatever else changes in its
// file. Each Put is one transaction, and a file is written when the embeddings of all its passages are there: a process that is
// killed at any moment leaves an index that is whole, and the next one continues.
//
// An index belongs to one model and one folder. Embeddings of different models have nothing to do with each other, so that Open
// refuses an index that another one made.
package store

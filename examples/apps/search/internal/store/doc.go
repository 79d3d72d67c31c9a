// Package store keeps an index of passages and their embeddings in a file: a database of bbolt.
//
// The record of an indexed file holds its hash, its passages and their embeddings, and is written in one transaction: a process
// that is killed at any moment leaves an index that is whole, and that lacks at most the files that it was about to write.
//
// An index belongs to one model and one folder. Embeddings of different models have nothing to do with each other, so that Open
// refuses an index that another one made.
package store

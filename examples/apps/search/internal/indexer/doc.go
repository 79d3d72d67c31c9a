// Package indexer brings an index up to date with the files of a folder: it cuts new and changed ones into passages, embeds those
// that the index lacks, and removes what is gone.
package indexer

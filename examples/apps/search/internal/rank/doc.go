// Package rank finds the passages whose embeddings are closest to those of queries, by comparing them with all: a tile kernel multiplies
// the matrix of queries by that of passages on a device. That needs no structure that must be built, and never misses a passage. The
// matrix is read once for several queries.
package rank

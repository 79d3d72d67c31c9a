// Package rank finds the passages whose embeddings are closest to that of a query, by comparing it with all of them: a tile kernel
// computes the scalar products of the query and every row of a matrix on a device. That needs no structure that must be built, and
// never misses a passage; 100,000 passages are 150 MB, which a CPU reads in some 20 ms.
package rank

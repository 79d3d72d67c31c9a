// Package wav reads WAV files: PCM of 8, 16, 24 and 32 bits and floats of 32 and 64 bits, of any number of channels.
//
// Files may come from anyone. They are read in blocks, so that memory does not depend on what a file claims, and a claim that is
// not true, such as a length beyond the end of the file, is an error with the position of the bytes that make it. Only a length of
// 2³²-1, which programs write that do not know how long a recording will be, stands for all that follows.
//
// (Microsoft and IBM, Multimedia Programming Interface and Data Specifications 1.0, 1991; Microsoft, WAVEFORMATEXTENSIBLE.)
package wav

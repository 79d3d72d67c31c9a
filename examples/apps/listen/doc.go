// Command listen finds speech in WAV files: it prints where it is, and draws the sound, the probability of speech and the segments.
//
//	listen -model silero_vad.onnx recording.wav
//	listen -json -svg picture.svg recording.wav
//
// The model is Silero's, an ONNX file, which module onnx runs on any device of package cutile. README.md in examples/listen is a
// guide.
package main

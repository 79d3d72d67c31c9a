// Package vad finds speech in sound: it runs Silero's model of voice activity, which gives the probability of speech for each
// window of 32 ms, and joins windows to segments by Silero's rule.
//
//	d, err := vad.Open(dev, "silero_vad.onnx")
//	...
//	s := d.Stream()
//	probabilities, err := s.Write(ctx, samples) // of 16 kHz; as often as there are some
//	...
//	rest, err := s.Flush(ctx)
//	segments := vad.Segments(append(probabilities, rest...), count, vad.DefaultRule)
//
// Two forms of the model are known: silero_vad.onnx, which takes one window at a time, and silero_vad_16k_sequence.onnx, which takes
// several and is faster. Both carry a state from window to window, and begin each window with the last samples of the one before.
//
// (Silero Team, Silero VAD: pre-trained enterprise-grade Voice Activity Detector, 2021; the models are under the MIT licence.)
package vad

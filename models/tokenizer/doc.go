// Package tokenizer turns texts into the tokens of language models and back. It reads the file tokenizer.json, in which
// models on Hugging Face's hub describe how that is done, and gives the same tokens as the package tokenizers for Python,
// whose format the file is: ids, offsets, masks and decoded text are compared with those of its version 0.23.
//
//	tok, err := tokenizer.Load("tokenizer.json")
//	...
//	enc, err := tok.Encode("Hello, world!")
//	...
//	fmt.Println(enc.IDs, enc.Tokens)
//	text, err := tok.Decode(enc.IDs, true)
//
// What a file may hold is supported, but for the differences below: the models BPE, WordPiece, Unigram and WordLevel, all normalizers,
// pre-tokenizers, post-processors and decoders, added tokens, truncation with overflowing parts, and padding. [Read] refuses
// what it does not know with an error that names the place, such as pre_tokenizer.pretokenizers[1].type.
//
// # Offsets
//
// [Encoding.Offsets] are in bytes, so that text[o.Start:o.End] is what a token comes from. With [RuneOffsets] they are in
// runes, as in Python.
//
// Bytes of a text that are not UTF-8 are taken for U+FFFD, one for each byte, and offsets still point into the text as it
// was given.
//
// # Characters
//
// Parts of the Python package follow different versions of Unicode: its normal forms know Unicode 9, its regular
// expressions Unicode 16, its capital letters Unicode 17. This package has tables that were made by asking the Python
// package about every character, so neither these differences nor the version of Go change a result.
//
// # Differences
//
// Some files and texts are refused that Python takes:
//
//   - a model with dropout, which makes tokens random;
//   - added tokens whose ids are not those that Python would give them, where Python only warns, and two tokens of a
//     vocabulary with one id;
//   - patterns with backreferences, calls, \X, \R, \K or conditions, with the options that Oniguruma adds, and those that
//     ignore the case of letters beyond ASCII or of pairs that are ligatures, such as st;
//   - tokens of more than 1024 bytes in an added vocabulary, in WordPiece and in Unigram;
//   - a text that a normalizer makes more than 32 times as long, and the other limits below.
//
// Where Python ends by a panic there is an error here, or a result that does no harm.
//
// # Limits
//
// Files are not trusted. No file makes the package panic, and memory and time are bounded by the sizes of the file and of
// the text: a file has [MaxFile] bytes at most and a text [MaxText], sequences have 256 parts in all, padding makes
// 1048576 tokens at most, an encoding with its overflow has 4194304 tokens at most, and patterns may take 100 million steps
// and 1000 more for each byte of the text.
package tokenizer

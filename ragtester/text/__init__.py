"""Text arithmetic: words, sentences, stems, quantities, overlap."""

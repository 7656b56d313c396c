"""Documents: files to text, text to sections, Markdown to PDF."""

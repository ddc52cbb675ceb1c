"""What channels are told, by which rules, when, and in which form; nothing here sends."""

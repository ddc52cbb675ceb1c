"""Rules of channels, and messages in the format of each kind. Nothing here sends."""

"""What a site says: its pages as passages that can be found, cited and asked."""

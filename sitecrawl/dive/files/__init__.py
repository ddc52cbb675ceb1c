"""What files say: PDF, office, e-book and text files, read as pages are."""

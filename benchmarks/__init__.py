"""The benchmark that `make bench` runs: sitecrawl beside its peers on one synthetic site."""

"""Plots of a run, for papers and notebooks."""

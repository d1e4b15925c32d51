"""Policies, kernels, and the way of a launch."""

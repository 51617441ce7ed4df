"""Tests of the comparison with a model, without a model."""

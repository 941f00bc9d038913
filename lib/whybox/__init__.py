"""Whybox."""

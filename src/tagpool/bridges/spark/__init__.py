"""Spark: labels for data frames of PySpark."""

from tagpool.bridges.spark.tagging import SparkTagger, tag

__all__ = ["SparkTagger", "tag"]

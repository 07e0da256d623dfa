"""Advice on graph breaks, each with a program that breaks and the same program fixed."""

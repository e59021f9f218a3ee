"""Trains the weights that the engine ships, and checks them. Never: used by the engine."""

"""Trains the weights that the engine ships, and checks them."""

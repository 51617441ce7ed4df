"""How much to prune, and how much each part matters."""

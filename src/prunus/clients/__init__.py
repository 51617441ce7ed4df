"""What Prunus knows about coding agents: one package for each, all of them listed in `prunus.clients.client`."""

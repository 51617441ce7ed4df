"""What Prunus knows about coding agents: one folder for each, all of them listed in `prunus.clients.client`."""

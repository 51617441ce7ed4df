"""Configurations of load balancers that keep a conversation on one replica.

Each configuration hashes the first routing header of a request, or the client's address if there is none. All three
stream answers without buffering, never repeat a request that a replica may have forwarded, and check `/readyz`
where they can.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from string import Template
from typing import Final

from prunus.proxy.routing import routing_headers

REPLICAS: Final = ("prunus-1:8787", "prunus-2:8787", "prunus-3:8787")
"""The addresses in a configuration that nobody has adapted yet."""
LISTEN: Final = 8080
_SECONDS: Final = 600
"""Seconds that a balancer waits for the next byte: as long as `proxy.idle_timeout`."""


def nginx(replicas: Sequence[str] = REPLICAS, port: int = LISTEN) -> str:
    """A file for `conf.d`, or any other place inside `http { }`."""
    # In the names of its variables, nginx writes an underscore for a hyphen.
    variables = list(dict.fromkeys(f"$http_{name.replace('-', '_')}" for name, _ in routing_headers()))
    keys = ["$prunus_key", *(f"$prunus_key_{i}" for i in range(2, len(variables) + 1)), "$remote_addr"]
    maps = "\n".join(
        f'map {variable} {keys[i]} {{ "" {keys[i + 1]}; default {variable}; }}'
        for i, variable in enumerate(variables)
    )
    servers = "\n".join(f"    server {replica} max_fails=3 fail_timeout=5s;" for replica in replicas)
    return _NGINX.substitute(maps=maps, servers=servers, port=port, seconds=_SECONDS)


def haproxy(replicas: Sequence[str] = REPLICAS, port: int = LISTEN) -> str:
    """A whole file, for HAProxy 2.6 or newer."""
    unset = "if !{ var(txn.prunus_key) -m len gt 0 }"
    fetches = [*(f"req.hdr({name})" for name, _ in routing_headers()), "src"]
    keys = "\n".join(f"    http-request set-var(txn.prunus_key) {fetch} {unset}" for fetch in fetches)
    servers = "\n".join(f"    server prunus-{i} {replica}" for i, replica in enumerate(replicas, 1))
    return _HAPROXY.substitute(keys=keys, servers=servers, port=port, seconds=_SECONDS)


def envoy(replicas: Sequence[str] = REPLICAS, port: int = LISTEN) -> str:
    """A whole file, for Envoy with the v3 API."""
    keys = "\n".join(
        f"                              - {{header: {{header_name: {name}}}, terminal: true}}"
        for name, _ in routing_headers()
    )
    hosts = "\n".join(
        f"              - {{endpoint: {{address: {{socket_address: {{address: {host}, port_value: {number}}}}}}}}}"
        for host, number in (replica.rsplit(":", 1) for replica in replicas)
    )
    return _ENVOY.substitute(keys=keys, hosts=hosts, port=port, seconds=_SECONDS, types=_TYPES)


BALANCERS: Final[Mapping[str, Callable[[], str]]] = {"nginx": nginx, "haproxy": haproxy, "envoy": envoy}
"""What writes the configuration of each balancer."""


_NGINX: Final = Template("""\
# Prunus replicas behind nginx, from `prunus proxy --routing-key nginx`. Put in your own addresses.
# The key is the first of these headers that a request has, or else the address of the client.
underscores_in_headers on;
$maps

upstream prunus {
    hash $$prunus_key consistent;
$servers
    keepalive 64;
}

server {
    listen $port;
    client_max_body_size 0;

    location / {
        proxy_pass http://prunus;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $$http_host;
        # Answers are streams, and nginx must not keep requests on its disk.
        proxy_buffering off;
        proxy_request_buffering off;
        proxy_read_timeout ${seconds}s;
        proxy_send_timeout ${seconds}s;
        # Another replica gets a request only if the first one did not take it: providers bill each request.
        proxy_connect_timeout 5s;
        proxy_next_upstream error timeout;
    }
}
""")

_HAPROXY: Final = Template("""\
# Prunus replicas behind HAProxy, from `prunus proxy --routing-key haproxy`. Put in your own addresses.
defaults
    mode http
    timeout connect 5s
    timeout check 5s
    timeout client ${seconds}s
    timeout server ${seconds}s
    # Another replica gets a request only if the first one did not take it: providers bill each request.
    retries 2
    retry-on conn-failure
    option redispatch 1

frontend agents
    bind :$port
    # The key is the first of these headers that a request has, or else the address of the client.
$keys
    default_backend prunus

backend prunus
    balance hash var(txn.prunus_key)
    hash-type consistent
    option httpchk
    http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host localhost
    http-check expect status 200
    default-server check inter 2s fall 3 rise 1
$servers
""")

_TYPES: Final = "type.googleapis.com/envoy.extensions"
_ENVOY: Final = Template("""\
# Prunus replicas behind Envoy, from `prunus proxy --routing-key envoy`. Put in your own addresses.
static_resources:
  listeners:
    - name: agents
      address: {socket_address: {address: 0.0.0.0, port_value: $port}}
      filter_chains:
        - filters:
            - name: envoy.filters.network.http_connection_manager
              typed_config:
                "@type": ${types}.filters.network.http_connection_manager.v3.HttpConnectionManager
                stat_prefix: agents
                # The provider shall get the headers of the client and no others.
                generate_request_id: false
                skip_xff_append: true
                stream_idle_timeout: ${seconds}s
                http_filters:
                  - name: envoy.filters.http.router
                    typed_config:
                      "@type": ${types}.filters.http.router.v3.Router
                      suppress_envoy_headers: true
                route_config:
                  virtual_hosts:
                    - name: prunus
                      domains: ["*"]
                      request_headers_to_remove: [x-forwarded-proto]
                      routes:
                        - match: {prefix: /}
                          route:
                            cluster: prunus
                            timeout: 0s
                            # The first of these headers that a request has counts, or else the client's address.
                            hash_policy:
$keys
                              - {connection_properties: {source_ip: true}}
                            # Another replica gets a request only if the first one did not take it.
                            retry_policy:
                              retry_on: connect-failure
                              num_retries: 2
                              host_selection_retry_max_attempts: 3
                              retry_host_predicate:
                                - name: envoy.retry_host_predicates.previous_hosts
                                  typed_config:
                                    "@type": ${types}.retry.host.previous_hosts.v3.PreviousHostsPredicate
  clusters:
    - name: prunus
      type: STRICT_DNS
      lb_policy: RING_HASH
      connect_timeout: 5s
      common_lb_config: {healthy_panic_threshold: {value: 0}}
      health_checks:
        - timeout: 5s
          interval: 2s
          no_traffic_interval: 2s
          unhealthy_threshold: 3
          healthy_threshold: 1
          http_health_check: {path: /readyz, host: localhost}
      load_assignment:
        cluster_name: prunus
        endpoints:
          - lb_endpoints:
$hosts
""")

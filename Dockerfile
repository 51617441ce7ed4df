# Prunus as a container that runs without root:
#
#   docker build -t prunus .
#   docker run --rm --network host -v prunus:/data prunus                 # Linux: serves 127.0.0.1:8787 of the host
#   docker run --rm -p 127.0.0.1:8787:8787 -v prunus:/data prunus \
#     proxy --host 0.0.0.0 --set proxy.token=SECRET                        # elsewhere: clients send x-prunus-token
#
# The store lies in /data. Settings are read from /data/.config/prunus/prunus.toml, or from the folder of --config.
# With Postgres or Redis as the store, nothing has to be kept. Several replicas: deploy/compose.yaml, deploy/helm.
FROM python:3.13-slim-bookworm AS build
RUN pip install --no-cache-dir uv==0.13.7
WORKDIR /src
COPY requirements.lock pyproject.toml README.md LICENSE ./
COPY src src
RUN uv venv /opt/prunus && \
    uv pip install --no-cache --python /opt/prunus/bin/python --constraint requirements.lock \
        '.[encrypted,otel,postgres,redis]'

FROM python:3.13-slim-bookworm
LABEL org.opencontainers.image.title="prunus" \
      org.opencontainers.image.description="Prunes the conversation history that LLM agents send with each request" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN useradd --uid 10001 --user-group --home-dir /data --create-home prunus
COPY --from=build /opt/prunus /opt/prunus
ENV PATH=/opt/prunus/bin:$PATH HOME=/data PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=30s --timeout=5s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8787/livez', timeout=3)"]
ENTRYPOINT ["prunus"]
CMD ["proxy"]

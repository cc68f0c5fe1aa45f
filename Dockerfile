# An MCP server over stdio for the notes in /notes; the memory is kept in /data.
#   docker run --rm -i -v "$PWD/my-notes:/notes" -v synapse-data:/data synapse
FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY synapse synapse
COPY ontologies ontologies
COPY scenarios scenarios
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.12-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir /wheels/*.whl && rm -r /wheels \
    && useradd --create-home --uid 1000 synapse \
    && install -d -o synapse -g synapse /notes /data
USER synapse
ENV SYNAPSE_NOTES=/notes SYNAPSE_DATA=/data SYNAPSE_HOME=/data/.home PYTHONUNBUFFERED=1
VOLUME ["/notes", "/data"]
ENTRYPOINT ["synapse"]
CMD ["serve", "--stdio"]

# A club's host in a container: `compose.yaml` starts it and its web server behind a reverse proxy.
# The image holds the program and no club; the club's folder is a volume at /club.
FROM docker.io/library/python:3.13-slim

# The versions of libraries that the tests of this repository use.
COPY .ci/constraints.txt /tmp/constraints.txt
COPY pyproject.toml LICENSE NOTICE README.md /source/
COPY docs /source/docs
COPY pbem /source/pbem
COPY vassal /source/vassal
COPY templates /source/templates
COPY turns /source/turns
RUN pip install --no-cache-dir --constraint /tmp/constraints.txt "/source[web,club]" && rm -rf /source /tmp/constraints.txt \
    && useradd --uid 10001 --no-create-home --home-dir /state pbem \
    && install -d -o pbem -g pbem -m 700 /club /state

USER pbem
ENV PYTHONUNBUFFERED=1 HOME=/state
# /state records which dice of the club were published, and holds its passwords. It is separate from /club, so that
# pbem notices when a backup of the club is restored.
VOLUME ["/club", "/state"]
WORKDIR /club
ENTRYPOINT ["pbem"]
CMD ["host", "/club", "--log-format", "json"]

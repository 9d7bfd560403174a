# The gateway as a container: the package of `npm run package` on Node, as an unprivileged user. It writes to /state only:
#   docker run --read-only --tmpfs /tmp -v gateway:/state -e GATEWAY_ADMIN_TOKEN=… -p 8080:8080 -p 8081:8081 -p 8082:8082 IMAGE
FROM node:24.21.0-alpine AS package
WORKDIR /src
COPY . .
RUN npm ci --no-audit --no-fund && npm run package && mkdir -m 0700 /state

FROM node:24.21.0-alpine
LABEL org.opencontainers.image.title="agent-governance-gateway" \
  org.opencontainers.image.version="0.8.0" \
  org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production
COPY --from=package --chown=root:root /src/dist/package /app
COPY --from=package --chown=node:node /state /state
USER node
WORKDIR /state
VOLUME /state
EXPOSE 8080 8081 8082
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/health').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=8", "--heap-growing-percent=40", "--no-allocation-site-pretenuring", "--no-maglev", "/app/bin/agent-governance-gateway.mjs", "--state", "/state", "--host", "0.0.0.0", "--no-edge"]

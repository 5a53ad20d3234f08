# Builds a static server and packs it alone. The image has no shell and runs as an unprivileged user.
FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY . .
# Features of the server, separated by commas: object-store, otlp, pdf, temporal.
ARG FEATURES="pdf"
# With a target named, the flags hold for the program alone and not for the build scripts.
RUN target="$(uname -m)-unknown-linux-gnu" \
 && RUSTFLAGS="-C target-feature=+crt-static" \
    cargo build --locked --profile dist --target "$target" -p ibid-server --features "$FEATURES" \
 && strip -o /ibid-server "target/$target/dist/ibid-server" \
 && mkdir /data
# Letters of Chinese, Japanese and Korean in reports as PDF: 5 MB (fonts-noto-cjk has 90).
# Debian deletes old versions of packages, so a fixed version would break the build.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends fonts-wqy-microhei

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /ibid-server /usr/bin/ibid-server
COPY --from=build /usr/share/fonts/truetype/wqy /usr/share/fonts/truetype/wqy
COPY --from=build --chown=nonroot:nonroot /data /data
ENV BIND=0.0.0.0:8080 BASE_URL=http://127.0.0.1:8080 DATABASE_URL=sqlite:/data/ibid.db DRAIN_SECONDS=25
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=5s CMD ["/usr/bin/ibid-server", "health"]
ENTRYPOINT ["/usr/bin/ibid-server"]

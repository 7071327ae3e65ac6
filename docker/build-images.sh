#!/bin/sh
# Builds the platform's image and the sandbox's with the first of docker, podman and buildah that works here;
# BUILDER overrides the choice. Options are passed to each build:
#   sh docker/build-images.sh --secret id=pip,src=$HOME/.config/pip/pip.conf --build-arg BASE=registry.example.org/python:3.11
set -eu
cd "$(dirname "$0")/.."
works() {
    case $1 in
    buildah) command -v buildah >/dev/null ;;
    *) "$1" info >/dev/null 2>&1 ;;
    esac
}
builder=""
for name in ${BUILDER:-docker podman buildah}; do
    if works "$name"; then
        builder=$name
        break
    fi
done
if [ -z "$builder" ]; then
    echo "None of ${BUILDER:-docker, podman and buildah} works on this machine. On Debian: apt install buildah" >&2
    exit 1
fi
echo "image: building with $builder"
version=${KAKURENBO_VERSION:-latest}
"$builder" build --file docker/Dockerfile --tag "kakurenbo:$version" "$@" .
"$builder" build --file docker/sandbox.Dockerfile --tag "kakurenbo-sandbox:$version" "$@" .

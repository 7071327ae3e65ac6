#!/bin/sh
# Debian packages that Kakurenbo uses where they are present: a browser and a Japanese font for the
# page tests, bubblewrap for sandboxed programs, the services that a large installation runs on, R's bayesm,
# which a benchmark compares with, what builds the image without an engine, a spreadsheet that opens our exports, and
# what the guide to the API uses.
set -eu
packages="chromium fonts-noto-cjk bubblewrap r-cran-bayesm debootstrap buildah libreoffice-calc-nogui curl jq"
command -v psql >/dev/null || packages="$packages postgresql"
command -v redis-server >/dev/null || packages="$packages redis-server"
command -v rabbitmqctl >/dev/null || packages="$packages rabbitmq-server"
missing=""
for package in $packages; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing="$missing $package"
done
if [ -z "$missing" ]; then
    echo "system: nothing to install"
    exit 0
fi
echo "system: installing$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086  # the list is meant to be split
apt-get install -y -qq --no-install-recommends $missing >/dev/null

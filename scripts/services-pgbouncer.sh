#!/usr/bin/env bash
# PgBouncer from Debian's package, whose program the tests start by themselves. No service of it runs, now or after a boot.
# Needs root and apt; ends with 0 when the program is there.
set -euo pipefail
[ -x /usr/sbin/pgbouncer ] && exit 0
export DEBIAN_FRONTEND=noninteractive
apt() { timeout --kill-after=10 "$1" apt-get -q -y -o DPkg::Lock::Timeout=60 "${@:2}"; }

# A package asks this file before it starts a service.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
fi

apt 120 update || true # what was listed before may do
apt 120 install --no-install-recommends --download-only pgbouncer
apt 180 install --no-install-recommends --no-download pgbouncer
update-rc.d pgbouncer disable || true
[ -x /usr/sbin/pgbouncer ]

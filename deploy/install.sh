#!/bin/sh
# Installs the service on a new Debian or Ubuntu machine: PostgreSQL, server, worker, nightly backup, and Caddy for TLS.
# Run it as root in a checkout at /opt/content (docs/operate/install.md):
#
#   sh /opt/content/deploy/install.sh content.example.com you@example.com            # a first site and its owner
#   sh /opt/content/deploy/install.sh content.example.com --restore /root/today.tar  # everything from a backup
#
# After a failure, it can run again. It refuses to change a running service, an existing database named content, and
# a machine with a web server. DESTDIR is for tests.
set -eu

root=${DESTDIR-}
checkout=$root/opt/content
settings=$root/etc/content/environment
key=$root/etc/content/secret-key

fail() {
  echo "$1" >&2
  exit 1
}

domain=${1-} owner=${2-} backup=${3-}
case "$#$owner" in
2?*@?*.?* | 3--restore) ;;
*) fail "Usage: sh $0 DOMAIN EMAIL
   or: sh $0 DOMAIN --restore FILE" ;;
esac
case $domain in
*[!a-z0-9.-]* | .* | *. | *..*) fail "$domain is not a domain such as content.example.com." ;;
*.*) ;;
*) fail "$domain is not a domain such as content.example.com." ;;
esac
[ "$(id -u)" = 0 ] || fail 'Run this script as root.'
[ "$(cd "$(dirname "$0")/.." && pwd)" = "$checkout" ] || fail "Run this script in a checkout at $checkout."
! systemctl is-active --quiet content-server ||
  fail 'The service already runs here. docs/operate/upgrade.md describes upgrades.'
if [ -n "$backup" ]; then
  backup=$(realpath -e "$backup")
  [ -e "$key" ] || tar -tf "$backup" | grep -qx secret-key ||
    fail "$backup contains no secret key: store the key of the installation in $key, and run this script again."
fi
by_hand='Follow "Step by step" in docs/operate/install.md instead.'
for other in /usr/bin/caddy /usr/sbin/nginx /usr/sbin/apache2; do
  [ -e "$settings" ] || [ ! -e "$root$other" ] || fail "This machine has a web server: $other. $by_hand"
done

cd "$checkout"
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install --yes postgresql caddy openssl
command -v npx >/dev/null || apt-get install --yes --no-install-recommends nodejs npm
# The Node.js of Debian 12 and Ubuntu 24.04 is too old to install the service, which then runs with its own version.
node --eval 'process.exit(Number.parseInt(process.versions.node) < 20 ? 1 : 0)' || npm install --global node@24

# Runs SQL as the owner of all databases, in database $1.
sql() {
  su postgres -c "psql --quiet --tuples-only --no-align $1"
}

if [ ! -e "$settings" ]; then
  database=$(echo "select 1 from pg_database where datname = 'content'" | sql postgres)
  [ -z "$database" ] || fail "PostgreSQL already has a database named content. $by_hand"
  id content >/dev/null 2>&1 || useradd --system --home-dir /opt/content content
  install -d -m 755 "$root/etc/content"
  sed -e "s|^DATABASE_URL=.*|DATABASE_URL=postgres://content:$(openssl rand -hex 24)@127.0.0.1:5432/content|" \
    -e "s|^SECRET_KEY=.*|SECRET_KEY_FILE=$key|" -e "s|^PUBLIC_URL=.*|PUBLIC_URL=https://$domain|" \
    deploy/environment.example | install -m 640 -g content /dev/stdin "$settings"
fi
password=$(sed -n 's|^DATABASE_URL=postgres://content:\([0-9a-f]*\)@.*|\1|p' "$settings")
sql postgres <<SQL
\set ON_ERROR_STOP on
select 'create role content login' where not exists (select from pg_roles where rolname = 'content') \gexec
alter role content password '$password';
select 'create database content owner content' where not exists (select from pg_database where datname = 'content') \gexec
SQL
install -d -o content -g content .data
install -d -m 700 -o content -g content "$root/var/backups/content"
npx -y pnpm build:studio

made_key=
if [ ! -e "$key" ]; then
  made_key=$key
  if [ -n "$backup" ]; then tar -xOf "$backup" secret-key; else openssl rand -base64 32; fi |
    install -m 640 -g content /dev/stdin "$key"
fi

# Runs an operator command with the settings of the service.
ops() (
  set -a
  # shellcheck source=deploy/environment.example
  . "$settings"
  set +a
  node_modules/.bin/node server/ops.ts "$@"
)

has_site() {
  [ "$(echo "select to_regclass('sites') is not null" | sql content)" = t ] &&
    [ "$(echo 'select exists (select from sites)' | sql content)" = t ]
}

worker=content-worker
if [ -z "$backup" ]; then
  ops migrate
  has_site || ops sites create --name 'My site'
  result=$(ops people create "$owner")
elif has_site; then
  # An earlier run restored it, and printed the pending work.
  result='The database was not empty, so nothing was restored.'
  worker=
else
  result=$(ops restore "$backup") || {
    [ -z "$made_key" ] || rm "$made_key"
    exit 1
  }
  rm -f .data/secret-key # It is in $key now.
  case $result in *'Nothing was pending'*) ;; *) worker= ;; esac
fi

cp deploy/systemd/* "$root/etc/systemd/system/"
cp deploy/Caddyfile "$root/etc/caddy/Caddyfile"
systemctl daemon-reload
# shellcheck disable=SC2086 # Without the worker, there is no argument.
systemctl enable --now content-server content-backup.timer $worker
systemctl reload caddy
node_modules/.bin/node --input-type=module --eval '
  for (let seconds = 60; seconds > 0; seconds -= 1) {
    if (await fetch("http://127.0.0.1:3000/readyz").then(({ ok }) => ok, () => false)) process.exit();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
  process.exit(1)' || fail 'The server is not ready after a minute. Its log: journalctl -u content-server'

echo "
$result

The service runs at https://$domain, and its studio at https://$domain/studio.
Keep a copy of $key.
No mail is sent until $settings contains SMTP_URL: docs/operate/mail.md."
[ -n "$worker" ] ||
  echo 'The worker does not run yet. Start it after you have cancelled what must not be done again:
systemctl enable --now content-worker'

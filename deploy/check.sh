#!/usr/bin/env bash
# Checks what deploys Keepsake on a machine without a container engine: lints the Dockerfile and the compose file, has
# systemd verify the units, carries out the Dockerfile's COPY and RUN steps in a clean folder, and talks with the result.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

echo "== lint"
npx --yes dockerfile-utils@0.16.3 lint Dockerfile
npx --yes dclint@3.1.0 compose.yaml
if command -v systemd-analyze >/dev/null; then
  # The user and the folder of the units exist on the server only.
  for unit in deploy/*.service deploy/*.timer; do
    sed -e '/^User=/d' -e '/^Group=/d' -e '/^WorkingDirectory=/d' -e '/^EnvironmentFile=/d' "$unit" >"$root/${unit##*/}"
  done
  systemd-analyze verify --man=no "$root"/*.service "$root"/*.timer
fi

# Each stage is a folder; /app and /data lie in it, and nothing is given to another user.
stage=''
app=''
step() {
  local instruction=$1 rest=$2
  case $instruction in
    FROM)
      stage=$(sed -n 's/.* AS //p' <<<"$rest")
      stage=${stage:-final}
      app="$root/$stage/app"
      mkdir -p "$app"
      ;;
    COPY)
      local from=. words
      if [[ $rest == --from=* ]]; then
        from="$root/$(sed 's/^--from=\([^ ]*\) .*/\1/' <<<"$rest")"
        rest=${rest#* }
      fi
      read -ra words <<<"$rest"
      local target="$app/${words[-1]#./}"
      for source in "${words[@]:0:${#words[@]}-1}"; do
        if [[ -d $from/${source#/} ]]; then mkdir -p "$target" && cp -a "$from/${source#/}/." "$target/"; else cp "$from/${source#/}" "$target"; fi
      done
      ;;
    RUN)
      rest=${rest// \/data/ $root\/$stage\/data}
      (cd "$app" && bash -euc "${rest//-o node -g node/}")
      ;;
  esac
}

echo "== steps of the Dockerfile, in $root"
while read -r instruction rest; do
  case $instruction in FROM | COPY | RUN) echo "$instruction $rest" && step "$instruction" "$rest" ;; esac
done < <(sed -e ':a' -e '/\\$/N; s/\\\n *//; ta' Dockerfile)

echo "== what came out"
cd "$root/final/app"
export DATABASE_URL="file:$root/final/data/keepsake.db" PROBE_LOCAL=0 NODE_ENV=production
answer=$(env -u DISCORD_TOKEN node dist/bin/start.js <<<'the code word is heron')
grep -q 'heron' <<<"$answer"
node dist/bin/backup.js
[[ ! -e node_modules/vitest && ! -e .env && ! -e test ]]
echo "The image's steps work: $(du -sh "$root/final" | cut -f1), and the bot in it answers and is backed up."

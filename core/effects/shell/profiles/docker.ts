/** `docker`, and `podman` and `nerdctl`, whose commands are the same: `-H` and its like, which reach another machine, are not read. */
import type { Command, CommandProgram } from './command-program.ts';

const filter = { word: '-f --filter', format: '--format' } as const;
const lists = { does: 'read', flags: '-a --all -q --quiet --no-trunc', values: filter } as const satisfies Command;
const inspects = {
  does: 'read',
  flags: '-s --size',
  values: { format: '-f --format', word: '--type --platform' },
  operands: ['object+'],
} as const satisfies Command;
const prunes = {
  does: 'delete',
  says: 'deletes all unused',
  flags: '-a --all -f --force --volumes',
  values: { word: '--filter' },
  risk: { destroys: true },
} as const satisfies Command;
const named = { flags: '-f --force -q --quiet', operands: ['object+'] } as const;
const moving = {
  ...named,
  does: 'write',
  flags: '-f --force --attach -i --interactive -a -q --quiet',
  values: { number: '-t --time --timeout', word: '-s --signal' },
  kind: 'container',
} as const;
/** Options and operands that start a container. */
const container = {
  flags: `-d --detach --disable-content-trust --init -i --interactive --no-healthcheck --oom-kill-disable --privileged -P --publish-all -q --quiet
    --read-only --rm --sig-proxy -t --tty`,
  values: {
    word: `--add-host --annotation -a --attach --blkio-weight --cap-add --cap-drop --cgroup-parent --cgroupns -c --cpu-shares --cpu-period --cpu-quota --cpus
      --cpuset-cpus --cpuset-mems --detach-keys --dns --dns-option --dns-search --domainname --entrypoint -e --env --expose --gpus --group-add --health-cmd
      --health-interval --health-retries --health-start-period --health-timeout -h --hostname --ip --ip6 --ipc --isolation -l --label --link --log-driver
      --log-opt --mac-address -m --memory --memory-reservation --memory-swap --name --network --net --network-alias --pid --pids-limit --platform -p
      --publish --pull --restart --runtime --security-opt --shm-size --stop-signal --stop-timeout --storage-opt --sysctl --tmpfs --ulimit -u --user
      --userns --uts --volume-driver --volumes-from -w --workdir`,
    mount: '-v --volume --mount --device',
    read: '--env-file --label-file',
    write: '--cidfile',
  },
  stops: true,
  operands: ['object', 'word*'],
  kind: 'image',
  risk: { rights: /--privileged|(?:^| )(?:-v|--volume)[ =]?\/:|--pid[ =]host/ },
} as const;
const within = {
  does: 'execute',
  says: 'runs a command in',
  flags:
    '-d --detach -i --interactive -t --tty -T --no-TTY --privileged --no-deps --rm --build --remove-orphans --service-ports -P -q --quiet',
  values: {
    word: '-e --env -u --user -w --workdir --detach-keys --index --name --entrypoint -l --label -p --publish',
    read: '--env-file',
    mount: '-v --volume',
  },
  stops: true,
  operands: ['object', 'word*'],
  risk: { rights: /--privileged/ },
} as const;
const service = {
  flags: `-d --detach -a --all -q --quiet --build --no-build --force-recreate --no-recreate --no-deps --no-start --remove-orphans --wait -f --force
    --stop -v --volumes --no-color --no-log-prefix --always-recreate-deps --ignore-pull-failures --include-deps --no-cache`,
  values: { number: '-t --timeout --wait-timeout', word: '--scale --pull --build-arg --profile -s --signal --rmi' },
  operands: ['object*'],
  kind: 'service',
} as const;

export const docker: CommandProgram = {
  syntax: 'pflag',
  flags: '-D --debug',
  values: {
    word: '-c --context -l --log-level',
    unread:
      '--config -H --host --tlscacert --tlscert --tlskey --connection --url --identity --root --runroot --module --storage-driver',
  },
  refused: '--tls --tlsverify -r --remote',
  scopes: { context: '-c --context' },
  groups: {
    compose: {
      flags: '--all-resources --compatibility --dry-run --verbose',
      values: {
        source: '-f --file --env-file',
        word: '-p --project-name --project-directory --profile --progress --ansi --parallel',
      },
    },
  },
  commands: {
    'ps, container ls, container list, container ps': {
      ...lists,
      flags: `${lists.flags} -l --latest -s --size`,
      values: { ...filter, number: '-n --last' },
    },
    'images, image ls, image list': {
      ...lists,
      flags: `${lists.flags} --digests --tree`,
      operands: ['object?'],
      kind: 'image',
    },
    'volume ls, volume list, network ls, network list, node ls, service ls, service list, stack ls, context ls, plugin ls, secret ls, secret list, config ls, config list':
      lists,
    'node ps, service ps, stack ps, stack services': { ...lists, operands: ['object*'] },
    'logs, container logs, service logs': {
      does: 'read',
      flags: '-f --follow -t --timestamps --details --no-trunc --raw',
      values: { word: '--since --until', number: '-n --tail' },
      operands: ['object'],
      kind: 'container',
    },
    'top, container top, port, container port, diff, container diff': {
      does: 'read',
      operands: ['object', 'word*'],
      kind: 'container',
    },
    'stats, container stats': {
      ...lists,
      flags: `${lists.flags} --no-stream`,
      operands: ['object*'],
      kind: 'container',
    },
    'history, image history': {
      ...lists,
      flags: `${lists.flags} -H --human`,
      operands: ['object'],
      kind: 'image',
      // Untruncated, it shows the build arguments.
      secrets: /--no-trunc/,
    },
    'version, info, system info, system df, context show': {
      does: 'read',
      flags: '-v --verbose',
      values: { format: '-f --format' },
    },
    events: { does: 'read', values: { word: '--since --until -f --filter', format: '--format' } },
    search: { does: 'read', flags: '--no-trunc', values: { ...filter, number: '--limit' }, operands: ['word'] },
    'network inspect, context inspect': inspects,
    // They show environments and the contents of configs and secrets.
    'inspect, container inspect, image inspect, service inspect, task inspect, volume inspect, config inspect, secret inspect':
      {
        ...inspects,
        secrets: true,
      },
    'run, container run': { ...container, does: 'execute', says: 'starts a container of' },
    'create, container create': { ...container, does: 'write', says: 'creates a container of' },
    'exec, container exec': { ...within, kind: 'container' },
    'attach, container attach': { ...within, says: 'attaches to', kind: 'container' },
    'start, container start': { ...moving, does: 'execute', says: 'starts' },
    'stop, container stop, kill, container kill, pause, container pause': { ...moving, says: 'stops' },
    'restart, container restart, unpause, container unpause': { ...moving, says: 'restarts' },
    'rename, container rename': { does: 'write', says: 'renames', operands: ['object', 'word'], kind: 'container' },
    'rm, container rm, container remove': {
      ...named,
      does: 'delete',
      flags: `${named.flags} -v --volumes -l --link`,
      kind: 'container',
    },
    'rmi, image rm, image remove': { ...named, does: 'delete', flags: `${named.flags} --no-prune`, kind: 'image' },
    'volume rm, volume remove': { ...named, does: 'delete', kind: 'volume', risk: { destroys: true } },
    'network rm, network remove': { ...named, does: 'delete', kind: 'network' },
    'service rm, stack rm, secret rm, config rm, node rm, context rm': {
      ...named,
      does: 'delete',
      risk: { destroys: true },
    },
    'system prune, container prune, image prune, volume prune, network prune, builder prune, buildx prune': prunes,
    'volume create, network create': {
      does: 'write',
      says: 'creates',
      flags: '--attachable --internal --ipv6',
      values: { word: '-d --driver --label -o --opt --subnet --gateway --ip-range --name --scope' },
      operands: ['object?'],
    },
    'network connect, network disconnect': {
      does: 'write',
      says: 'changes',
      flags: '-f --force',
      values: { word: '--alias --ip --ip6 --link' },
      operands: ['object', 'word'],
      kind: 'network',
    },
    'service create, service update, service scale, service rollback, stack deploy, swarm init, swarm join, swarm leave, swarm update, node update, context use, context create':
      { does: 'write', says: 'changes', open: 'word', operands: ['object*'] },
    'secret create, config create': {
      does: 'write',
      says: 'creates',
      values: { word: '-d --driver -l --label --template-driver' },
      operands: ['object', 'source'],
    },
    'pull, image pull': {
      does: 'write',
      says: 'pulls',
      flags: '-a --all-tags --disable-content-trust -q --quiet',
      values: { word: '--platform' },
      operands: ['object'],
      kind: 'image',
    },
    'push, image push': {
      does: 'write',
      says: 'pushes',
      flags: '-a --all-tags --disable-content-trust -q --quiet',
      values: { word: '--platform' },
      operands: ['object'],
      kind: 'image',
    },
    'tag, image tag': { does: 'write', says: 'tags', operands: ['object', 'object'], kind: 'image' },
    'build, image build, buildx build, builder build': {
      does: 'execute',
      says: 'builds',
      flags: '--force-rm --load --no-cache --pull --push -q --quiet --rm --squash -D --debug',
      values: {
        read: '-f --file',
        word: `--add-host --build-arg --build-context --builder --cache-from --cache-to --label --network --platform --progress --shm-size --ssh -t --tag
          --target --ulimit --annotation --attest --provenance --sbom`,
        unread: '--secret --allow --call -o --output --iidfile --metadata-file',
      },
      operands: ['source'],
    },
    'commit, container commit': {
      does: 'write',
      says: 'commits',
      flags: '-p --pause',
      values: { word: '-a --author -c --change -m --message' },
      operands: ['object', 'word?'],
      kind: 'container',
    },
    'cp, container cp': {
      does: 'execute',
      says: 'copies',
      flags: '-a --archive -L --follow-link -q --quiet',
      operands: ['from', 'to'],
    },
    'save, image save, export, container export': {
      does: 'execute',
      says: 'exports',
      values: { write: '-o --output', word: '--platform' },
      operands: ['object+'],
    },
    'load, image load': { does: 'write', flags: '-q --quiet', values: { read: '-i --input', word: '--platform' } },
    'import, image import': {
      does: 'write',
      values: { word: '-c --change -m --message --platform' },
      operands: ['source', 'word?'],
    },
    'login, logout': {
      does: 'write',
      says: 'changes the login of',
      flags: '--password-stdin',
      values: { word: '-u --username', unread: '-p --password' },
      operands: ['object?'],
      kind: 'registry',
    },
    'compose ps, compose ls, compose top, compose images, compose port, compose version, compose events, compose stats':
      {
        ...lists,
        flags: `${lists.flags} --services --orphans --json --short --no-stream`,
        values: { ...filter, word: '--filter --status --protocol --index' },
        operands: ['object*'],
        kind: 'service',
      },
    'compose logs': {
      does: 'read',
      flags: '-f --follow -t --timestamps --no-color --no-log-prefix',
      values: { word: '--since --until --index', number: '-n --tail' },
      operands: ['object*'],
      kind: 'service',
    },
    // It fills in the variables of the environment.
    'compose config, compose convert': {
      does: 'read',
      flags:
        '-q --quiet --services --images --volumes --profiles --no-interpolate --no-normalize --resolve-image-digests --environment',
      values: { format: '--format', write: '-o --output', word: '--hash' },
      secrets: true,
      operands: ['object*'],
    },
    'compose up, compose start, compose create, compose watch': { ...service, does: 'execute', says: 'starts' },
    'compose build': { ...service, does: 'execute', says: 'builds' },
    'compose run': { ...within, says: 'runs a command in a new container of', kind: 'service' },
    'compose exec': { ...within, kind: 'service' },
    'compose restart, compose unpause': { ...service, does: 'write', says: 'restarts' },
    'compose stop, compose kill, compose pause': { ...service, does: 'write', says: 'stops' },
    'compose pull, compose push': { ...service, does: 'write', says: 'transfers images of' },
    'compose scale': { ...service, does: 'write', says: 'scales' },
    'compose cp': {
      does: 'execute',
      says: 'copies',
      flags: '-a -L --archive --follow-link --all',
      values: { word: '--index' },
      operands: ['from', 'to'],
    },
    'compose down': {
      ...service,
      does: 'delete',
      says: 'removes',
      risk: { destroys: /(?:^| )(?:-v|--volumes)(?: |$)/ },
    },
    'compose rm': { ...service, does: 'delete', says: 'removes' },
  },
};

/** Its namespaces are those of containerd. */
export const nerdctl: CommandProgram = {
  ...docker,
  values: {
    word: '-n --namespace -l --log-level',
    unread: '-a --address -H --host --data-root --cni-path --hosts-dir --snapshotter',
  },
  refused: '--insecure-registry',
  scopes: { namespace: '-n --namespace' },
};

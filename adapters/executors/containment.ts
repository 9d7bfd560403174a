/**
 * Isolates programs from the gateway on the same machine [executor.contained]: they get their own processes, IPC and
 * users, no network access unless allowed, and no privileges, and cannot see the hidden folders. Uses Linux user
 * namespaces, entered with `unshare` or `bwrap`, whichever this machine permits.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readlink, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

interface Permissions {
  readonly network: boolean;
}

export interface Containment {
  readonly by: 'unshare' | 'bwrap';
  /** Returns the command line that enters the sandbox and executes `line` in the same folder. */
  wrap(line: readonly string[], allowed: Permissions): string[];
}

/** Sockets of this machine's services. A program without network access could otherwise reach them by path. */
const serviceSockets = '/run';

/** File that names the DNS servers; on many machines it is a link into the sockets folder. */
const resolverFile = '/etc/resolv.conf';

/**
 * As root in a new namespace, hides each folder except for the file to keep, then switches back to the user, without
 * any privileges.
 */
const enter = `
user=$1 group=$2 kept=$3; shift 3
[ -z "$kept" ] || text=$(cat "$kept") || exit 125
for folder; do [ "$folder" = -- ] && break; mount -t tmpfs -o size=64k tmpfs "$folder" || exit 125; done
[ -z "$kept" ] || { mkdir -p "\${kept%/*}" && printf '%s\\n' "$text" > "$kept"; } || exit 125
while [ "$1" != -- ]; do mount -o remount,ro "$1" || exit 125; shift; done
shift
exec unshare --user --map-user="$user" --map-group="$group" -- \\
  setpriv --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"`;

const namespaces = ['--user', '--pid', '--ipc', '--uts'];

/** @param kept a file in a hidden folder that programs with network access can still read. */
type ContainmentMethod = (hidden: readonly string[], kept?: string) => Containment;

export const byUnshare: ContainmentMethod = (hidden, kept) => ({
  by: 'unshare',
  wrap: (line, { network }) => [
    ...['unshare', ...namespaces, ...(network ? [] : ['--net']), '--map-root-user', '--mount', '--mount-proc'],
    ...['--fork', '--kill-child=SIGKILL', '--', 'sh', '-c', enter, 'sh'],
    ...[String(process.getuid?.()), String(process.getgid?.()), (network && kept) || '', ...hidden, '--', ...line],
  ],
});

export const byBubblewrap: ContainmentMethod = (hidden, kept) => ({
  by: 'bwrap',
  wrap: (line, { network }) => [
    ...['bwrap', '--dev-bind', '/', '/', '--proc', '/proc'],
    ...[...namespaces, ...(network ? [] : ['--net'])].map((name) => name.replace('--', '--unshare-')),
    ...hidden.flatMap((folder) => ['--tmpfs', folder]),
    ...(network && kept !== undefined ? ['--ro-bind', kept, kept] : []),
    ...['--cap-drop', 'ALL', '--die-with-parent', '--', ...line],
  ],
});

/**
 * Tries each containment method and returns one that this machine permits, or undefined if there is none.
 * @param hidden absolute paths of existing folders.
 * @param ways in the order in which they are tried.
 * @param sockets whether service sockets below /run are hidden. Programs may need them to talk to services.
 * @param resolver file that programs with network access read, even if it links into a hidden folder.
 */
export async function findContainment(
  hidden: readonly string[],
  ways: readonly ContainmentMethod[] = [byUnshare, byBubblewrap],
  sockets: 'hidden' | 'seen' = 'hidden',
  resolver: string = resolverFile,
): Promise<Containment | undefined> {
  if (process.platform !== 'linux') return undefined;
  const canary = await mkdtemp(join(tmpdir(), 'gateway-containment-'));
  try {
    await writeFile(join(canary, 'seen'), '');
    const folders = sockets === 'hidden' && existsSync(serviceSockets) ? [...hidden, serviceSockets] : hidden;
    const kept = await hiddenTarget(resolver, folders);
    for (const containment of ways)
      if (await isContained(containment([...folders, canary], kept), canary)) return containment(folders, kept);
    return undefined;
  } finally {
    await rm(canary, { recursive: true, force: true });
  }
}

/** Returns the file's link target if it is in one of the hidden folders. */
async function hiddenTarget(file: string, folders: readonly string[]): Promise<string | undefined> {
  const target = await realpath(file).catch(() => undefined);
  return target !== undefined && folders.some((folder) => target.startsWith(`${folder}/`)) ? target : undefined;
}

/** Checks that a contained program sees neither the hidden folder nor the machine's processes. */
async function isContained(containment: Containment, hidden: string): Promise<boolean> {
  const probe = 'test ! -e "$1/seen" && test "$(readlink /proc/self/ns/pid)" != "$2" && test ! -e "/proc/$3"';
  const outside = [await readlink('/proc/self/ns/pid'), await largestProcessId()];
  const [file = '', ...args] = containment.wrap(['sh', '-c', probe, 'sh', hidden, ...outside], { network: false });
  const env = { PATH: process.env.PATH ?? '' };
  return promisify(execFile)(file, args, { env, timeout: 10_000 }).then(
    () => true,
    () => false,
  );
}

/** Returns the largest process id. In a process namespace of its own, a program's ids start at 1. */
const largestProcessId = async (): Promise<string> =>
  String(Math.max(process.pid, ...(await readdir('/proc')).map(Number).filter(Number.isInteger)));

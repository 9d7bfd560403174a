/**
 * Keeps programs away from the gateway they run beside [executor.contained]: their own processes, IPC and users, no network
 * unless allowed, no rights, and without the folders that are to be hidden. By Linux user namespaces, entered with
 * `unshare` or `bwrap`, whichever this machine permits.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Allowed {
  readonly network: boolean;
}

export interface Containment {
  readonly by: 'unshare' | 'bwrap';
  /** The command line that enters the containment and becomes `line`, in the same folder. */
  wrap(line: readonly string[], allowed: Allowed): string[];
}

/** Sockets of the machine's services: a program without network reaches them by path. */
const serviceSockets = '/run';

/** As root of a new namespace: hides each folder, then becomes the user again, without any right. */
const enter = `
user=$1 group=$2; shift 2
while [ "$1" != -- ]; do mount -t tmpfs -o ro,size=4k tmpfs "$1" || exit 125; shift; done
shift
exec unshare --user --map-user="$user" --map-group="$group" -- \\
  setpriv --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"`;

const namespaces = ['--user', '--pid', '--ipc', '--uts'];

export type Way = (hidden: readonly string[]) => Containment;

export const byUnshare: Way = (hidden) => ({
  by: 'unshare',
  wrap: (line, { network }) => [
    ...['unshare', ...namespaces, ...(network ? [] : ['--net']), '--map-root-user', '--mount', '--mount-proc'],
    ...['--fork', '--kill-child=SIGKILL', '--', 'sh', '-c', enter, 'sh'],
    ...[String(process.getuid?.()), String(process.getgid?.()), ...hidden, '--', ...line],
  ],
});

export const byBubblewrap: Way = (hidden) => ({
  by: 'bwrap',
  wrap: (line, { network }) => [
    ...['bwrap', '--dev-bind', '/', '/', '--proc', '/proc'],
    ...[...namespaces, ...(network ? [] : ['--net'])].map((name) => name.replace('--', '--unshare-')),
    ...hidden.flatMap((folder) => ['--tmpfs', folder]),
    ...['--cap-drop', 'ALL', '--die-with-parent', '--', ...line],
  ],
});

/**
 * What this machine permits, found by trying; undefined where it permits none.
 * @param hidden absolute paths of folders that exist.
 * @param ways in the order in which they are tried.
 * @param sockets whether sockets of services below /run are hidden. Programs with network may need them to look up names.
 */
export async function findContainment(
  hidden: readonly string[],
  ways: readonly Way[] = [byUnshare, byBubblewrap],
  sockets: 'hidden' | 'seen' = 'hidden',
): Promise<Containment | undefined> {
  if (process.platform !== 'linux') return undefined;
  const canary = await mkdtemp(join(tmpdir(), 'gateway-containment-'));
  try {
    await writeFile(join(canary, 'seen'), '');
    const folders = sockets === 'hidden' && existsSync(serviceSockets) ? [...hidden, serviceSockets] : hidden;
    for (const containment of ways)
      if (await holds(containment([...folders, canary]), canary)) return containment(folders);
    return undefined;
  } finally {
    await rm(canary, { recursive: true, force: true });
  }
}

/** Whether a program in it sees neither the hidden folder nor the machine's processes. */
async function holds(containment: Containment, hidden: string): Promise<boolean> {
  const probe = 'test ! -e "$1/seen" && test "$(readlink /proc/self/ns/pid)" != "$2" && test ! -e "/proc/$3"';
  const outside = [await readlink('/proc/self/ns/pid'), await largestProcessId()];
  const [file = '', ...args] = containment.wrap(['sh', '-c', probe, 'sh', hidden, ...outside], { network: false });
  const env = { PATH: process.env.PATH ?? '' };
  return promisify(execFile)(file, args, { env, timeout: 10_000 }).then(
    () => true,
    () => false,
  );
}

/** In a process namespace of its own a program counts from 1. */
const largestProcessId = async (): Promise<string> =>
  String(Math.max(process.pid, ...(await readdir('/proc')).map(Number).filter(Number.isInteger)));

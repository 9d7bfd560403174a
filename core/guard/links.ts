/**
 * Finds paths that lie within a root according to their text, but whose links lead out of it. Applies only to servers
 * on this machine, because paths on another machine cannot be resolved here [guard.roots].
 */
import type { ArgumentFinding } from './arguments.ts';
import { readingsOf } from './location-readings.ts';
import { isBelowRoot, type Root, rootOf } from './root.ts';
import { eachPlace, type RootLists } from './roots.ts';

/** The file system of this machine. */
export interface LinkResolver {
  /**
   * Resolves all links in the existing part of a path and keeps the rest. A relative path starts in the servers'
   * working folder. Undefined if the path cannot be resolved because of a cycle or an unreadable folder.
   */
  follow(path: string): Promise<string | undefined>;
}

const maxPlaces = 64;

/**
 * Returns findings for paths that lead out of the roots.
 * @throws RangeError for arguments that are nested too deeply.
 */
export async function outsideByLinks(
  parameters: Readonly<Record<string, unknown>>,
  lists: RootLists,
  { follow }: LinkResolver,
): Promise<ArgumentFinding[]> {
  const folders = lists.map((list) => list.map(rootOf).filter((root): root is Root => root?.space === 'file'));
  if (folders.every((list) => list.length === 0)) return [];
  const followed = await Promise.all(
    folders.map((list) => Promise.all(list.map((root) => followedRoot(root, follow)))),
  );
  const findings: ArgumentFinding[] = [];
  let left = maxPlaces;
  for (const { place, where } of eachPlace(parameters)) {
    const paths = pathsOf(place, folders.flat());
    left -= paths.length;
    if (left < 0)
      return [...findings, leadsOut(where, 'More places than the gateway follows; some may lead out of the roots.')];
    const ends = await Promise.all(paths.map(follow));
    const isInside = ends.every(
      (end) =>
        end !== undefined &&
        followed.every((list) => list.length === 0 || isBelowRoot(end.replaceAll('\\', '/'), list)),
    );
    if (!isInside)
      findings.push(leadsOut(where, 'A link on this path leads out of the declared roots, or cannot be followed.'));
  }
  return findings;
}

async function followedRoot(root: Root, follow: LinkResolver['follow']): Promise<Root> {
  const end = await follow(root.path);
  return (end !== undefined && rootOf(end)) || root;
}

/**
 * Returns the paths that a place may refer to. Servers resolve a relative path from their working folder or from a
 * root.
 */
function pathsOf(place: string, roots: readonly Root[]): string[] {
  const paths = (readingsOf(place) ?? []).flatMap((reading) => {
    const root = rootOf(reading);
    if (root) return root.space === 'file' ? [root.path] : [];
    return [reading, ...roots.map(({ path }) => `${path}/${reading}`)];
  });
  return [...new Set(paths)];
}

const leadsOut = (where: string, description: string): ArgumentFinding => ({
  kind: 'outside_roots',
  where,
  severity: 'high',
  description,
});

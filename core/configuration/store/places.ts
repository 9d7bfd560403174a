/**
 * Locations of a version's rules. They are stored separately, because a version's content does not depend on the layout
 * of its file [policy-version.numbered].
 */
import type { ObjectStore } from '#core/kernel/ports.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { remembered } from '#core/kernel/remembered.ts';
import type { ConfigStore, VersionRow } from '../ports.ts';

/** Locations of rules, each as `file:line`. */
export interface RulePlaces {
  /** Locations in policy order: the configuration's own rules, then those of its pack. */
  readonly rules: readonly string[];
  readonly guards: Readonly<Record<string, string>>;
  /** Locations of level rules, by the path of the level. */
  readonly levels: Readonly<Record<string, readonly string[]>>;
}

/** Reference to a rule: its index in the list, if known, and the text of `matched_rule`. */
interface NamedRule {
  readonly index?: number | undefined;
  readonly rule: string;
}

/** Function that finds the location of a rule. Returns undefined if it is not a rule, or if the version has no file. */
export type FindPlace = (named: NamedRule) => string | undefined;

interface Stores {
  readonly configStore: Pick<ConfigStore, 'ever'>;
  readonly objects: Pick<ObjectStore, 'get'>;
}

/** Maximum number of versions with cached locations. Approval lists refer to only a few. */
const maxKnown = 8;
const knownOf = remembered((_: Stores['configStore']) => new RecentMap<number, FindPlace>({ max: maxKnown }));

/**
 * Returns a function that looks up the locations of a version's rules. Never rejects, because locations are optional in
 * responses.
 */
export async function placesOfVersion(stores: Stores, version: number): Promise<FindPlace> {
  const ofStore = knownOf(stores.configStore);
  const known = ofStore.get(version);
  if (known) return known;
  try {
    const row = await stores.configStore.ever(version);
    const find = row ? await placesOf(stores.objects, row) : noRulePlaces;
    ofStore.set(version, find);
    return find;
  } catch {
    return noRulePlaces;
  }
}

/** Finds no location, because the version has no file or line numbers in its merged text are meaningless. */
export const noRulePlaces: FindPlace = () => undefined;

async function placesOf(objects: Stores['objects'], row: VersionRow): Promise<FindPlace> {
  const places = await readPlaces(objects, row);
  return places ? findIn(places) : noRulePlaces;
}

/** Reads the rule locations of a version. Returns undefined if it has no file. */
export async function readPlaces(
  objects: Stores['objects'],
  { places_sha256 }: VersionRow,
): Promise<RulePlaces | undefined> {
  const bytes = places_sha256 === undefined ? undefined : await objects.get(places_sha256);
  return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as RulePlaces);
}

export const findIn =
  ({ rules, guards, levels }: RulePlaces): FindPlace =>
  ({ index, rule }) => {
    if (rule.startsWith('guard:')) return ownProperty(guards, rule.slice('guard:'.length));
    if (rule.startsWith('level:')) return ofLevel(levels, rule.slice('level:'.length), index);
    return index === undefined || index < 0 ? undefined : rules[index];
  };

/**
 * Finds the line of a level rule. Its name is `<path>:<protocol>:<tool>`, and paths contain no colons. Without an
 * index, several rules with the same name are ambiguous.
 */
function ofLevel(levels: RulePlaces['levels'], name: string, index: number | undefined): string | undefined {
  const lines = ownProperty(levels, name.slice(0, name.indexOf(':'))) ?? [];
  return index === undefined ? (lines.length === 1 ? lines[0] : undefined) : lines[index];
}

const ownProperty = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

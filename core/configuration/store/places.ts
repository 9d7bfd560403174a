/**
 * The places of a version's rules, kept beside it: the content of a version is the same whatever its file looks like
 * [policy-version.places].
 */
import type { ObjectStore } from '#core/kernel/ports.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { remembered } from '#core/kernel/remembered.ts';
import type { ConfigStore, VersionRow } from '../ports.ts';

/** Each as `file:line`. */
export interface RulePlaces {
  /** In the order of the policy: the configuration's own, then those of its pack. */
  readonly rules: readonly string[];
  readonly guards: Readonly<Record<string, string>>;
  /** By the path of the level. */
  readonly levels: Readonly<Record<string, readonly string[]>>;
}

/** What names a rule: its place in the list where one is known, and what `matched_rule` says. */
interface NamedRule {
  readonly index?: number | undefined;
  readonly rule: string;
}

/** Undefined for what is not a rule, and where the version came without a file. */
export type FindPlace = (named: NamedRule) => string | undefined;

interface Stores {
  readonly configStore: Pick<ConfigStore, 'ever'>;
  readonly objects: Pick<ObjectStore, 'get'>;
}

/** Versions whose places are remembered: lists of approvals name a few. */
const maxKnown = 8;
const knownOf = remembered((_: Stores['configStore']) => new RecentMap<number, FindPlace>({ max: maxKnown }));

/** Of a version by its number. Never rejects: an answer without a place is an answer. */
export async function placesOfVersion(stores: Stores, version: number): Promise<FindPlace> {
  const ofStore = knownOf(stores.configStore);
  const known = ofStore.get(version);
  if (known) return known;
  try {
    const row = await stores.configStore.ever(version);
    const find = row ? await placesOf(stores.objects, row) : nowhere;
    ofStore.set(version, find);
    return find;
  } catch {
    return nowhere;
  }
}

const nowhere: FindPlace = () => undefined;

async function placesOf(objects: Stores['objects'], row: VersionRow): Promise<FindPlace> {
  const places = await readPlaces(objects, row);
  return places ? findIn(places) : nowhere;
}

/** Undefined where the version came without a file. */
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
    if (rule.startsWith('guard:')) return own(guards, rule.slice('guard:'.length));
    if (rule.startsWith('level:')) return ofLevel(levels, rule.slice('level:'.length), index);
    return index === undefined || index < 0 ? undefined : rules[index];
  };

/** `<path>:<protocol>:<tool>`; paths hold no colon. Of several rules without an index none is meant for certain. */
function ofLevel(levels: RulePlaces['levels'], name: string, index: number | undefined): string | undefined {
  const lines = own(levels, name.slice(0, name.indexOf(':'))) ?? [];
  return index === undefined ? (lines.length === 1 ? lines[0] : undefined) : lines[index];
}

const own = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** Compares the active version and its keys with the administrative actions that activated versions. */
import type { HeldBindings, StoredKeyDigests, VersionRow } from '#core/configuration/ports.ts';
import {
  type BindingsInEvidence,
  bindingsInEvidence,
  type KeysInEvidence,
  keysInEvidence,
} from '#core/configuration/store/keys-in-evidence.ts';
import { readBody } from '#core/configuration/store/stored-form.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { type AdministrativeEntries, actText, dayOf, daysBetween, tenantsToSearch } from './acts.ts';
import type { AuditCall, ComparisonResult, Difference } from './compared.ts';

interface VersionActivation {
  readonly version: number;
  readonly sha256: unknown;
  readonly keys: unknown;
  readonly bindings: unknown;
  readonly at: string;
  /** Description of the administrative action. */
  readonly said: string;
}

export async function compareConfiguration(asked: AuditCall, acts: AdministrativeEntries): Promise<ComparisonResult> {
  const held = await asked.ports.configStore.inForce();
  if (!held) return { counts: {}, differences: [], notChecked: ['configuration: none is stored'] };
  const { row, keys } = held;
  const bound = await asked.ports.configStore.bindings();
  const { putting, skippedDays, skippedTenants } = await actsSince(asked, acts, row);
  const own = putting.filter(({ version }) => version === row.version).at(-1);
  const newest = putting.at(-1);
  const kept = await asked.ports.configStore.ever(row.version);
  const inForce = `version ${row.version} with SHA-256 ${row.sha256}`;
  const differences: Difference[] = [];
  const differs = (what: string, evidence: string) =>
    void differences.push({ of: 'configuration', what, in_force: inForce, evidence });

  if (!own)
    differs(`version ${row.version}`, `no act of ${row.created_at.slice(0, 10)} or later put this version in force`);
  else if (own.sha256 !== row.sha256)
    differs(`version ${row.version}`, `${own.said} put version ${own.version} with SHA-256 ${own.sha256} in force`);
  if (newest && newest.version > row.version)
    differs('the version in force', `${newest.said} put version ${newest.version} in force`);
  if (!kept || canonicalize(kept) !== canonicalize(row))
    differs(
      `the row of version ${row.version}`,
      kept ? 'the stored copy of the row differs' : 'no copy of the row is stored',
    );

  return {
    counts: {
      configuration_acts: putting.length,
      keys: Object.keys(keys.digests).length,
      bindings: Object.keys(bound.names).length,
    },
    differences: [...differences, ...keyDifferences(keys, own), ...bindingDifferences(bound, own)],
    notChecked: [
      ...(own && own.keys === undefined
        ? [`keys: ${own.said} does not name them; \`agentctl config refresh-keys\` records them`]
        : []),
      ...(own && own.bindings === undefined
        ? [`bindings of secrets: ${own.said} does not name them; \`agentctl config refresh-keys\` records them`]
        : []),
      ...(skippedDays > 0 ? [`configuration: acts of ${skippedDays} days since the version was stored`] : []),
      ...(skippedTenants > 0
        ? [`configuration: acts of ${skippedTenants} tenants that no platform caller belongs to`]
        : []),
    ],
  };
}

/** Returns one difference per key if the entry names the keys, or otherwise one for all of them. */
function keyDifferences(held: StoredKeyDigests, act: VersionActivation | undefined): Difference[] {
  const said = act?.keys as Partial<KeysInEvidence> | undefined;
  const stored = keysInEvidence(held);
  return namedDifferences(
    'keys',
    said && { ...said, names: said.ids },
    { ...stored, names: stored.ids },
    {
      whole: 'the digests of keys',
      shown: (id) => (id === undefined ? 'no key' : `key ${id}`),
    },
  );
}

/** Returns one difference per bound secret. */
const bindingDifferences = ({ names }: HeldBindings, act: VersionActivation | undefined): Difference[] =>
  namedDifferences('binding', act?.bindings as Partial<BindingsInEvidence> | undefined, bindingsInEvidence(names), {
    whole: 'the addresses and purposes of secrets',
    shown: (digest) => (digest === undefined ? 'no binding' : `addresses and purposes (SHA-256 ${digest}…)`),
  });

interface NamedDigests {
  readonly sha256?: unknown;
  readonly names?: Readonly<Record<string, string>> | undefined;
}

function namedDifferences(
  of: Difference['of'],
  said: NamedDigests | undefined,
  stored: NamedDigests,
  { whole, shown }: { readonly whole: string; readonly shown: (value: string | undefined) => string },
): Difference[] {
  if (said === undefined || said.sha256 === stored.sha256) return [];
  const [before, after] = [said.names ?? {}, stored.names ?? {}];
  const text = (names: Readonly<Record<string, string>>, name: string) =>
    shown(Object.hasOwn(names, name) ? names[name] : undefined);
  const each = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .sort()
    .filter((name) => text(before, name) !== text(after, name))
    .map((what) => ({ of, what, in_force: text(after, what), evidence: text(before, what) }));
  if (each.length > 0) return each;
  return [{ of, what: whole, in_force: String(stored.sha256), evidence: String(said.sha256) }];
}

/** Maximum number of sessions with administrative actions. There is one per tenant and day. */
const maxSessions = 2_000;

/**
 * Returns the actions that activated versions, oldest first, starting with the day of the current version. The
 * following day is included, because an action is recorded after its version is stored.
 */
async function actsSince(
  asked: AuditCall,
  acts: AdministrativeEntries,
  row: VersionRow,
): Promise<{
  readonly putting: readonly VersionActivation[];
  readonly skippedDays: number;
  readonly skippedTenants: number;
}> {
  const { tenants, left } = await tenantsAround(asked, row);
  const days = daysBetween(dayOf(row.created_at), dayOf(asked.ports.clock.now()));
  const most = Math.max(4, Math.floor(maxSessions / tenants.length));
  // The first two days contain the action for this version, the last ones later actions.
  const read = days.length <= most ? days : [...days.slice(0, 2), ...days.slice(2 - most)];
  const putting = (await acts.of(tenants, read)).flatMap(actOf);
  return {
    putting: putting.sort((one, other) => one.version - other.version || (one.at < other.at ? -1 : 1)),
    skippedDays: days.length - read.length,
    skippedTenants: left,
  };
}

function actOf(entry: EvidenceEntry): VersionActivation[] {
  const { action, policy_version, sha256, keys, bindings } = entry.body;
  if (!puttingInForce.has(String(action)) || typeof policy_version !== 'number') return [];
  return [{ version: policy_version, sha256, keys, bindings, at: entry.timestamp, said: actText(entry) }];
}

const puttingInForce: ReadonlySet<string> = new Set([
  ...['config.put', 'config.import', 'config.refresh-keys', 'policy.rollback', 'federation.adopt'],
]);

/**
 * Offsets of neighbouring versions whose tenants are also searched, because the actor may belong to a tenant that is
 * not in this version.
 */
const around = [-2, -1, 0, 1, 2, 3];

async function tenantsAround({ ports, principal }: AuditCall, { version }: VersionRow) {
  const likely = new Set([principal.tenant]);
  const others = new Set<string>();
  for (const step of around) {
    const row = await ports.configStore.ever(version + step);
    const configuration = row && (await readBody(ports, row).catch(() => undefined));
    if (!configuration) continue;
    for (const id of homesOf(configuration)) likely.add(id);
    for (const { id } of configuration.tenants) others.add(id);
  }
  return tenantsToSearch(likely, others);
}

/**
 * Returns the tenants of callers that may activate a version: the first tenant, to which the admin token belongs, and
 * those of platform callers. With `X-Tenant-ID`, such a caller may also act in another tenant.
 */
function homesOf({ tenants, identity }: Pick<Configuration, 'tenants' | 'identity'>): string[] {
  const callers = [...identity.oidc.flatMap((issuer) => issuer.callers), ...identity.aws.callers];
  const ofIssuers = callers
    .filter(({ platform }) => platform)
    .flatMap((each) => [
      ...('tenants' in each ? each.tenants : []),
      ...(each.tenant === undefined ? [] : [each.tenant]),
    ]);
  const ofKeys = tenants.filter(({ api_keys }) => api_keys.some(({ platform }) => platform)).map(({ id }) => id);
  return [...tenants.slice(0, 1).map(({ id }) => id), ...ofKeys, ...ofIssuers];
}

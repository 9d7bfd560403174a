/** The version in force and its keys, beside the administrative acts that put versions in force. */
import type { StoredKeyDigests, VersionRow } from '#core/configuration/ports.ts';
import { type KeysInEvidence, keysInEvidence } from '#core/configuration/store/keys-in-evidence.ts';
import { readBody } from '#core/configuration/store/stored-form.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { adminSession } from '#core/evidence/admin-session.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { sideBySide } from '#core/kernel/side-by-side.ts';
import type { Call } from '../operation.ts';
import type { Compared, Difference } from './compared.ts';

type Asked = Pick<Call, 'ports' | 'principal'>;

interface Act {
  readonly version: number;
  readonly sha256: unknown;
  readonly keys: unknown;
  readonly at: string;
  readonly by: string;
  readonly action: string;
}

export async function compareConfiguration(asked: Asked): Promise<Compared> {
  const held = await asked.ports.configStore.inForce();
  if (!held) return { counts: {}, differences: [], notChecked: ['configuration: none is stored'] };
  const { row, keys } = held;
  const { acts, skippedDays } = await actsSince(asked, row);
  const own = acts.filter(({ version }) => version === row.version).at(-1);
  const newest = acts.at(-1);
  const kept = await asked.ports.configStore.ever(row.version);
  const inForce = `version ${row.version} with SHA-256 ${row.sha256}`;
  const differences: Difference[] = [];
  const differs = (what: string, evidence: string) =>
    void differences.push({ of: 'configuration', what, in_force: inForce, evidence });

  if (!own)
    differs(`version ${row.version}`, `no act of ${row.created_at.slice(0, 10)} or later put this version in force`);
  else if (own.sha256 !== row.sha256)
    differs(`version ${row.version}`, `${saying(own)} put version ${own.version} with SHA-256 ${own.sha256} in force`);
  if (newest && newest.version > row.version)
    differs('the version in force', `${saying(newest)} put version ${newest.version} in force`);
  if (!kept || canonicalize(kept) !== canonicalize(row))
    differs(`the row of version ${row.version}`, kept ? 'the row kept of it is another' : 'no row of it is kept');

  return {
    counts: { configuration_acts: acts.length, keys: Object.keys(keys.digests).length },
    differences: [...differences, ...keyDifferences(keys, own)],
    notChecked: [
      ...(own && own.keys === undefined
        ? [`keys: ${saying(own)} does not name them; \`agentctl config refresh-keys\` records them`]
        : []),
      ...(skippedDays > 0 ? [`configuration: acts of ${skippedDays} days since the version was stored`] : []),
    ],
  };
}

const saying = ({ action, at, by }: Act): string => `${action} at ${at} by ${by}`;

/** One difference for each key, where the entry names them; else one for all. */
function keyDifferences(held: StoredKeyDigests, act: Act | undefined): Difference[] {
  const said = act?.keys as Partial<KeysInEvidence> | undefined;
  if (said === undefined) return [];
  const stored = keysInEvidence(held);
  if (said.sha256 === stored.sha256) return [];
  const [before, after] = [said.ids ?? {}, stored.ids ?? {}];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const shown = (ids: Readonly<Record<string, string>>, name: string) =>
    Object.hasOwn(ids, name) ? `key ${ids[name]}` : 'no key';
  const each = names
    .filter((name) => shown(before, name) !== shown(after, name))
    .map((what) => ({ of: 'keys' as const, what, in_force: shown(after, what), evidence: shown(before, what) }));
  if (each.length > 0) return each;
  const whole = { what: 'the digests of keys', in_force: stored.sha256, evidence: String(said.sha256) };
  return [{ of: 'keys', ...whole }];
}

const dayMs = 24 * 3_600_000;
/** Sessions of administrative acts that are read: one for each tenant and day. */
const maxSessions = 2_000;
const atOnce = 10;

/**
 * The acts that put a version in force, oldest first, since the day of the one that is. An act is recorded after its version is stored, so
 * the day after counts as its day as well.
 */
async function actsSince(
  asked: Asked,
  row: VersionRow,
): Promise<{ readonly acts: readonly Act[]; readonly skippedDays: number }> {
  const { clock, evidence } = asked.ports;
  const tenants = await tenantsAround(asked, row);
  const first = Math.floor(Date.parse(row.created_at) / dayMs);
  const last = Math.floor(clock.now() / dayMs);
  const days = Array.from({ length: Math.max(1, last - first + 1) }, (_, nth) => first + nth);
  const most = Math.max(4, Math.floor(maxSessions / tenants.length));
  // The first two days hold the act of this version, the last ones what came after it.
  const read = days.length <= most ? days : [...days.slice(0, 2), ...days.slice(2 - most)];
  const sessions = read.flatMap((day) => tenants.map((tenant) => ({ tenant, id: adminSession(tenant, day * dayMs) })));
  const acts: Act[] = [];
  await sideBySide(sessions, atOnce, async ({ tenant, id }) => {
    for await (const entry of evidence.entries(tenant, id)) acts.push(...actOf(entry));
  });
  return {
    acts: acts.sort((one, other) => one.version - other.version || (one.at < other.at ? -1 : 1)),
    skippedDays: days.length - read.length,
  };
}

function actOf({ kind, body, timestamp, actor }: EvidenceEntry): Act[] {
  const { action, policy_version, sha256, keys } = body;
  if (kind !== 'admin' || !puttingInForce.has(String(action)) || typeof policy_version !== 'number') return [];
  const by = actor.person ?? actor.key_id;
  return [{ version: policy_version, sha256, keys, at: timestamp, by, action: String(action) }];
}

const puttingInForce: ReadonlySet<string> = new Set([
  ...['config.put', 'config.import', 'config.refresh-keys', 'policy.rollback', 'federation.adopt'],
]);

/** Versions on either side of the one in force whose tenants are looked through: who stored another may belong to a tenant that this one does not have. */
const around = [-2, -1, 0, 1, 2, 3];

async function tenantsAround({ ports, principal }: Asked, { version }: VersionRow): Promise<string[]> {
  const tenants = new Set([principal.tenant]);
  for (const step of around) {
    const row = await ports.configStore.ever(version + step);
    const configuration = row && (await readBody(ports.objects, row).catch(() => undefined));
    for (const { id } of configuration?.tenants ?? []) tenants.add(id);
  }
  return [...tenants];
}

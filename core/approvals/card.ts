/** The facts of an approval in reading order, each with a label and its text. All channels show the same facts. */
import type { ApprovalRow, EffectRisk } from '#core/contracts/approval.ts';
import { childPath } from '#core/text/secrets/json-path.ts';
import { shorten, visibleText } from '#core/text/secrets/visible-text.ts';
import { tighteningText } from './terms.ts';
import { missingVotesText } from './views.ts';

type Fact = readonly [label: string, text: string];

/**
 * Returns the gateway's own facts, then the caller's claims. Facts missing from the row are omitted.
 * @param place the rule's location, as `file:line` [approval.card].
 */
export function factsOf(row: ApprovalRow, place = ''): Fact[] {
  const { tool, upstream, target, capability, tenant, session_id, matched_rule, rule_reason, withheld } = row;
  const rule = row.policy === undefined ? '' : ` (policy ${row.policy}, version ${row.policy_version})`;
  const facts: readonly Fact[] = [
    ['Tool', upstream === undefined ? tool : `${tool} at ${upstream}${namedThere(row)}`],
    ['Target', target],
    ['Capability', capability],
    ['Key', keyLabel(row)],
    ['Tenant', tenant],
    ['Session', session_id],
    ['Rule', matched_rule + rule],
    ['Rule at', place],
    ['Reason', rule_reason ?? ''],
    ['Sources', (row.sources ?? []).join(' ')],
    ['Credential', credentialOf(row)],
    ['Needs', row.requires ? missingVotesText(row) : ''],
    ['Passkey', row.require_passkey ? 'required for each approval: approve in the web console' : ''],
    ['Changed', tighteningText(row) ?? ''],
    ['Cannot run', row.obstacle ?? ''],
    ['Risk', riskOf(row)],
    ['Withheld', withheld.join(', ')],
    ['Label', `not verified, given by the caller: ${row.actor.agent}`],
    ['Why', row.justification === '' ? '' : `in the caller's words: ${row.justification}`],
  ];
  return facts.filter(([, text]) => text !== '');
}

/** Labels of facts that come from the gateway and are not part of the call. */
export const ownFacts: ReadonlySet<string> = new Set([
  'Rule',
  'Rule at',
  'Reason',
  'Credential',
  'Needs',
  'Passkey',
  'Changed',
  'Cannot run',
  'Risk',
]);

const namedThere = ({ upstream_tool }: ApprovalRow): string =>
  upstream_tool === undefined ? '' : ` (${upstream_tool} there)`;

/** Returns the data that the server would get: the parameters and the values sent with them. */
export const sentOf = ({
  parameters,
  sent_with,
}: Pick<ApprovalRow, 'parameters' | 'sent_with'>): Readonly<Record<string, unknown>> =>
  sent_with === undefined ? parameters : { arguments: parameters, sent_with };

/** Describes the authenticated key and its owner, never the key itself. */
function keyLabel({ key_name, key_kind, key_owner }: ApprovalRow): string {
  const kind = key_kind === undefined ? '' : ` (${key_kind} key)`;
  const owner = key_owner === undefined ? ', no owner' : `, owner ${key_owner}`;
  return key_name === undefined ? '' : `${key_name}${kind}${owner}`;
}

const credentialOf = ({ credential }: ApprovalRow): string =>
  credential === undefined
    ? ''
    : `${credential.scope} for ${credential.ttl_seconds} s, from the broker ${credential.broker}`;

const riskOf = ({ risk }: ApprovalRow): string =>
  risk === undefined ? '' : `session ${risk.session}, key ${risk.key} (calls are blocked at ${risk.kill_switch})`;

/** Returns the wording for a risk, such as `sends out`. */
export const riskWord = (risk: EffectRisk): string => (risk === 'sends' ? 'sends out' : risk);

/** Returns one sentence with the call's effect and risk: `Deletes pod x in namespace shop (deletes)`. */
export const summaryOf = ({ summary }: Pick<ApprovalRow, 'summary'>): string | undefined =>
  summary && `${summary.text} (${riskWord(summary.risk)})`;

/** Returns one line per effect of the raw call, each with its risk; none if the summary says the same. */
export const effectsOf = ({ effects = [], effect_risks: risks = [], summary }: ApprovalRow): readonly string[] =>
  effects.length === 1 && effects[0] === summary?.text
    ? []
    : effects.map((text, index) => (risks[index] === undefined ? text : `${text} (${riskWord(risks[index])})`));

/** Returns a row's executable text in full, each piece with its path within the call. */
export function executedTexts({ executed = [], target, parameters, withheld }: ApprovalRow): Fact[] {
  const whole = { target, parameters };
  return executed.flatMap((path): Fact[] => {
    const text = withheld.includes(path) ? undefined : valueAtPath(whole, path);
    const shown = typeof text === 'string' ? text : JSON.stringify(text, null, 1);
    return shown === undefined ? [] : [[path.replace(/^\$\./, ''), shown]];
  });
}

/** Returns the sent data as JSON. Executable text is replaced by a note, because it is shown separately. */
export function sentBesideExecuted(row: ApprovalRow): string {
  const apart = new Set(executedTexts(row).map(([path]) => `$.${path}`));
  const named = (value: unknown, path: string): unknown => {
    if (apart.has(path)) return '(shown above, whole)';
    if (Array.isArray(value)) return value.map((item, index) => named(item, childPath(path, index)));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, named(item, childPath(path, key))]));
  };
  return JSON.stringify(
    sentOf({ ...row, parameters: named(row.parameters, '$.parameters') as ApprovalRow['parameters'] }),
    null,
    1,
  );
}

/**
 * Returns the names of all members of a call that is too long to display, and the beginning of each value
 * [approval.whole-or-deny].
 */
export function beginningOf(row: ApprovalRow, room: number): readonly [names: string, values: string] {
  const members = Object.entries(sentOf(row));
  const names = members.map(([name]) => visibleText(shorten(JSON.stringify(name), 200)));
  const share = Math.max(0, Math.floor(room / Math.max(1, members.length)) - 40);
  const values = members.map(([name, value]) =>
    visibleText(shorten(`${JSON.stringify(name)}: ${JSON.stringify(value)}`, share)),
  );
  return [`${members.length}: ${names.join(', ')}`, values.join('\n')];
}

/** Returns the value at a path written by `childPath`. */
function valueAtPath(value: unknown, path: string): unknown {
  let found: unknown = value;
  for (const [, name, quoted, index] of path.matchAll(/\.([A-Za-z_$][\w$-]*)|\[("(?:[^"\\]|\\.)*")\]|\[(\d+)\]/g)) {
    const key = name ?? index ?? (JSON.parse(quoted!) as string);
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}

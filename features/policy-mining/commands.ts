/** `policy mine`: derives the smallest rule set that allows recorded traffic, offline [cli.policy-mine]. */

import { fileBytes } from '#agentctl/call-options.ts';
import { addCommand, type Cli, type FeatureCommand, type Outcome, type Parent } from '#agentctl/command.ts';
import { UsageError } from '#agentctl/failure.ts';
import { saveWhole } from '#agentctl/files.ts';
import type { ToolPolicyDocument } from '#core/contracts/tool-policy.ts';
import { fields } from '#core/kernel/json-fields.ts';
import { jsonOrUndefined } from '#core/kernel/json-or-undefined.ts';
import type { PolicyDiff } from '#core/policy/rules/analysis/diff.ts';
import type { Load, MinedPolicy } from './mine.ts';
import type { RecordedCall } from './recorded-calls.ts';

interface MineOptions {
  readonly from: readonly string[];
  readonly policy?: string;
  readonly out?: string;
}

export const commands: readonly FeatureCommand[] = [{ after: 'policy diff', add: addPolicyMine }];

function addPolicyMine(parent: Parent): void {
  addCommand<MineOptions>(parent, {
    usage: 'mine',
    summary: 'Propose the fewest rules that allow the recorded allowed calls, and none that were blocked or denied',
    examples: [
      'policy mine --from session.json',
      'policy mine --from monday.json tuesday.json --policy config/gateway.yaml --out policies/mine.yaml',
    ],
    options: (command) =>
      command
        .requiredOption(
          '--from <bundle...>',
          'exported sessions, or lists of entries as JSON or JSON lines (- for stdin)',
        )
        .option('--policy <file>', 'keep the guards and blocks of this configuration or pack, and show what changes')
        .option('--out <file>', 'write the pack into a file; the summary is printed'),
    run: mine,
  });
}

async function mine(cli: Cli, { from, policy, out }: MineOptions): Promise<Outcome> {
  const { minePolicy } = await import('./mine.ts');
  const { recordedCalls } = await import('./recorded-calls.ts');
  const { policyOf, readPolicyFile } = await import('#agentctl/policy-file.ts');
  const { lazyEffects } = await import('#agentctl/effects.ts');
  const current = policy === undefined ? undefined : policyOf(await readPolicyFile(policy));
  const recorded: RecordedCall[] = [];
  for (const file of from) recorded.push(...recordedCalls(await entriesIn(file)));
  if (recorded.length === 0)
    throw new UsageError(
      `${from.join(', ')} contain no decision on a tool call; export a session with agentctl evidence export`,
    );
  const mined = await minePolicy(recorded, lazyEffects, keptOf(current));
  const diff = current && (await differences(current, mined));
  const { stringify } = await import('#agentctl/yaml-text.ts');
  const yaml = stringify(mined.pack, { lineWidth: 140, aliasDuplicateObjects: false });
  if (out !== undefined) await saveWhole(out, async () => [Buffer.from(yaml)]);
  if (cli.globals.json) cli.out.pretty({ ...mined, ...(diff && { diff }) });
  else printReport(cli, { mined, diff, ...(out === undefined ? { yaml } : { out }) });
  return 'positive';
}

/** Keeps all guards and blocking rules, regardless of traffic. */
const keptOf = (current: ToolPolicyDocument | undefined) => ({
  guards: [...(current?.guards ?? [])],
  rules: (current?.rules ?? []).filter(({ decision }) => decision === 'block'),
  default_decision: current?.default_decision ?? ('review' as const),
});

async function differences(current: ToolPolicyDocument, { pack }: MinedPolicy): Promise<PolicyDiff> {
  const { diffPolicies } = await import('#core/policy/rules/analysis/diff.ts');
  return diffPolicies(current, pack);
}

type Entries = Parameters<typeof import('./recorded-calls.ts').recordedCalls>[0];

/** Reads recorded entries. @throws UsageError naming the file and what it may contain. */
async function entriesIn(file: string): Promise<Entries> {
  const text = fileBytes(file).toString('utf8');
  const document = jsonOrUndefined(text) ?? lines(text);
  const entries = Array.isArray(document) ? document : fields(document).entries;
  if (!Array.isArray(entries)) throw wrongFile(file, 'text that is neither a list of entries nor lines of JSON');
  const { evidenceEntrySchema } = await import('#core/contracts/evidence.ts');
  const shape = evidenceEntrySchema.pick({ kind: true, envelope_id: true, body: true });
  return entries.map((entry, at) => {
    const found = shape.safeParse({ kind: entry?.kind, envelope_id: entry?.envelope_id, body: entry?.body });
    if (!found.success) throw wrongFile(file, `no entry of evidence at position ${at + 1}`);
    return found.data;
  });
}

const wrongFile = (file: string, found: string) =>
  new UsageError(
    `${file} holds ${found}; allowed are an exported session, a JSON list of entries, and JSON lines of entries`,
  );

function lines(text: string): unknown[] | undefined {
  const found = text.split('\n').filter((line) => line.trim() !== '');
  const entries = found.map(jsonOrUndefined);
  return entries.length > 0 && entries.every((entry) => entry !== undefined) ? entries : undefined;
}

interface MiningReport {
  readonly mined: MinedPolicy;
  readonly diff: PolicyDiff | undefined;
  readonly yaml?: string;
  readonly out?: string;
}

/** Prints the report. If YAML goes to stdout, all other lines are comments, so that the output is a pack. */
function printReport({ out }: Cli, { mined, diff, yaml, out: file }: MiningReport): void {
  const say = (line: string) => out.line(yaml === undefined ? line : `# ${line}`);
  if (yaml !== undefined) out.text(yaml);
  else out.line(`wrote ${file}`);
  const { load, uncovered, narrowed, pack } = mined;
  const proposed = pack.rules.filter(({ decision }) => decision === 'allow').length;
  say(`${proposed} rules allow ${load.proposed.allow} of ${load.calls} recorded calls.`);
  for (const name of ['allow', 'review', 'block'] as const)
    say(`${name}: ${shareText(load, 'recorded', name)} recorded, ${shareText(load, 'proposed', name)} expected`);
  if (narrowed > 0) say(`narrowed ${narrowed} times, because a wider rule allowed a call that had not been allowed`);
  for (const [line, times] of countLines(uncovered.map(({ call, why }) => `${callText(call)}: ${why}`)))
    say(`not covered${times > 1 ? ` (${times} times)` : ''}: ${line}`);
  if (!diff) return;
  for (const name of ['tightened', 'loosened'] as const) {
    say(`${name}: ${diff[name].length}`);
    for (const { from, to, rule_before, rule_after, example } of diff[name])
      say(`  ${from} → ${to}  ${rule_before} → ${rule_after}, such as ${callText(example)}`);
  }
  for (const warning of diff.warnings) say(`warning: ${warning}`);
}

const shareText = (
  { calls, ...all }: Load,
  which: 'recorded' | 'proposed',
  name: 'allow' | 'review' | 'block',
): string => `${((100 * all[which][name]) / calls).toFixed(1)} %`;

const callText = ({
  protocol,
  tool,
  target,
  parameters,
}: RecordedCall['call'] | PolicyDiff['loosened'][number]['example']): string => {
  const command = parameters?.command;
  return [protocol, tool, target, typeof command === 'string' ? JSON.stringify(command.slice(0, 80)) : '']
    .filter((word) => word !== '')
    .join(' ');
};

const countLines = (all: readonly string[]): readonly (readonly [string, number])[] => {
  const times = new Map<string, number>();
  for (const line of all) times.set(line, (times.get(line) ?? 0) + 1);
  return [...times];
};

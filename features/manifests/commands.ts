/** `manifest`: session manifests, and deviations from them. */
import type { Command } from 'commander';
import { jsonFile } from '#agentctl/call-options.ts';
import { addCommand, addGroup, type FeatureCommand, type Parent } from '#agentctl/command.ts';
import { UsageError } from '#agentctl/failure.ts';
import { wholeNumber } from '#agentctl/globals.ts';
import { addOperation, showAnswer } from '#agentctl/operation-command.ts';
import type { Output } from '#agentctl/output.ts';
import { showTree } from '#agentctl/tree.ts';
import { type Fields, list } from '#core/kernel/json-fields.ts';

export const commands: readonly FeatureCommand[] = [{ after: 'tickets', add: addManifest }];

interface CreateOptions {
  readonly file?: string;
  readonly name?: string;
  readonly request?: string;
  readonly protocol?: readonly string[];
  readonly tool?: readonly string[];
  readonly resource?: readonly string[];
  readonly recipient?: readonly string[];
  readonly value?: readonly string[];
  readonly capability?: readonly string[];
  readonly maxActions?: number;
  readonly budget?: number;
  readonly expires?: string;
  readonly riskTier?: string;
  readonly attach?: readonly string[];
  readonly keyId?: string;
}

function addManifest(program: Parent): void {
  const parent = addGroup(
    program,
    'manifest',
    'Declare tasks and compare sessions with them: create, list, show, drift, delete',
  );
  addCreate(parent);
  addOperation(parent, 'listManifests');
  addOperation(parent, 'getManifest');
  addOperation(parent, 'manifestDrift', showDrift);
}

function addCreate(parent: Parent): void {
  addCommand<CreateOptions>(parent, {
    usage: 'create',
    summary: 'Declare a task: tools, resources, amounts, and when it ends',
    examples: [
      "manifest create --name docs --tool 'scm.*' --resource 'acme/web' --capability read --capability write --attach s1",
      'manifest create --file task.json',
    ],
    options: createOptions,
    run: (cli, options) => showAnswer(cli, 'createManifest', { body: manifestBody(options) }, showTree),
  });
}

const createOptions = (command: Command): Command =>
  command
    .option('--file <file>', 'the manifest as JSON (- for stdin); options below change it')
    .option('--name <name>', 'name of the task')
    .option(
      '--request <text>',
      "the person's request; without --recipient and --resource, the recipients and resources that it names are allowed",
    )
    .option('--protocol <name>', 'git, shell, sql, http, mcp (repeatable)', appendWord)
    .option('--tool <glob>', 'tools (repeatable)', appendWord)
    .option('--resource <glob>', 'targets (repeatable)', appendWord)
    .option('--recipient <glob>', 'addresses, accounts and channels that calls may reach (repeatable)', appendWord)
    .option('--value <text>', 'recipient, account or path that rules on sources trust (repeatable)', appendWord)
    .option('--capability <verb>', 'read, write, execute, delete (repeatable)', appendWord)
    .option('--max-actions <count>', 'allowed actions in a session', wholeNumber)
    .option('--budget <usd>', 'maximum cost of the model calls of a session', usd)
    .option('--expires <time>', 'ISO 8601 time (default: in 24 hours)')
    .option('--risk-tier <tier>', 'low, medium, high')
    .option('--attach <session>', 'session to attach it to (repeatable)', appendWord)
    .option('--key-id <id>', 'key to attach it to, in all its sessions');

const appendWord = (word: string, before: readonly string[] = []): readonly string[] => [...before, word];

function usd(word: string): number {
  const amount = Number(word);
  if (word.trim() !== '' && Number.isFinite(amount) && amount >= 0) return amount;
  throw new UsageError(`--budget takes an amount in USD such as 2.50, got ${JSON.stringify(word)}`);
}

function manifestBody({ file, ...options }: CreateOptions): Fields {
  const whole = file === undefined ? {} : jsonFile('--file', file);
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole))
    throw new UsageError('--file must contain a JSON object');
  const given = {
    name: options.name,
    request: options.request,
    protocols: options.protocol,
    tools: options.tool,
    resources: options.resource,
    recipients: options.recipient,
    values: options.value,
    capabilities: options.capability,
    max_actions: options.maxActions,
    budget_usd: options.budget,
    expires_at: options.expires,
    risk_tier: options.riskTier,
    sessions: options.attach,
    key_id: options.keyId,
  };
  const named = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const body: Fields = { ...whole, ...named };
  if (body.name === undefined) throw new UsageError('missing --name (or a name in --file)');
  return body;
}

function showDrift(out: Output, report: Fields): void {
  out.field('enforcement_mode', report.enforcement_mode);
  for (const session of list(report.sessions)) {
    out.line(`session ${session.session_id}: ${session.total_drifted} of ${session.actions} actions left the task`);
    const rows = list(session.drifted).flatMap((row) =>
      list(row.drift).map((each) => [row.index, row.tool, each.kind, each.found, each.allowed]),
    );
    if (rows.length > 0) out.table(['entry', 'tool', 'drift', 'found', 'declared'], rows);
  }
  out.field('drift', report.drift);
}

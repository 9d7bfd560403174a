/**
 * `archive check`, `archive repair`, `rebuild-projections`: find what is missing from copies of the evidence, and
 * restore it.
 */
import { addCommand, addGroup, type Cli, type FeatureCommand, type Outcome, type Parent } from '#agentctl/command.ts';
import { paint } from '#agentctl/output.ts';
import { pieces } from '#agentctl/pieces.ts';
import { count, type Fields, list, text } from '#core/kernel/json-fields.ts';
import { addRestore } from './commands/restore.ts';

export const commands: readonly FeatureCommand[] = [
  { after: 'evidence', add: addArchive },
  { after: 'bootstrap', add: addRebuild },
  { after: 'archive', add: addRestore },
];

interface ArchiveOptions {
  readonly tenant?: string;
  readonly session?: string;
  readonly from?: string;
  readonly to?: string;
}

function addArchive(parent: Parent): void {
  const group = addGroup(
    parent,
    'archive',
    'Compare evidence with its archive, whose copies cannot be changed: check, repair',
  );
  addCommand<ArchiveOptions>(group, {
    usage: 'check',
    summary: 'Compare every session with the archive; exit code 0 only when nothing is missing',
    examples: ['archive check', 'archive check --tenant default --session s-1 --json'],
    options: (command) =>
      command
        .option('--tenant <id>', 'only this tenant (default: every tenant)')
        .option('--session <id>', 'only this session of the tenant'),
    run: (cli, options) => checkArchive(cli, options),
  });
  addCommand<ArchiveOptions>(group, {
    usage: 'repair',
    summary: 'Archive entries that the check finds missing, and resume sessions that were set aside',
    examples: ['archive repair', 'archive repair --tenant default --session s-1 --from 120 --to 180'],
    options: (command) =>
      command
        .option('--tenant <id>', 'only this tenant (default: every tenant)')
        .option('--session <id>', 'only this session of the tenant')
        .option('--from <index>', 'not before this entry of the session')
        .option('--to <index>', 'not after this entry of the session'),
    run: (cli, options) => repair(cli, options),
  });
}

async function checkArchive(cli: Cli, { tenant, session }: ArchiveOptions): Promise<Outcome> {
  const sum = { sessions: 0, total_entries: 0, missing_entries: 0, pending_entries: 0 };
  const incomplete: Fields[] = [];
  for await (const piece of pieces(cli, 'checkArchive', { tenant, session })) {
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += count(piece[name]);
    incomplete.push(...list(piece.incomplete_sessions).map((each) => ({ tenant: piece.tenant, ...each })));
  }
  if (cli.globals.json) cli.out.pretty({ ...sum, incomplete_sessions: incomplete });
  else {
    for (const each of incomplete) cli.out.line(paint('red', describeGaps(each)));
    cli.out.line(
      `archive: ${sum.total_entries} entries in ${sum.sessions} sessions, ${sum.missing_entries} missing, ${sum.pending_entries} on their way`,
    );
  }
  return incomplete.length === 0 ? 'positive' : 'negative';
}

function describeGaps({ tenant, session_id, missing_entries, missing, contradiction }: Fields): string {
  const stretches = list(missing).map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`));
  const gaps = count(missing_entries) > 0 ? [`${missing_entries} entries missing: ${stretches.join(', ')}`] : [];
  return `${tenant} ${session_id}: ${[...gaps, ...(text(contradiction) ? [contradiction] : [])].join('; ')}`;
}

async function repair(cli: Cli, options: ArchiveOptions): Promise<Outcome> {
  let archived = 0;
  const refused: Fields[] = [];
  for await (const piece of pieces(cli, 'repairArchive', { ...options }, 'archived_entries')) {
    archived += count(piece.archived_entries);
    refused.push(...list(piece.refused));
  }
  if (cli.globals.json) cli.out.pretty({ archived_entries: archived, refused });
  else {
    for (const { session_id, reason } of refused) cli.out.line(paint('red', `${session_id}: not archived: ${reason}`));
    cli.out.line(`archived: ${archived} entries`);
  }
  return refused.length === 0 ? 'positive' : 'negative';
}

interface RebuildOptions {
  readonly tenant?: string;
}

/** Adds the command that rebuilds usage, requests, violations and analytics from the evidence log. */
function addRebuild(parent: Parent): void {
  addCommand<RebuildOptions>(parent, {
    usage: 'rebuild-projections',
    summary: 'Rebuild usage, violations and analytics from the evidence log; entries are not counted twice',
    examples: ['rebuild-projections', 'rebuild-projections --tenant default --json'],
    options: (command) => command.option('--tenant <id>', 'only this tenant (default: every tenant)'),
    run: (cli, { tenant }) => rebuildAll(cli, tenant),
  });
}

async function rebuildAll(cli: Cli, tenant: string | undefined): Promise<Outcome> {
  const sum = { entries: 0, sessions: 0 };
  const tenants = new Set<string>();
  for await (const piece of pieces(cli, 'rebuildProjections', { tenant }, 'entries')) {
    sum.entries += count(piece.entries);
    sum.sessions += count(piece.sessions);
    tenants.add(text(piece.tenant) ?? '');
  }

  const done = { tenants: [...tenants], ...sum };
  if (cli.globals.json) cli.out.pretty(done);
  else cli.out.line(`projected: ${sum.entries} entries, ${sum.sessions} sessions, ${tenants.size} tenants`);
  return 'positive';
}

/** `rebuild-projections`: usage, requests, violations and analytics again from the evidence log. */
import { addCommand, type Cli, type Outcome, type Parent } from './command.ts';
import { exitCodes, Failure } from './failure.ts';
import { count, fields, text } from './json-fields.ts';
import { painted } from './output.ts';

interface RebuildOptions {
  readonly tenant?: string;
}

export function addRebuild(parent: Parent): void {
  addCommand<RebuildOptions>(parent, {
    usage: 'rebuild-projections',
    summary: 'Project the evidence log again; what was counted before stays as it is',
    examples: ['rebuild-projections', 'rebuild-projections --tenant default --json'],
    options: (command) => command.option('--tenant <id>', 'only this tenant (default: every tenant)'),
    run: (cli, { tenant }) => rebuildAll(cli, tenant),
  });
}

/** The server does a bounded piece at a time; progress goes to stderr. */
async function rebuildAll(cli: Cli, tenant: string | undefined): Promise<Outcome> {
  const sum = { entries: 0, sessions: 0 };
  const tenants = new Set<string>();
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const piece = fields((await cli.api().call('rebuildProjections', { query: { tenant, cursor } })).json);
    sum.entries += count(piece.entries);
    sum.sessions += count(piece.sessions);
    const of = text(piece.tenant) ?? '';
    tenants.add(of);
    cursor = text(piece.cursor);
    if (cursor !== undefined && seen.has(cursor)) {
      throw new Failure(exitCodes.negative, 'the server gave the same cursor twice: the rebuild has no end');
    }
    if (cursor !== undefined) {
      seen.add(cursor);
      cli.out.note(painted('dim', `${of}: ${sum.entries} entries so far`));
    }
  } while (cursor !== undefined);

  const done = { tenants: [...tenants], ...sum };
  if (cli.globals.json) cli.out.pretty(done);
  else cli.out.line(`projected: ${sum.entries} entries, ${sum.sessions} sessions, ${tenants.size} tenants`);
  return 'positive';
}

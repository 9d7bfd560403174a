/** `rebuild-projections`: rebuilds usage, requests, violations and analytics from the evidence log. */
import { addCommand, type Cli, type Outcome, type Parent } from './command.ts';
import { count, text } from './json-fields.ts';
import { pieces } from './pieces.ts';

interface RebuildOptions {
  readonly tenant?: string;
}

export function addRebuild(parent: Parent): void {
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

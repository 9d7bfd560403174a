/** `restore plan`, `restore entries`, `restore check`: restore a deployment from restored tables and buckets. */
import { readFile } from 'node:fs/promises';
import { addCommand, addGroup, type Cli, type Outcome, type Parent } from '#agentctl/command.ts';
import { fileTrouble, UsageError } from '#agentctl/failure.ts';
import { paint } from '#agentctl/output.ts';
import { pieces } from '#agentctl/pieces.ts';
import { count, type Fields, list } from '#core/kernel/json-fields.ts';

interface PlanOptions {
  readonly outputs: string;
  readonly to: string;
  readonly at?: string;
  readonly vault?: string;
}

export function addRestore(parent: Parent): void {
  const group = addGroup(
    parent,
    'restore',
    'Bring a deployment back from restored tables and buckets: plan, entries, check',
  );
  addCommand<PlanOptions>(group, {
    usage: 'plan',
    summary: 'Print the steps and commands that restore a deployment on AWS into a second one; calls nothing',
    examples: [
      'restore plan --outputs outputs.json --at 2026-11-22T10:00:00Z',
      'restore plan --outputs outputs.json --vault nightly --to restored --json',
    ],
    options: (command) =>
      command
        .requiredOption('--outputs <file>', 'outputs of the first deployment, from cdk deploy --outputs-file')
        .option('--to <name>', 'name of the second deployment', 'restored')
        .option('--at <time>', 'restore every table to this time (ISO 8601), by point-in-time recovery')
        .option('--vault <name>', 'restore every table from its newest recovery point in this vault of AWS Backup'),
    run: (cli, options) => plan(cli, options),
  });
  addCommand<{ readonly tenant?: string; readonly session?: string }>(group, {
    usage: 'entries',
    summary: 'Restore entries that exist only in the archive; evidence records this',
    examples: ['restore entries', 'restore entries --tenant acme --session s-1'],
    options: (command) =>
      command
        .option('--tenant <id>', 'tenant (default: that of the key)')
        .option('--session <id>', 'only this session of the tenant'),
    run: (cli, options) => entries(cli, options),
  });
  addCommand<{ readonly published: readonly string[] }>(group, {
    usage: 'check',
    summary: 'Check a restored deployment, and print the step that repairs each fault; exit code 0 only without faults',
    examples: ['restore check --published checkpoint', "restore check --json | jq '.findings[].todo'"],
    options: (command) =>
      command.option(
        '--published <file...>',
        "checkpoints of the tenant's log that were published before, such as that in the folder of a witness",
        [],
      ),
    run: async (cli, { published }) => {
      const { restoreChecks } = await import('./restore-check.ts');
      const { runChecks } = await import('#agentctl/doctor/run-checks.ts');
      return runChecks(cli, await restoreChecks(cli, await Promise.all(published.map(readText))));
    },
  });
}

const readText = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((cause) => {
    throw fileTrouble('read', file, cause);
  });

async function plan(cli: Cli, { outputs, to, at, vault }: PlanOptions): Promise<Outcome> {
  const { restorePlan } = await import('./restore-plan.ts');
  if ((at === undefined) === (vault === undefined))
    throw new UsageError('give --at for point-in-time recovery, or --vault for AWS Backup');
  // They become words in commands that are copied into a shell.
  if (at !== undefined && !(/^[\dT:.+Z-]+$/.test(at) && Date.parse(at)))
    throw new UsageError(`--at is ${JSON.stringify(at)}; it must be a time such as 2026-11-22T10:00:00Z`);
  for (const [option, name] of Object.entries({ to, vault }))
    if (name !== undefined && !/^[\w-]+$/.test(name))
      throw new UsageError(`--${option} is ${JSON.stringify(name)}; it may contain only letters, digits, _ and -`);
  let stacks: unknown;
  try {
    stacks = JSON.parse(await readText(outputs));
  } catch (cause) {
    if (cause instanceof SyntaxError) throw new UsageError(`${outputs} is not JSON: ${cause.message}`, cause);
    throw cause;
  }
  const made = restorePlan(stacks, { to, from: at === undefined ? { vault: vault! } : { at } });
  if (cli.globals.json) cli.out.pretty(made);
  else {
    for (const [nth, { title, why, commands }] of made.steps.entries()) {
      cli.out.line(paint('bold', `# ${nth + 1}. ${title}`));
      if (why) cli.out.line(`# ${why}`);
      for (const command of commands) cli.out.line(command);
      cli.out.line('');
    }
    for (const [name, note] of Object.entries(made.tables)) cli.out.line(`# ${name}: ${note}`);
    for (const note of made.pending) cli.out.line(`# ${note}`);
  }
  return 'positive';
}

async function entries(cli: Cli, options: { readonly tenant?: string; readonly session?: string }): Promise<Outcome> {
  let restored = 0;
  const refused: Fields[] = [];
  for await (const piece of pieces(cli, 'repairArchive', { ...options, put_back: 'true' }, 'put_back_entries')) {
    restored += count(piece.put_back_entries);
    refused.push(...list(piece.refused));
  }
  if (cli.globals.json) cli.out.pretty({ put_back_entries: restored, refused });
  else {
    for (const { session_id, reason } of refused) cli.out.line(paint('red', `${session_id}: not put back: ${reason}`));
    cli.out.line(`put back: ${restored} entries`);
  }
  return refused.length === 0 ? 'positive' : 'negative';
}

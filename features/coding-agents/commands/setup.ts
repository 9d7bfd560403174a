/**
 * `setup`: configures coding agents and other clients to use the gateway, and undoes that configuration [cli.setup].
 */
import { homedir } from 'node:os';
import { Argument } from 'commander';
import { addCommand, type Cli, type Parent } from '#agentctl/command.ts';
import { askYesNo, isTerminal } from '#agentctl/confirm.ts';
import { UsageError } from '#agentctl/failure.ts';
import { readLocalRun } from '#agentctl/local-run.ts';
import { paint } from '#agentctl/output.ts';
import { readSettings } from '#agentctl/settings.ts';
import { endpoints } from '#core/operations/endpoints.ts';
import {
  anyTarget,
  type Client,
  type ClientName,
  clientNames,
  clients,
  isInstalled,
  type Places,
  type Target,
} from './setup/clients.ts';
import { lineChanges } from './setup/lines.ts';
import type { FileEdit } from './setup/plan.ts';

interface SetupOptions {
  readonly write?: true;
  readonly undo?: true;
  readonly models?: boolean;
  readonly printKey?: true;
  readonly gateway?: string;
  readonly mcp?: string;
}

export function addSetup(parent: Parent): void {
  addCommand<SetupOptions>(parent, {
    usage: 'setup',
    summary: 'Set up a coding agent or another client to send its calls through the gateway, or undo that',
    examples: ['setup', 'setup claude-code', 'setup codex --models --write', 'setup cursor --undo'],
    options: (command) =>
      command
        .addArgument(
          new Argument('[client]', 'client to set up; without one, the command lists the clients').choices(clientNames),
        )
        .option('--write', 'write the files without asking; without a terminal they are only shown')
        .option('--undo', 'remove the setup; the rest of the files is unchanged')
        .option('--models', 'send model calls through the gateway too, not only tool calls')
        .option('--gateway <address>', 'gateway address for model calls, if --url is not on this machine')
        .option('--mcp <address>', 'MCP address, if --url is not on this machine')
        .option('--print-key', "print the agent's key, for clients that ask a program for it"),
    run: async (cli, options, [name]) => {
      if (options.printKey) return printKey(cli);
      const places: Places = { home: homedir(), platform: process.platform, env: process.env };
      if (name === undefined) return listClients(cli, places);
      const client: Client = clients[name as ClientName];
      // Settings are undone by name.
      const target = options.undo ? anyTarget : targetOf(cli, options);
      const { setUp, undoPlan } = await import('./setup/plan.ts');
      const plans = client.files(places, target);
      const steps = plans.map(options.undo ? undoPlan : setUp).filter(({ before, after }) => before !== after);
      const done = await runSteps(cli, options, steps);
      if (cli.globals.json)
        cli.out.pretty({
          client: name,
          written: done,
          files: steps.map(({ file, after }) => ({ file, content: after ?? null })),
        });
      else if (!options.undo) for (const note of client.notes(target)) cli.out.line(note);
      return 'positive';
    },
  });
}

async function runSteps(cli: Cli, options: SetupOptions, steps: readonly FileEdit[]): Promise<boolean> {
  if (!cli.globals.json) for (const step of steps) printChange(cli, step);
  if (steps.length === 0 && !cli.globals.json)
    cli.out.line(options.undo ? 'nothing is set up' : 'everything is set up already');
  if (steps.length === 0) return false;
  const may = options.write ?? (isTerminal() && !cli.globals.json && (await askYesNo('Write it?')));
  if (!may) {
    if (!cli.globals.json) cli.out.note('nothing was written; add --write to write the files');
    return false;
  }
  const { restore, write } = await import('./setup/plan.ts');
  for (const step of steps) (options.undo ? restore : write)(step);
  if (!cli.globals.json) cli.out.note(`wrote ${steps.map(({ file }) => file).join(', ')}`);
  return true;
}

function printChange({ out }: Cli, { file, before = '', after }: FileEdit): void {
  out.line(paint('bold', after === undefined ? `${file} is removed` : file));
  for (const { sign, line } of lineChanges(before, after ?? ''))
    out.line(sign === ' ' ? `  ${line}` : paint(sign === '+' ? 'green' : 'red', `${sign} ${line}`));
}

function listClients({ out, globals }: Cli, places: Places) {
  const rows = clientNames.map((name) => {
    const client: Client = clients[name];
    return { client: name, title: client.title, found: isInstalled(client, places), folder: client.folder(places) };
  });
  if (globals.json) out.pretty(rows);
  else
    out.table(
      ['client', 'title', 'found', 'folder'],
      rows.map((row) => [row.client, row.title, row.found ? 'yes' : 'no', row.folder]),
    );
  return 'positive' as const;
}

/** Prints the agent's key, for clients that call a program to get it. */
async function printKey(cli: Cli) {
  const route = endpoints.find(({ operation }) => operation === 'testAction')!;
  const key = readSettings(cli.globals, process.env).keyFor(route);
  if (key === undefined)
    throw new UsageError(
      'no key is known here; set AGENTCTL_KEY, or name the state folder of a local run with --state',
    );
  cli.out.line(key);
  return 'positive' as const;
}

/** Returns the gateway that clients are to connect to. @throws UsageError if none is specified. */
function targetOf({ globals }: Cli, { gateway, mcp, models = false }: SetupOptions): Target {
  const run = readLocalRun(globals.state ?? (process.env.GATEWAY_STATE || undefined));
  const named = globals.url ?? (process.env.AGENTCTL_URL || undefined);
  if (named === undefined && run.adminUrl === undefined)
    throw new UsageError(
      'no gateway was found: start one with npm start, name its state folder with --state, or give --url, --mcp and --gateway',
    );
  if (named !== undefined && mcp === undefined)
    throw new UsageError('--url needs --mcp, the MCP address of the same gateway');
  const gatewayUrl = gateway ?? (named === undefined ? run.gatewayUrl : undefined);
  if (models && gatewayUrl === undefined) throw new UsageError('--models needs --gateway, the gateway address');
  const program = [process.execPath, process.argv[1] ?? 'agentctl'] as const;
  const local = ['--state', run.state.path];
  return {
    gatewayUrl: gatewayUrl ?? '',
    models,
    agentctl: (...words) => [...program, ...words, ...(named === undefined ? local : ['--url', named])],
    bridge: [...program, 'mcp-bridge', ...(mcp === undefined ? local : ['--url', mcp])],
  };
}

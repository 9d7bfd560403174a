/** The whole command line, with groups in help order. */
import type { Command } from 'commander';
import { features } from '#features/features.ts';
import { routes } from '#features/routes.ts';
import { addActions } from './actions.ts';
import { addApprovals } from './approvals.ts';
import { addAudit } from './audit.ts';
import { addBootstrap } from './bootstrap.ts';
import { addChat } from './chat.ts';
import type { Parent } from './command.ts';
import { addCompletion } from './completion.ts';
import { addConfig } from './config.ts';
import { addDoctor } from './doctor.ts';
import { addEvidence } from './evidence.ts';
import type { ExitCode } from './failure.ts';
import { addMcp } from './mcp.ts';
import { addMcpBridge } from './mcp-bridge.ts';
import { observeCommands } from './observe.ts';
import { addOperation, groupOf } from './operation-command.ts';
import { routeOf } from './operation-routes.ts';
import { addPolicy } from './policy.ts';
import { addRisk } from './risk.ts';
import { addRollout } from './rollout.ts';
import { run } from './run.ts';
import { addSimulation } from './simulation.ts';
import { statusCommands } from './status.ts';
import { addKeys, addTenants } from './tenants.ts';
import { trafficCommands } from './traffic.ts';

/**
 * Adds the commands of all features. If several features add commands after the same command, they follow it in list
 * order.
 */
async function addFeatureCommands(program: Parent): Promise<void> {
  const loaded = await Promise.all(features.map(async ({ commands }) => (await commands?.())?.commands ?? []));
  for (const { after, add } of loaded.toReversed().flat()) {
    const words = after.split(' ');
    const group = words.slice(0, -1).reduce(commandOf, program.command);
    const before = commandOf(group, words.at(-1)!);
    const all = group.commands as Command[];
    const known = all.length;
    add({ ...program, command: group }, before);
    all.splice(all.indexOf(before) + 1, 0, ...all.splice(known));
  }
}

const subcommand = (group: Command | undefined, name: string): Command | undefined =>
  group?.commands.find((each) => each.name() === name) as Command | undefined;

function commandOf(group: Command, name: string): Command {
  const found = subcommand(group, name);
  if (!found) throw new Error(`a feature adds a command after ${name}, which does not exist`);
  return found;
}

/** Adds commands for the remaining operations at the end of their groups, in definition order. */
function addOtherOperations(program: Parent): void {
  for (const { operation, command } of routes) {
    if (!command) continue;
    const names = command.words.replace(/ <.*/, '').split(' ');
    const group = names.slice(0, -1).reduce<Command | undefined>(subcommand, program.command);
    if (!group) throw new Error(`${operation} has a command of a group that does not exist: ${command.words}`);
    if (!subcommand(group, names.at(-1)!)) addOperation({ ...program, command: group }, operation);
  }
}

export const main = (argv: readonly string[]): Promise<ExitCode> => run(argv, groups, routeOf);

const groups = [
  addChat,
  addActions,
  addApprovals,
  addEvidence,
  addAudit,
  ...statusCommands,
  addDoctor,
  ...trafficCommands,
  ...observeCommands,
  addSimulation,
  addPolicy,
  addRollout,
  groupOf('credentials', 'Manage credentials in use: list, revoke'),
  groupOf('tickets', 'Manage tickets in use: list, revoke'),
  addRisk,
  addConfig,
  addTenants,
  addKeys,
  addBootstrap,
  addMcp,
  addMcpBridge,
  addCompletion,
  addFeatureCommands,
  addOtherOperations,
];

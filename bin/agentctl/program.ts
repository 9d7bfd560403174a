/** The whole command line, with groups in help order. */
import type { Command } from 'commander';
import { features } from '#features/features.ts';
import { addActions } from './actions.ts';
import { addApprovals } from './approvals.ts';
import { addAudit } from './audit.ts';
import { addBootstrap } from './bootstrap.ts';
import { addChat } from './chat.ts';
import type { Parent } from './command.ts';
import { addCompletion } from './completion.ts';
import { addConfig } from './config.ts';
import { addCredentials } from './credentials.ts';
import { addDoctor } from './doctor.ts';
import { addEvidence } from './evidence.ts';
import type { ExitCode } from './failure.ts';
import { addMcp } from './mcp.ts';
import { addMcpBridge } from './mcp-bridge.ts';
import { addObserve } from './observe.ts';
import { routeOf } from './operation-routes.ts';
import { addPolicy } from './policy.ts';
import { addRisk } from './risk.ts';
import { addRollout } from './rollout.ts';
import { run } from './run.ts';
import { addSimulation } from './simulation.ts';
import { addStatus } from './status.ts';
import { addKeys, addTenants } from './tenants.ts';
import { addTraffic } from './traffic.ts';

/** Adds the commands of all features. Those of several features after one command follow it in the order of the list. */
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

function commandOf(group: Command, name: string): Command {
  const found = group.commands.find((each) => each.name() === name);
  if (!found) throw new Error(`a feature adds a command after ${name}, which does not exist`);
  return found;
}

export const main = (argv: readonly string[]): Promise<ExitCode> => run(argv, groups, routeOf);

const groups = [
  addChat,
  addActions,
  addApprovals,
  addEvidence,
  addAudit,
  addStatus,
  addDoctor,
  addTraffic,
  addObserve,
  addSimulation,
  addPolicy,
  addRollout,
  addCredentials,
  addRisk,
  addConfig,
  addTenants,
  addKeys,
  addBootstrap,
  addMcp,
  addMcpBridge,
  addCompletion,
  addFeatureCommands,
];

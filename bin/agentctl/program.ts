/** The whole command line, with groups in help order. */
import { addActions } from './actions.ts';
import { addApprovals } from './approvals.ts';
import { addArchive } from './archive.ts';
import { addAudit } from './audit.ts';
import { addBootstrap } from './bootstrap.ts';
import { addChat } from './chat.ts';
import { addCompletion } from './completion.ts';
import { addConfig } from './config.ts';
import { addCredentials } from './credentials.ts';
import { addDoctor } from './doctor.ts';
import { addEvidence } from './evidence.ts';
import type { ExitCode } from './failure.ts';
import { addFederation } from './federation.ts';
import { addHook } from './hook.ts';
import { addManifest } from './manifest.ts';
import { addMcp } from './mcp.ts';
import { addMcpBridge } from './mcp-bridge.ts';
import { addObserve } from './observe.ts';
import { addPlugin } from './plugin.ts';
import { addPolicy } from './policy.ts';
import { addRebuild } from './rebuild.ts';
import { addRisk } from './risk.ts';
import { addRollout } from './rollout.ts';
import { run } from './run.ts';
import { addSetup } from './setup.ts';
import { addSimulation } from './simulation.ts';
import { addStatus } from './status.ts';
import { addSupplyChain } from './supply-chain.ts';
import { addTraces } from './traces.ts';
import { addTraffic } from './traffic.ts';
import { addWitness } from './witness.ts';

export const main = (argv: readonly string[]): Promise<ExitCode> => run(argv, groups);

const groups = [
  addChat,
  addActions,
  addApprovals,
  addEvidence,
  addArchive,
  addWitness,
  addAudit,
  addStatus,
  addDoctor,
  addTraffic,
  addObserve,
  addSimulation,
  addPolicy,
  addRollout,
  addFederation,
  addTraces,
  addCredentials,
  addManifest,
  addSupplyChain,
  addPlugin,
  addRisk,
  addConfig,
  addBootstrap,
  addRebuild,
  addMcp,
  addMcpBridge,
  addSetup,
  addHook,
  addCompletion,
];

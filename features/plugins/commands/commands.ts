/** The commands `supply-chain` and `plugin`. */
import type { FeatureCommand } from '#agentctl/command.ts';
import { addPlugin } from './plugin.ts';
import { addSupplyChain } from './supply-chain.ts';

export const commands: readonly FeatureCommand[] = [
  { after: 'tickets', add: addSupplyChain },
  { after: 'supply-chain', add: addPlugin },
];
